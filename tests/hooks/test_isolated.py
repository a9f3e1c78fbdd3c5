"""Deadlines that hold, whatever the hook does."""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.hooks import hostile
from tests.hooks.living import none_left

from firmground.adapters.hooks.command import CommandHook
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.hooks import HookEngine, IsolatedHook, Registered, WorkerLimits
from firmground.testing import FunctionHook

CASE = HookCase(question=None, answer="the tower is 324 m tall")


def ask(hook: Any, seconds: float = 20.0, **settings: Any) -> HookReply | Fault:
    engine = HookEngine([Registered(hook=hook, timeout_seconds=seconds)], **settings)
    (reply,) = asyncio.run(engine.run(CASE))
    return reply


def test_a_hook_in_a_worker_gives_its_verdict() -> None:
    reply = ask(hostile.Honest(word="324 m"))
    assert isinstance(reply, HookReply)
    assert reply.passed
    assert (reply.source, reply.version) == ("honest", "3")


def test_a_refusal_comes_back_with_its_guidance() -> None:
    reply = ask(hostile.Says(reply=hostile.refuse()))
    assert isinstance(reply, HookReply)
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
        HookReply(source="h", passed=1, message=""),  # type: ignore[arg-type]
        HookReply(source="h", passed=True, message=object),  # type: ignore[arg-type]
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
    long = HookReply(source="x", passed=True, message="x" * 100_000)
    reply = ask(hostile.Says(reply=long), limits=WorkerLimits(reply_bytes=50_000))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.LIMIT


def test_a_hook_that_cannot_be_sent_is_misconfigured_and_not_run_here() -> None:
    def never(_: HookCase) -> HookReply:
        raise AssertionError("ran in the event loop")

    reply = ask(FunctionHook(name="h", function=never))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.MISCONFIGURED
    assert "importable module" in reply.message


@pytest.mark.parametrize("how", ["block", "spin", "swallow", "flood", "fork"])
def test_a_hook_that_will_not_end_is_ended_and_the_loop_stays_live(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("FIRMGROUND_TEST_MARK", str(mark))
    limits = WorkerLimits(environment=("FIRMGROUND_TEST_MARK",))
    hook = hostile.Does(how=how, path=str(mark))

    async def scenario(seconds: float) -> tuple[HookReply | Fault, int]:
        registered = Registered(hook=hook, timeout_seconds=seconds)
        engine = HookEngine([registered], deadline_seconds=seconds, limits=limits)
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

    # On a busy machine it takes a while before there is anything to end.
    for seconds in (4.0, 16.0, 64.0):
        reply, ticks = asyncio.run(scenario(seconds))
        assert isinstance(reply, Fault)
        assert reply.kind is FaultKind.TIMEOUT
        if mark.exists():
            break
    assert mark.exists(), "the hook never got going, so nothing was shown"
    assert ticks > 20, "the event loop stood still"
    assert none_left(mark)


def test_children_left_behind_by_a_hook_that_passed_are_ended_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("FIRMGROUND_TEST_MARK", str(mark))
    limits = WorkerLimits(environment=("FIRMGROUND_TEST_MARK",))
    reply = ask(hostile.Does(how="fork_and_return", path=str(mark)), limits=limits)
    assert isinstance(reply, HookReply)
    assert none_left(mark)


def test_secrets_in_our_environment_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVIDER_KEY", "s3cret")
    reply = ask(hostile.Environment(variable="PROVIDER_KEY"))
    assert isinstance(reply, HookReply)
    assert reply.message == "absent"


def test_a_secret_that_was_handed_on_is_taken_out_of_the_reply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PROVIDER_KEY", "s3cret-of-the-provider")
    limits = WorkerLimits(environment=("PROVIDER_KEY",))
    hook = hostile.Environment(variable="PROVIDER_KEY")
    (reply,) = asyncio.run(HookEngine([Registered(hook=hook)], limits=limits).run(CASE))
    assert isinstance(reply, HookReply)
    assert reply.message == "[redacted]"


def _landlock() -> bool:
    """True where the kernel has Landlock and it is switched on."""
    libc = ctypes.CDLL(None)
    asked = ctypes.c_uint32(1)
    return int(libc.syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), asked)) > 0


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not _landlock(), reason="needs Landlock"
)
@pytest.mark.parametrize("kind", ["worker", "command"])
def test_secrets_in_the_environment_of_other_processes_stay_there(kind: str) -> None:
    secret = "s3cret-" + os.urandom(8).hex()
    environment = {"PATH": os.environ["PATH"], "PROVIDER_KEY": secret}
    other = subprocess.Popen(["/bin/sleep", "600"], env=environment)
    try:
        seen = Path(f"/proc/{other.pid}/environ")
        # Popen returns when the new program begins, which on a busy machine shows a little later.
        for _ in range(500):
            if secret.encode() in seen.read_bytes():
                break
            time.sleep(0.02)
        assert secret.encode() in seen.read_bytes()
        if kind == "worker":
            reply = ask(hostile.Snoops(secret=secret))
        else:
            look = f"! grep -qa 's3cret-' /proc/{other.pid}/environ"
            reply = asyncio.run(CommandHook(argv=("/bin/sh", "-c", look)).ask(CASE))
        assert isinstance(reply, HookReply), reply
        assert reply.passed, reply.message
    finally:
        other.kill()
        other.wait()


