"""What every test may count on: no way out but loopback."""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

REPOSITORY = Path(__file__).resolve().parent.parent


def _is_local(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket
    try:
        return ipaddress.ip_address(address[0]).is_loopback
    except ValueError:
        return address[0] in ("localhost", "")


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that would leave this machine."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(self: socket.socket, address: Any) -> None:
        if not _is_local(address):
            raise OSError(f"a test tried to reach {address!r}")
        connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        if not _is_local(address):
            raise OSError(f"a test tried to reach {address!r}")
        return connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_ex)


@pytest.fixture(autouse=True)
def json_outputs_follow_their_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Validate every document that a command prints with ``--json`` in any test."""
    from firmground.cli import _output

    dumps = json.dumps

    def checked(document: Any, **options: Any) -> str:
        context = click.get_current_context(silent=True)
        words = context.command_path.split()[1:] if context and context.parent else []
        if words and words != ["schema"]:
            from jsonschema import Draft202012Validator

            from firmground.schemas import schema

            Draft202012Validator(schema("-".join(words))).validate(json.loads(dumps(document)))
        return dumps(document, **options)

    monkeypatch.setattr(_output, "json", SimpleNamespace(dumps=checked))


@pytest.fixture
def data_folder() -> Path:
    """The folder with the public data sets; the test is skipped in words when it is absent."""
    folder = Path(os.environ.get("FIRMGROUND_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the public data sets are not at {folder}; set FIRMGROUND_DATA to run this")
    return folder


GrowsStraight = Callable[[Callable[[int], object], int], bool]


def _cost(work: Callable[[int], object], size: int) -> float:
    started = time.process_time()
    work(size)
    return time.process_time() - started


@pytest.fixture
def grows_straight() -> GrowsStraight:
    """Tell work in proportion to its size from quadratic work, however busy the machine is.

    Sixteen times the size costs a straight method sixteen times as much and a quadratic one
    256 times; the bound lies between, and only work that misses it three times over fails.
    """

    def judge(work: Callable[[int], object], largest: int) -> bool:
        work(max(largest // 100, 1))
        for _ in range(3):
            small = min(_cost(work, largest // 16) for _ in range(3))
            if _cost(work, largest) < 100 * max(small, 0.001):
                return True
        return False

    return judge
