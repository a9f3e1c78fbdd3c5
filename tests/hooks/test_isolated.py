"""Deadlines that hold, whatever the hook does."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest
from tests.hooks import hostile

from firmground.core.finding import Fault, FaultKind, Verdict
from firmground.core.ports import HookCase
from firmground.hooks import HookEngine, Registered, WorkerLimits
from firmground.testing import FunctionHook

CASE = HookCase(question=None, answer="the tower is 324 m tall")


def ask(hook: Any, seconds: float = 20.0, **settings: Any) -> Verdict | Fault:
    engine = HookEngine([Registered(hook=hook, timeout_seconds=seconds)], **settings)
    (reply,) = asyncio.run(engine.run(CASE))
    return reply


def test_a_hook_in_a_worker_gives_its_verdict() -> None:
    reply = ask(hostile.Honest(word="324 m"))
    assert isinstance(reply, Verdict)
    assert reply.passed
    assert (reply.source, reply.version) == ("honest", "3")


def test_a_refusal_comes_back_with_its_guidance() -> None:
    reply = ask(hostile.Says(reply=hostile.refuse()))
    assert isinstance(reply, Verdict)
    assert not reply.passed
    assert reply.guidance == "say it otherwise"


def test_a_fault_comes_back_as_one() -> None:
    reply = ask(hostile.Says(reply=hostile.FAULT))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.UNREACHABLE


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        True,
        1,
        "passed",
        {"passed": True},
        Verdict(source="h", passed=1, message=""),  # type: ignore[arg-type]
        Verdict(source="h", passed=True, message=object),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_a_reply_of_the_wrong_type_is_a_fault(wrong: object) -> None:
    reply = ask(hostile.Says(reply=wrong))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.BAD_REPLY


@pytest.mark.parametrize("how", ["raise", "time_out", "exit", "leave", "hog"])
def test_a_worker_that_ends_badly_is_a_fault(how: str) -> None:
    reply = ask(hostile.Does(how=how))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.CRASHED


def test_a_reply_beyond_the_cap_is_a_fault() -> None:
    long = Verdict(source="x", passed=True, message="x" * 100_000)
    reply = ask(hostile.Says(reply=long), limits=WorkerLimits(reply_bytes=50_000))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.LIMIT


def test_a_hook_that_cannot_be_sent_is_misconfigured_and_not_run_here() -> None:
    def never(_: HookCase) -> Verdict:
        raise AssertionError("ran in the event loop")

    reply = ask(FunctionHook(name="h", function=never))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.MISCONFIGURED
    assert "importable module" in reply.message


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def _workers_marked(path: Path) -> list[int]:
    """Processes that still hold the mark file's directory as an argument of their own."""
    needle = str(path).encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if needle in (entry / "environ").read_bytes() and _alive(int(entry.name)):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


@pytest.mark.parametrize("how", ["block", "spin", "swallow", "flood", "fork"])
def test_a_hook_that_will_not_end_is_ended_and_the_loop_stays_live(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("FIRMGROUND_TEST_MARK", str(mark))
    limits = WorkerLimits(environment=("FIRMGROUND_TEST_MARK",))
    hook = hostile.Does(how=how, path=str(mark))
    engine = HookEngine([Registered(hook=hook, timeout_seconds=4.0)], limits=limits)

    async def scenario() -> tuple[Verdict | Fault, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        (reply,) = await engine.run(CASE)
        ticking.cancel()
        return reply, ticks

    reply, ticks = asyncio.run(scenario())
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.TIMEOUT
    assert mark.exists(), "the hook never got going, so nothing was shown"
    assert ticks > 20, "the event loop stood still"
    for _ in range(50):
        if not _workers_marked(mark):
            break
        time.sleep(0.02)
    assert _workers_marked(mark) == []


def test_children_left_behind_by_a_hook_that_passed_are_ended_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("FIRMGROUND_TEST_MARK", str(mark))
    limits = WorkerLimits(environment=("FIRMGROUND_TEST_MARK",))
    reply = ask(hostile.Does(how="fork_and_return", path=str(mark)), limits=limits)
    assert isinstance(reply, Verdict)
    for _ in range(50):
        if not _workers_marked(mark):
            break
        time.sleep(0.02)
    assert _workers_marked(mark) == []


def test_secrets_in_our_environment_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVIDER_KEY", "s3cret")
    reply = ask(hostile.Environment(variable="PROVIDER_KEY"))
    assert isinstance(reply, Verdict)
    assert reply.message == "absent"


@pytest.mark.soak
@pytest.mark.parametrize("how", ["block", "spin", "swallow", "flood", "fork"])
def test_the_end_comes_within_the_deadline_and_a_quarter_second(how: str) -> None:
    hook = hostile.Does(how=how)
    late = []
    for _ in range(10):
        start = time.monotonic()
        reply = ask(hook, seconds=1.0)
        late.append(time.monotonic() - start - 1.0)
        assert isinstance(reply, Fault)
    assert sorted(late)[-2] <= 0.25