def _framed(fields: str) -> bytes:
    reply = (
        '{"verdict": {"message": "", "details": [], "guidance": "", "version": "", '
        '"replied": "", ' + fields + "}}"
    ).encode()
    return struct.pack(">I", len(reply)) + reply


@pytest.mark.parametrize(
    "reply",
    [
        _framed('"passed": true, "confidence": NaN'),
        _framed('"passed": true, "confidence": 7'),
        _framed('"passed": 1, "confidence": 1'),
        _framed('"passed": "true", "confidence": 1'),
        _framed('"passed": true, "confidence": "1"'),
        _framed('"confidence": 1'),
        struct.pack(">I", 2) + b"[]",
        struct.pack(">I", 4) + b"null",
        struct.pack(">I", 0),
        b"\xff" * 64,
    ],
)
def test_a_forged_reply_that_is_not_well_formed_is_a_fault(reply: bytes) -> None:
    said = ask(hostile.Forges(reply=reply))
    assert isinstance(said, Fault)
    assert said.kind in (FaultKind.BAD_REPLY, FaultKind.LIMIT, FaultKind.CRASHED)


def test_a_worker_that_closes_everything_is_a_fault() -> None:
    reply = ask(hostile.Spoils(how="close"))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.CRASHED


def test_a_thread_left_behind_does_not_keep_the_worker() -> None:
    assert isinstance(ask(hostile.Spoils(how="thread")), HookReply)


def test_what_a_worker_does_to_the_case_stays_in_the_worker() -> None:
    hooks = [
        Registered(hook=hostile.Spoils(how="mutate")),
        Registered(hook=hostile.Honest(word="324 m")),
    ]
    replies = asyncio.run(HookEngine(hooks, most_workers=1).run(CASE))
    assert [isinstance(r, HookReply) and r.passed for r in replies] == [True, True]
    assert CASE.answer == "the tower is 324 m tall"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a promise of Linux")
