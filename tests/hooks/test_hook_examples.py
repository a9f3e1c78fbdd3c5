"""The page about hooks has an example of every kind, and each is asked here as it stands."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firmground.adapters.hooks.build import KINDS
from firmground.cli.main import cli
from firmground.config.settings import load_settings
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.engine.hook_settings import engine_of

REPOSITORY = Path(__file__).resolve().parents[2]
CASE = HookCase(
    question=None,
    answer="The tower is 324 m tall [1]; 300 + 24 = 324.",
    evidence=(Evidence(text="The tower is 324 m tall."),),
    metadata=(("record", '{"height": 324}'),),
)
TOKEN = "Bearer t0p-s3cret-t0ken"


@pytest.fixture
def towers() -> Iterator[str]:
    """An API that knows the height, and repeats what it should not."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = {"height": 324, "asked": self.path, "by": self.headers["Authorization"]}
            raw = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def section() -> tuple[str, str]:
    """The settings and the program of the page."""
    page = (REPOSITORY / "docs/hooks.md").read_text("utf-8")
    part = page.partition("## An example of each kind")[2].partition("\n## ")[0]
    toml = re.search(r"```toml\n(.*?)```", part, re.DOTALL)
    shell = re.search(r"```sh\n(.*?)```", part, re.DOTALL)
    assert toml is not None
    assert shell is not None
    return toml[1], shell[1]


def prepared(folder: Path, towers: str) -> Path:
    settings, program = section()
    (folder / "height.txt").write_text("The tower is 324 m tall.\n")
    (folder / "check.sh").write_text(program)
    (folder / "check.sh").chmod(0o755)
    base = sqlite3.connect(folder / "towers.db")
    base.execute("CREATE TABLE towers (name TEXT, height INTEGER)")
    base.execute("INSERT INTO towers VALUES ('Eiffel', 324)")
    base.commit()
    base.close()
    page = (REPOSITORY / "docs/writing-a-hook.md").read_text("utf-8")
    module = re.search(r"```python\n(# tower_hook\.py\n.*?)```", page, re.DOTALL)
    assert module is not None
    (folder / "tower_hook.py").write_text(module[1])
    here = settings.replace("https://towers.example", towers)
    here = here.replace('pointer = "/height"', 'pointer = "/height"\nprivate = true')
    path = folder / "firmground.toml"
    path.write_text(here)
    return path


def test_there_is_an_example_of_every_kind() -> None:
    assert set(re.findall(r'^type = "(\w+)"', section()[0], re.MULTILINE)) - {"object"} == set(
        KINDS
    )


def test_every_example_says_yes_where_its_world_is_at_hand(
    tmp_path: Path, towers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOWERS_TOKEN", TOKEN)
    monkeypatch.setenv("TOWERS_KEY", "k3y-of-the-towers")
    monkeypatch.delenv("TOWERS_DSN", raising=False)
    engine = engine_of(load_settings(prepared(tmp_path, towers)))
    replies = {reply.source: reply for reply in asyncio.run(engine.run(CASE))}
    elsewhere = {"postgres": FaultKind.MISCONFIGURED, "ledger_record": FaultKind.SKIPPED}
    for name, kind in elsewhere.items():
        fault = replies.pop(name)
        assert isinstance(fault, Fault)
        assert fault.kind is kind
    for reply in replies.values():
        assert isinstance(reply, HookReply), reply
        assert reply.passed, reply
    assert "tower" in replies


@pytest.mark.parametrize("command", ["hooks", "check"])
def test_a_token_that_an_api_repeats_is_in_no_output_and_in_no_ledger(
    command: str, tmp_path: Path, towers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOWERS_TOKEN", TOKEN)
    config, ledger = tmp_path / "firmground.toml", tmp_path / "ledger.db"
    config.write_text(
        f"[[hooks.use]]\ntype = 'http_api'\nurl = '{towers}/x?api_key=K3yInTheAddress'\n"
        f"allow = ['{towers}']\nprivate = true\npointer = ''\n"
        "headers_from_environment = { Authorization = 'TOWERS_TOKEN' }\n"
    )
    answer = "The tower is 324 m tall."
    if command == "hooks":
        words = ["hooks", "run", "--config", str(config), "--answer", answer, "--json"]
    else:
        words = ["check", "-a", answer, "-e", answer, "--config", str(config), "--judge", "lexical",
                 "--ledger", str(ledger), "--all"]  # fmt: skip
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 1, result.output
    assert "[redacted]" in result.output
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("ledger.db*"))
    assert bool(kept) is (command == "check")
    for secret in ("t0p-s3cret", "K3yInTheAddress"):
        assert secret not in result.output
        assert secret.encode() not in kept
