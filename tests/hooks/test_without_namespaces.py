"""Where the kernel grants no process namespace, as in most containers, hooks are watched and swept."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.hooks.living import none_left

from firmground.hooks import enclose

REFUSED = "echo 0 >/proc/sys/user/max_pid_namespaces && "
CODE = """
import asyncio, sys
from tests.hooks import hostile
from firmground.core.ports import HookCase
from firmground.hooks import HookEngine, Registered, WorkerLimits
hook, seconds = eval(sys.argv[1]), float(sys.argv[2])
limits = WorkerLimits(processes=20, environment=("FIRMGROUND_TEST_MARK",))
engine = HookEngine(
    [Registered(hook=hook, timeout_seconds=seconds)], deadline_seconds=seconds, limits=limits
)
(reply,) = asyncio.run(engine.run(HookCase(question=None, answer="x")))
print(getattr(reply, "kind", "verdict"), reply.message)
"""


def _refused() -> list[str]:
    """What runs a shell for which the kernel refuses process namespaces; empty where none does."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return []
    shell = [unshare, "--user", "--map-root-user", "/bin/sh", "-c"]
    probe = REFUSED + f"! {unshare} --pid --fork true && ! {unshare} --user --pid --fork true"
    done = subprocess.run([*shell, probe], capture_output=True, check=False)
    return shell if done.returncode == 0 else []


SHELL = _refused()
pytestmark = pytest.mark.skipif(
    not SHELL, reason="needs a user namespace in which the kernel refuses process namespaces"
)


def asked(hook: str, mark: Path, seconds: float = 300.0) -> str:
    path = os.pathsep.join(p for p in sys.path if p)
    environment = {**os.environ, "PYTHONPATH": path, "FIRMGROUND_TEST_MARK": str(mark)}
    call = [*SHELL, REFUSED + 'exec "$@"', "sh", sys.executable, "-c", CODE, hook, str(seconds)]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_fork_bomb_is_ended_before_its_deadline_and_nothing_of_it_survives(
    tmp_path: Path,
) -> None:
    told = asked("hostile.Does(how='bomb')", tmp_path / "mark")
    assert told == "limit more than 20 processes and threads at once; ended"
    assert none_left(tmp_path / "mark")


def _keeps_signals_in() -> bool:
    libc = ctypes.CDLL(None)
    asked_for = ctypes.c_uint32(1)
    return int(libc.syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), asked_for)) >= 6


ORPHANS_ITSELF = pytest.param(
    "orphan_itself",
    marks=pytest.mark.skipif(not _keeps_signals_in(), reason="needs Landlock of Linux 6.12"),
)


@pytest.mark.parametrize("how", ["fork", ORPHANS_ITSELF])
def test_whoever_left_the_group_is_ended_at_the_deadline(how: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for seconds in (4.0, 16.0, 64.0):
        told = asked(f"hostile.Does(how={how!r}, path={str(mark)!r})", mark, seconds)
        assert told.startswith("timeout")
        assert none_left(mark)
        if mark.exists():
            return
    raise AssertionError("the hook never got going, so nothing was shown")


def test_whoever_was_left_behind_is_ended_with_the_reply(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    told = asked(f"hostile.Does(how='fork_and_return', path={str(mark)!r})", mark)
    assert told == "verdict should never be heard"
    assert none_left(mark)


def test_whoever_a_program_left_behind_is_ended_with_it(tmp_path: Path) -> None:
    """Nobody ends the launcher here: it does that by itself before it ends."""
    mark = tmp_path / "mark"
    settings = {"network": True, "cpu_seconds": 60, "memory_bytes": 1 << 30, "processes": 9}
    launcher = [sys.executable, "-I", "-S", enclose.__file__, json.dumps(settings)]
    program = ["/bin/sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & sleep 1; exit 7"]
    call = [*SHELL, REFUSED + 'exec "$@"', "sh", *launcher, *program]
    environment = {"PATH": "/usr/bin:/bin", "FIRMGROUND_TEST_MARK": str(mark)}
    assert subprocess.run(call, env=environment, check=False).returncode == 7
    assert none_left(mark)


@pytest.mark.parametrize(
    "hook",
    [
        "hostile.Starts(how='at_once', count=15)",
        "hostile.Starts(how='in_turn', count=60)",
        "hostile.Starts(how='orphans', count=60)",
    ],
)
def test_an_honest_hook_may_start_what_it_needs(hook: str, tmp_path: Path) -> None:
    assert asked(hook, tmp_path / "mark") == "verdict started them all"
