"""A seeded server in a process of its own, and a real browser that is signed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.service.conftest import Server
from tests.service.console.world import seed, seed_escalations
from tests.surfaces.browser import CHROMIUM

sync_api = pytest.importorskip("playwright.sync_api")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
RUNS = 120


class Person:
    """Somebody with a browser of their own; errors on their pages are kept."""

    def __init__(self, browser: Any, server: Server, **options: Any) -> None:
        self.server = server
        self.context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 850}, **options}
        )
        self.context.set_default_timeout(60_000)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.bytes = 0
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.errors.append(f"error: {error}"))
        self.page.on("requestfailed", self._failed)
        self.page.on("response", self._answered)
        self.page.on("request", self._asked)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.type}: {message.text}")

    def _failed(self, request: Any) -> None:
        # A stream of events and pages that are left end by being aborted.
        if "ERR_ABORTED" not in (request.failure or ""):
            self.errors.append(f"failed: {request.url} {request.failure}")

    def _answered(self, response: Any) -> None:
        if response.status >= 400:
            self.errors.append(f"{response.status}: {response.url}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.base, "blob:", "data:")):
            self.errors.append(f"third party: {request.url}")

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def open(self, path: str) -> Any:
        self.page.goto(self.base + path)
        return self.page

    def sign_in(self, *scopes: str) -> Person:
        page = self.open("/console/login")
        page.fill("#key", self.server.key(*scopes))
        page.press("#key", "Enter")
        page.wait_for_url("**/console/runs*")
        return self


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for one module: while it runs, this thread cannot run an event loop."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield made
        made.close()


@pytest.fixture(scope="session")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with runs of every kind, hostile ones among them, and three open cases."""
    folder = tmp_path_factory.mktemp("console")
    data = folder / "data"
    data.mkdir()
    seed(data / "runs.sqlite", data / "log.key", runs=RUNS)
    seed_escalations(data / "runs.sqlite", data / "log.key")
    made = Server(folder)
    yield made
    made.stop()


@pytest.fixture
def person(browser: Any, console: Server) -> Iterator[Callable[..., Person]]:
    """A function that gives a signed-in person; at the end nothing may have gone wrong."""
    made: list[Person] = []

    def sign_in(*scopes: str, server: Server = console, **options: Any) -> Person:
        made.append(Person(browser, server, **options))
        return made[-1].sign_in(*(scopes or ("admin",)))

    yield sign_in
    for one in made:
        one.context.close()
    assert [error for one in made for error in one.errors] == []


def new_server(folder: Path, *, runs: int, cases: int = 0) -> Server:
    """A server of one's own, to be stopped by the caller."""
    data = folder / "data"
    data.mkdir(parents=True)
    seed(data / "runs.sqlite", data / "log.key", runs=runs)
    if cases:
        seed_escalations(data / "runs.sqlite", data / "log.key", cases=cases)
    return Server(folder)
