"""A hook that turns against the worker it runs in, its watchers or us harms its own reply only."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.hooks import hostile
from tests.hooks.living import holders, none_left

from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.hooks import HookEngine, Registered, WorkerLimits, enclose

CASE = HookCase(question=None, answer="the tower is 324 m tall")
KEPT = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 29, 31}


def _can(*namespaces: str) -> bool:
    """Whether the kernel lets us have these namespaces, the way a worker asks for them."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    mapped = [] if os.geteuid() == 0 else ["--map-root-user"]
    tried = [unshare, "--pid", "--fork", *mapped, *namespaces, "/bin/true"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


shut_in = pytest.mark.skipif(not _can(), reason="needs process namespaces and unshare(1)")


def ask(hook: Any, seconds: float = 300.0, **limits: Any) -> HookReply | Fault:
    registered = Registered(hook=hook, timeout_seconds=seconds)
    engine = HookEngine([registered], deadline_seconds=seconds, limits=WorkerLimits(**limits))
    (reply,) = asyncio.run(engine.run(CASE))
    return reply


def turned(how: str, **settings: Any) -> HookReply | Fault:
    return ask(hostile.Turns(how=how), **settings)


def test_a_copy_that_the_hook_forked_does_not_speak_for_it() -> None:
    """It comes back from the hook first and would pass, while the hook itself fails."""
    reply = turned("copy_passes")
    assert isinstance(reply, Fault)
    assert (reply.kind, reply.message) == (FaultKind.CRASHED, "raised RuntimeError: no pass")


@shut_in
@pytest.mark.parametrize("how", ["signals_its_group", "kills_its_parent"])
def test_those_who_watch_over_a_hook_are_out_of_its_reach(how: str) -> None:
    reply = turned(how)
    assert isinstance(reply, HookReply), reply
    assert reply.message == "still here"


@shut_in
@pytest.mark.parametrize("how", ["kills_everybody", "kills_its_group"])
def test_a_hook_that_kills_its_own_is_a_fault(how: str) -> None:
    reply = turned(how)
    assert isinstance(reply, Fault)
    assert (reply.kind, reply.message) == (FaultKind.CRASHED, "the worker ended without a reply")


@shut_in
def test_a_hook_that_stops_itself_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("FIRMGROUND_TEST_MARK", str(mark))
    reply = turned("stops", seconds=3.0, environment=("FIRMGROUND_TEST_MARK",))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.TIMEOUT
    assert none_left(mark)


@pytest.mark.parametrize("how", ["hangs_at_exit", "leaves_a_thread", "has_no_output"])
def test_what_a_hook_leaves_behind_does_not_hold_up_its_reply(how: str) -> None:
    reply = turned(how)
    assert isinstance(reply, HookReply), reply
    assert reply.message == "still here"


@pytest.mark.parametrize("how", ["huge_confidence", "endless_confidence"])
def test_a_number_beyond_all_bounds_is_a_bad_reply(how: str) -> None:
    reply = turned(how)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.BAD_REPLY


@shut_in
def test_no_hook_runs_before_everybody_else() -> None:
    """A process in real time would keep the event loop from turning until the deadline."""
    reply = turned("runs_first")
    assert isinstance(reply, Fault)
    assert "PermissionError" in reply.message


@shut_in
def test_root_keeps_few_of_its_powers() -> None:
    reply = turned("tells_powers")
    assert isinstance(reply, HookReply), reply
    for line in reply.message.splitlines():
        held = int(line.split()[1], 16)
        assert {bit for bit in range(64) if held >> bit & 1} <= KEPT, line
    assert reply.message.startswith("CapPrm")


@shut_in
def test_when_memory_runs_out_the_hook_goes_first() -> None:
    reply = turned("tells_rank")
    assert isinstance(reply, HookReply), reply
    assert reply.message == "1000"


@pytest.mark.skipif(not _can("--mount-proc"), reason="needs to mount /proc in a namespace")
def test_a_hook_sees_no_process_but_its_own() -> None:
    """Files below ``/proc`` can be written to: whom the kernel ends first is decided there."""
    reply = turned("tells_processes")
    assert isinstance(reply, HookReply), reply
    assert reply.message == "1 2, and I am 2"


def _landlock() -> bool:
    libc = ctypes.CDLL(None)
    asked = ctypes.c_uint32(1)
    return int(libc.syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), asked)) > 0


@shut_in
@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not _landlock(), reason="needs Landlock"
)
def test_where_other_hooks_can_be_seen_their_secrets_cannot(tmp_path: Path) -> None:
    """Seen through the launcher itself, told that nothing can be mounted."""
    mark = tmp_path / "mark"
    launcher = tmp_path / "enclose.py"
    launcher.write_text(
        Path(enclose.__file__)
        .read_text()
        .replace("libc.mount(", "_refuse(")
        .replace("def enclose", "def _refuse(*_):\n    return -1\n\n\ndef enclose")
    )
    settings = {"network": True, "cpu_seconds": 9, "memory_bytes": 1 << 30, "processes": 9}
    shut = [sys.executable, "-I", "-S", str(launcher), json.dumps(settings)]
    other = subprocess.Popen([*shut, "/bin/sleep", "600"], env={"KEY": str(mark)})
    try:
        seen = f"/proc/{_called('sleep', mark)}"
        look = f"test -e {seen}/stat && ! cat {seen}/environ"
        run = subprocess.run([*shut, "/bin/sh", "-c", look], capture_output=True, check=False)
        assert (run.returncode, run.stdout) == (0, b""), run.stderr
    finally:
        other.kill()
        other.wait()


def _called(program: str, mark: Path) -> int:
    """The process that runs this program with the mark, once there is one."""
    for _ in range(3000):
        for number in holders(mark):
            if Path(f"/proc/{number}/comm").read_text().strip() == program:
                return number
        time.sleep(0.02)
    raise AssertionError(f"{program} never started")
