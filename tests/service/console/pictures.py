"""Take the pictures of the console that the documentation shows.

python -m tests.service.console.pictures docs/console
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.service.conftest import Server
from tests.service.console.conftest import FLAGS, Person, sync_api
from tests.service.console.world import seed, seed_escalations
from tests.surfaces.browser import CHROMIUM

VIEWS = (("light", 1200, 760), ("dark", 1200, 760), ("phone", 390, 760))


def pages(server: Server) -> dict[str, str]:
    """The name of each picture and the address it shows."""
    body = {
        "question": "What did the outage cost?",
        "answer": "The outage lasted 3 hours and cost 12,000 dollars. It was caused by the Search team.",
        "evidence": [
            {"title": "Incident 512", "text": "The outage began at 02:00 and ended at 05:00. It cost 12,000 dollars."},
            {"title": "Rota", "text": "On call that night: Ledger team."},
        ],
    }  # fmt: skip
    done = server.call("POST", "/api/v1/check", body, key=server.key("check"))
    return {
        "runs": "/console/runs",
        "run": f"/console/runs/{done.headers['x-firmground-run']}",
        "escalations": "/console/escalations",
        "overview": "/console/overview?hours=168",
        "playground": "/console/playground?example=incident",
        "policies": "/console/policies?policy=strict&other=balanced&last=200",
        "access": "/console/access",
        "login": "/console/login",
    }


def take(browser: Any, server: Server, folder: Path) -> None:
    """Every page in every view."""
    shown = pages(server)
    for view, width, height in VIEWS:
        scheme = "dark" if view == "dark" else "light"
        one = Person(
            browser, server, viewport={"width": width, "height": height}, color_scheme=scheme
        ).sign_in("admin")
        for name, path in shown.items():
            page = one.open(path)
            if name == "playground":
                page.locator("#result table").wait_for()
            page.wait_for_timeout(300)
            page.screenshot(path=folder / f"{name}-{view}.jpg", type="jpeg", quality=62)
        one.context.close()


def main(folder: Path) -> None:
    """Seed a server, take the pictures, stop it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data"
        data.mkdir()
        seed(data / "runs.sqlite", data / "log.key", runs=900, hostile=False)
        seed_escalations(data / "runs.sqlite", data / "log.key", cases=5)
        server = Server(Path(place))
        try:
            for name, scope in (("support bot", "application"), ("Kim Reyes", "reviewer")):
                server.call(
                    "POST",
                    "/api/v1/keys",
                    {"name": name, "scopes": [scope]},
                    key=server.key("admin"),
                )
            with sync_api.sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
                take(browser, server, folder)
                browser.close()
        finally:
            server.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