def test_a_worker_cannot_gain_privileges() -> None:
    reply = ask(hostile.Status())
    assert isinstance(reply, HookReply)
    assert reply.message.split() == ["NoNewPrivs:", "1"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a promise of Linux")
def test_when_we_are_killed_the_workers_do_not_live_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("FIRMGROUND_TEST_MARK", str(mark))
    code = (
        "import asyncio, sys\n"
        "from tests.hooks import hostile\n"
        "from firmground.core.ports import HookCase\n"
        "from firmground.hooks import HookEngine, Registered, WorkerLimits\n"
        "hook = Registered(hook=hostile.Does(how='spin', path=sys.argv[1]), timeout_seconds=100)\n"
        "limits = WorkerLimits(environment=('FIRMGROUND_TEST_MARK',))\n"
        "engine = HookEngine([hook], limits=limits, deadline_seconds=100)\n"
        "asyncio.run(engine.run(HookCase(question=None, answer='x')))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    ours = subprocess.Popen([sys.executable, "-c", code, str(mark)], env=environment)
    try:
        while not mark.exists():
            assert ours.poll() is None
            time.sleep(0.02)
    finally:
        ours.kill()
        ours.wait()
    assert none_left(mark)


def test_a_hook_that_never_got_a_worker_is_not_blamed_for_it() -> None:
    hooks = [
        Registered(hook=hostile.Does(how="block"), name="first", timeout_seconds=60),
        Registered(hook=hostile.Honest(word="324 m"), timeout_seconds=0.5),
    ]
    engine = HookEngine(hooks, deadline_seconds=1.0, most_workers=1)
    first, second = asyncio.run(engine.run(CASE))
    assert isinstance(first, Fault)
    assert first.kind is FaultKind.TIMEOUT
    assert isinstance(second, Fault)
    assert second.kind is FaultKind.SKIPPED
    assert "no worker was free" in second.message
    assert engine.breakers.state("first").faults == 1
    assert engine.breakers.state("honest").faults == 0


def test_the_own_deadline_begins_when_the_hook_does(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    async def ask_within(self: IsolatedHook, case: HookCase, *, seconds: float) -> HookReply:
        given.append(seconds)
        await asyncio.sleep(1.0)
        return HookReply(source=self.name, passed=True, message="")

    monkeypatch.setattr(IsolatedHook, "ask_within", ask_within)
    hooks = [
        Registered(hook=hostile.Honest(word="x"), name=name, timeout_seconds=50.0)
        for name in ("first", "second")
    ]
    asyncio.run(HookEngine(hooks, deadline_seconds=500.0, most_workers=1).run(CASE))
    assert len(given) == 2
    assert given[1] > given[0] - 0.9, "the second paid for the time of the first"


@pytest.mark.soak
@pytest.mark.parametrize("how", ["block", "spin", "swallow", "flood", "fork", "bomb"])
def test_the_end_comes_within_the_deadline_and_a_quarter_second(how: str) -> None:
    hook = hostile.Does(how=how)
    late = []
    for _ in range(10):
        start = time.monotonic()
        reply = ask(hook, seconds=1.0)
        late.append(time.monotonic() - start - 1.0)
        assert isinstance(reply, Fault)
    assert sorted(late)[-2] <= 0.25


def _lag_beside(engine: HookEngine | None) -> float:
    """The 99th percentile of how late a timer of the event loop comes, in seconds."""

    async def scenario() -> list[float]:
        lags: list[float] = []

        async def tick() -> None:
            while True:
                start = time.perf_counter()
                await asyncio.sleep(0.005)
                lags.append(time.perf_counter() - start - 0.005)

        ticking = asyncio.create_task(tick())
        await (asyncio.sleep(5.0) if engine is None else engine.run(CASE))
        ticking.cancel()
        return sorted(lags)

    lags = asyncio.run(scenario())
    return lags[int(len(lags) * 0.99)]


@pytest.mark.soak
@pytest.mark.parametrize("how", ["block", "spin", "swallow", "flood", "fork", "bomb"])
def test_the_event_loop_lags_no_more_than_twenty_milliseconds(how: str) -> None:
    """Beyond what the machine itself makes it lag with nothing to do, best of five."""
    hook = Registered(hook=hostile.Does(how=how), timeout_seconds=5.0)
    over = min(_lag_beside(HookEngine([hook])) - _lag_beside(None) for _ in range(5))
    assert over <= 0.020
