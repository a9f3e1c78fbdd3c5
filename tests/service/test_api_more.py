"""Keys over HTTP, events of runs, gates, sessions, slow readers."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tests.service.conftest import CHECK, Server

from firmground import Engine
from firmground.config.service import ServiceSettings
from firmground.service.app import create_app
from firmground.service.auth import KeyScope, Principal
from firmground.service.endpoints import ENDPOINTS
from firmground.service.state import ServiceState
from firmground.testing import FunctionModel

SENTENCE = "The Alder bridge opened in 1932. "


def test_a_key_that_was_made_over_http_works_until_it_is_revoked(server: Server) -> None:
    admin = server.key("admin")
    body = {"name": "app", "scopes": ["application"], "per_minute": 100}
    made = server.call("POST", "/api/v1/keys", body, key=admin).json
    who = server.call("GET", "/api/v1/me", key=made["key"]).json
    assert (who["key"], who["scopes"], who["roles"]) == (made["id"], ["check"], ["application"])
    listed = server.call("GET", "/api/v1/keys", key=admin)
    assert made["id"] in [key["id"] for key in listed.json["keys"]]
    assert made["key"].split("_", 2)[2] not in listed.raw.decode()
    assert server.call("POST", f"/api/v1/keys/{made['id']}/revoke", b"", key=admin).json["revoked"]
    assert server.call("GET", "/api/v1/me", key=made["key"]).status == 401
    assert server.call("POST", "/api/v1/keys/none/revoke", b"", key=admin).status == 404
    wrong = server.call("POST", "/api/v1/keys", {"name": "x", "scopes": ["root"]}, key=admin)
    assert wrong.status == 422


def test_new_runs_are_sent_as_events_and_missed_ones_on_return(server: Server) -> None:
    key = server.key("check", "read")
    first = server.call("POST", "/api/v1/check", CHECK, key=key).headers["x-firmground-run"]
    newest = server.runs(key)[0]["seq"]
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/api/v1/runs/events")
    request.add_header("Authorization", f"Bearer {key}")
    request.add_header("Last-Event-ID", str(newest - 1))
    with urllib.request.urlopen(request, timeout=60) as stream:
        assert _next_run(stream) == first
        later: list[str] = []
        work = threading.Thread(
            target=lambda: later.append(
                server.call("POST", "/api/v1/check", CHECK, key=key).headers["x-firmground-run"]
            )
        )
        work.start()
        arrived = _next_run(stream)
        work.join()
        assert [arrived] == later


def _next_run(stream: Any) -> str:
    for line in stream:
        if line.startswith(b"data: "):
            run = json.loads(line[6:])["run"]
            assert isinstance(run, str)
            return run
    raise AssertionError("the events ended")


def test_a_reader_of_events_does_not_hold_up_the_stop(tmp_path: Path) -> None:
    server = Server(tmp_path, "[service.limits]\ndrain_seconds = 300\n")
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/api/v1/runs/events")
    request.add_header("Authorization", f"Bearer {server.key('read')}")
    with urllib.request.urlopen(request, timeout=60) as stream:
        assert stream.readline().startswith(b"retry")
        assert server.stop() == 0


def test_every_endpoint_is_in_the_documentation() -> None:
    page = Path("docs/service.md").read_text()
    for endpoint in ENDPOINTS:
        path = endpoint.path.replace(":path", "")
        assert f"| `{endpoint.method} {path}` |" in page, path


class InProcess:
    """The application without a server: requests by hand, replies piece by piece."""

    def __init__(self, folder: Path, **parts: Any) -> None:
        self.engine = Engine(judge="lexical", ledger=folder / "runs.sqlite", **parts)
        self.state = ServiceState(folder)
        self.app = create_app(self.engine, ServiceSettings(data=folder), state=self.state)
        self.service = self.app.state.service
        self.key, _ = self.state.create_key("test", frozenset(KeyScope))

    async def call(
        self, method: str, path: str, body: Any = None, *, wait: Any = None, key: bool = True
    ) -> tuple[int, bytes]:
        raw = b"" if body is None else json.dumps(body).encode()
        headers = [(b"content-type", b"application/json")]
        if key:
            headers.append((b"authorization", f"Bearer {self.key}".encode()))
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(),
            "query_string": b"", "headers": headers, "http_version": "1.1", "scheme": "http",
            "server": ("127.0.0.1", 1), "client": ("127.0.0.1", 2), "root_path": "",
        }  # fmt: skip
        given = False
        never = asyncio.Event()
        status, parts = 0, []

        async def receive() -> dict[str, Any]:
            nonlocal given
            if given:
                await never.wait()
            given = True
            return {"type": "http.request", "body": raw, "more_body": False}

        async def send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                if wait is not None:
                    await wait(self)
                parts.append(message.get("body", b""))

        await self.app(scope, receive, send)
        return status, b"".join(parts)

    def close(self) -> None:
        self.engine.close()
        self.state.close()


@pytest.fixture
def inside(tmp_path: Path) -> Any:
    made = InProcess(tmp_path, model=FunctionModel(function=lambda request: "Canberra"))
    yield made
    made.close()


def test_a_slow_reader_of_a_stream_loses_no_event(inside: InProcess) -> None:
    text = SENTENCE * 300

    async def until_recorded(app: InProcess) -> None:
        ledger = app.engine.ledger
        assert ledger is not None
        async with asyncio.timeout(120):
            while not ledger.reader.runs(1 << 53, 1):
                await asyncio.sleep(0.01)

    body = {"deltas": [text], "evidence": SENTENCE}
    status, raw = asyncio.run(
        inside.call("POST", "/api/v1/check/stream", body, wait=until_recorded)
    )
    events = [json.loads(line[6:]) for line in raw.decode().split("\n") if line[:6] == "data: "]
    assert (status, "".join(event.get("text", "") for event in events)) == (200, text)


def test_a_gate_says_how_far_an_answer_depends_on_its_documents(inside: InProcess) -> None:
    body = {
        "question": "What is the capital of Australia?",
        "evidence": ["Canberra is the capital."],
    }
    status, raw = asyncio.run(inside.call("POST", "/api/v1/gate", body))
    found = json.loads(raw)
    assert (status, found["decision"], found["answer"]) == (200, "ANSWER", "Canberra")
    status, raw = asyncio.run(inside.call("POST", "/api/v1/gate", {**body, "profile": "x"}))
    assert (status, json.loads(raw)["field"]) == (422, "profile")


def test_a_session_identifies_who_sends_a_request_without_a_key(inside: InProcess) -> None:
    user = Principal(key_id="session-1", name="Ada", scopes=frozenset({KeyScope.READ}))

    async def calls() -> list[int]:
        before = (await inside.call("GET", "/api/v1/runs", key=False))[0]
        inside.service.identify.append(lambda request: user)
        read = (await inside.call("GET", "/api/v1/runs", key=False))[0]
        beyond = (await inside.call("GET", "/api/v1/keys", key=False))[0]
        return [before, read, beyond, (await inside.call("GET", "/api/v1/keys"))[0]]

    assert asyncio.run(calls()) == [401, 200, 403, 200]
