"""Too many processes are ended while they are few; a handful is nobody's business."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.hooks import hostile
from tests.hooks.living import marked, none_left

from firmground.adapters.hooks.command import CommandHook
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.hooks import HookEngine, Registered, WorkerLimits

CASE = HookCase(question=None, answer="the tower is 324 m tall")
MOST = 20


def _asks_before_forking() -> bool:
    if not sys.platform.startswith("linux") or os.uname().machine not in ("x86_64", "aarch64"):
        return False
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int(minor)) >= (5, 5)


pytestmark = pytest.mark.skipif(
    not _asks_before_forking(), reason="needs Linux 5.5 or later on x86-64 or arm64"
)


def ask(hook: Any, seconds: float = 300.0, **limits: Any) -> HookReply | Fault:
    registered = Registered(hook=hook, timeout_seconds=seconds)
    engine = HookEngine(
        [registered], deadline_seconds=seconds, limits=WorkerLimits(processes=MOST, **limits)
    )
    (reply,) = asyncio.run(engine.run(CASE))
    return reply


def test_a_fork_bomb_is_ended_before_its_deadline_and_nothing_of_it_survives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("FIRMGROUND_TEST_MARK", str(mark))
    reply = ask(hostile.Does(how="bomb", path=str(mark)), environment=("FIRMGROUND_TEST_MARK",))
    assert isinstance(reply, Fault)
    assert (reply.kind, reply.message) == (
        FaultKind.LIMIT,
        "more than 20 processes and threads at once; ended",
    )
    assert none_left(mark)
    # Whoever was started and got as far as this wrote a line.
    assert len(marked(mark)) <= MOST


def test_threads_without_end_are_a_crowd_too() -> None:
    reply = ask(hostile.Does(how="thread_bomb"))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.LIMIT
    assert "processes and threads" in reply.message


@pytest.mark.parametrize(
    ("how", "count"), [("at_once", MOST - 5), ("in_turn", 60), ("threads", 60), ("orphans", 60)]
)
def test_an_honest_hook_may_start_what_it_needs(how: str, count: int) -> None:
    reply = ask(hostile.Starts(how=how, count=count))
    assert isinstance(reply, HookReply), reply
    assert reply.passed


def test_a_command_that_forks_without_end_is_a_fault_that_says_so() -> None:
    script = "for i in $(seq 60); do sleep 600 & done; wait"
    hook = CommandHook(argv=("/bin/sh", "-c", script), processes=10)
    reply = asyncio.run(hook.ask(CASE))
    assert isinstance(reply, Fault)
    assert (reply.kind, reply.message) == (
        FaultKind.LIMIT,
        "more than 10 processes and threads at once; ended",
    )


@pytest.mark.parametrize("code", [12, 138, 125 - 1])
def test_a_command_that_ends_by_itself_is_not_taken_for_a_crowd(code: int) -> None:
    reply = asyncio.run(CommandHook(argv=("/bin/sh", "-c", f"exit {code}")).ask(CASE))
    assert isinstance(reply, Fault)
    assert (reply.kind, reply.message) == (FaultKind.CRASHED, f"ended with code {code}")


def test_a_command_that_ends_by_the_very_signal_is_not_taken_for_a_crowd() -> None:
    reply = asyncio.run(CommandHook(argv=("/bin/sh", "-c", "kill -USR2 $$")).ask(CASE))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.CRASHED
