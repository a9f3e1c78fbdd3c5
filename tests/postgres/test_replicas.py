"""The two replicas of the compose files, run as processes: load, one killed, nothing lost."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from firmground.adapters.postgres import PostgresStore
from firmground.ledger.audit import audit
from firmground.service.auth import scopes_from
from firmground.service.state import ServiceState

yaml = pytest.importorskip("yaml")
pytest.importorskip("uvicorn")
DEPLOY = Path(__file__).parents[2] / "deploy"
CHECK = {"answer": "It opened in 1932.", "evidence": ["It opened in 1932."]}


class Replica:
    """One service of the compose files, with the places of this test."""

    def __init__(self, command: list[str], folder: Path, address: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        places = {
            "/etc/firmground/firmground.toml": str(folder / "firmground.toml"),
            "/data": str(folder / "data"),
            "0.0.0.0": "127.0.0.1",
            "postgresql://firmground@database/audit": address,
        }
        self._log = folder / f"{self.port}.log"
        self._command = [sys.executable, "-m", "firmground"]
        self._command += [*(places.get(word, word) for word in command), "--port", str(self.port)]
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)

    def wait_until_ready(self) -> None:
        until = time.monotonic() + 120
        while time.monotonic() < until and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/ready", timeout=10):
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(self._log.read_text())

    def check(self, key: str, name: str) -> dict[str, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v1/check",
            data=json.dumps(CHECK).encode(),
            headers={
                "Content-Type": "application/json",
                "Authorization": f"Bearer {key}",
                "Idempotency-Key": name,
            },
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            found: dict[str, Any] = json.load(reply)
            return found

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(60)


def _commands() -> list[list[str]]:
    """The commands of both replicas, as the compose files state them."""
    services: dict[str, Any] = {}
    for name in ("compose.yaml", "compose.replicas.yaml"):
        services |= yaml.safe_load((DEPLOY / name).read_text())["services"]
    return [services[name]["command"] for name in ("firmground", "firmground-b")]


class Load:
    """Clients that ask one replica and turn to the other when it does not answer."""

    def __init__(self, replicas: list[Replica], key: str) -> None:
        self.receipts: list[tuple[int, str]] = []
        self._replicas, self._key, self._stop = replicas, key, threading.Event()
        self._threads = [
            threading.Thread(target=self._work, args=(n,), daemon=True) for n in range(4)
        ]
        for thread in self._threads:
            thread.start()

    def _work(self, client: int) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            for turn in range(50):
                replica = self._replicas[(client + turn) % 2]
                try:
                    reply = replica.check(self._key, f"{client}-{number}-{turn}")
                except (OSError, urllib.error.URLError):
                    time.sleep(0.02)
                    continue
                receipt = reply["receipt"]
                self.receipts.append((receipt["seq"], receipt["entry"]))
                break

    def wait_for(self, more: int) -> None:
        wanted, until = len(self.receipts) + more, time.monotonic() + 180
        while len(self.receipts) < wanted:
            assert time.monotonic() < until, "the replicas do not answer"
            time.sleep(0.01)

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def test_one_of_two_replicas_is_killed_under_load_and_nothing_is_lost(
    tmp_path: Path, address: str
) -> None:
    (tmp_path / "firmground.toml").write_text('[judge]\nuse = "lexical"\n')
    PostgresStore.open(address).close()
    replicas = [Replica(command, tmp_path, address) for command in _commands()]
    try:
        for replica in replicas:
            replica.wait_until_ready()
        state = ServiceState(tmp_path / "data")
        key, _ = state.create_key("test", scopes_from(("check",)))
        state.close()
        load = Load(replicas, key)
        load.wait_for(10)
        os.kill(replicas[0].process.pid, 9)
        replicas[0].process.wait()
        load.wait_for(10)
        replicas[0].start()
        replicas[0].wait_until_ready()
        load.wait_for(10)
        load.stop()
    finally:
        for replica in replicas:
            replica.end()
    store = PostgresStore.open(address, create=False)
    report = audit(store)
    kept = {row.seq: row.hash.hex() for row in store.entries(0, report.size)}
    store.close()
    assert report.holds, report.problems[:3]
    assert len({seq for seq, _ in load.receipts}) == len(load.receipts) >= 30
    assert [one for one in load.receipts if kept.get(one[0]) != one[1]] == []
    assert report.size >= len(load.receipts)
