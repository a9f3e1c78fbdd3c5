"""A real server in a process of its own, on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import uvicorn

from firmground.config.settings import Settings
from firmground.service.app import create_app
from firmground.service.auth import KeyLimits, scopes_from
from firmground.service.server import open_engine
from firmground.service.state import ServiceState

CHECK = {"answer": "It opened in 1932.", "evidence": ["It opened in 1932."]}


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


class Server:
    """One ``firmground serve`` process."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self.folder = folder
        self.data = folder / "data"
        self.config = folder / "firmground.toml"
        self.config.write_text('[judge]\nuse = "lexical"\n' + settings)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "firmground", "serve", "--config", str(self.config)]
        command += ["--data", str(self.data), "--port", str(self.port)]
        with (self.folder / "log.txt").open("ab") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, cwd=self.folder)
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            try:
                if self.call("GET", "/ready").status == 200:
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(self.log())

    def log(self) -> str:
        return (self.folder / "log.txt").read_text()

    def key(self, *scopes: str, **limits: Any) -> str:
        state = ServiceState(self.data)
        text, _ = state.create_key("test", scopes_from(scopes), limits=KeyLimits(**limits))
        state.close()
        return text

    def call(
        self, method: str, path: str, body: Any = None, *, key: str | None = None, **headers: str
    ) -> Answer:
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=data, method=method
        )
        request.add_header("Content-Type", "application/json")
        if key is not None:
            request.add_header("Authorization", f"Bearer {key}")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return Answer(reply.status, _lower(reply.headers), reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, _lower(error.headers), error.read())

    def runs(self, key: str) -> list[Any]:
        found: list[Any] = []
        after = ""
        while True:
            page = self.call("GET", f"/api/v1/runs?limit=200{after}", key=key).json
            found += page["runs"]
            if page["next"] is None:
                return found
            after = f"&before={page['next']}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGTERM)
        return self.process.wait(60)


class ThreadServer(Server):
    """The same server in a thread of this process: quicker to start."""

    def start(self) -> None:
        settings = Settings.load(self.config)
        service = replace(settings.service, data=self.data)
        self.state = ServiceState(self.data)
        self.engine = open_engine(settings, service)
        self.app = create_app(self.engine, service, state=self.state, proxy=settings.proxy)
        config = uvicorn.Config(self.app, port=self.port, log_config=None, access_log=False)
        self.web = uvicorn.Server(config)
        self.thread = threading.Thread(target=lambda: asyncio.run(self.web._serve()))
        self.thread.start()
        until = time.monotonic() + 60
        while not self.web.started and time.monotonic() < until:
            time.sleep(0.01)

    def log(self) -> str:
        return ""

    def stop(self) -> int:
        self.web.should_exit = True
        self.thread.join(60)
        self.engine.close()
        self.state.close()
        return 0


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("service"))
    yield made
    made.stop()
