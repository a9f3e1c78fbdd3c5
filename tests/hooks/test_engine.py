"""Asking side by side, and never taking silence for a yes."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from firmground.core.evidence import Evidence, EvidenceKind, Trust
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.core.question import Question
from firmground.errors import ConfigError, InputError
from firmground.hooks import (
    BreakerPolicy,
    Breakers,
    HookEngine,
    Phase,
    Registered,
    reply_evidence,
    summarise,
)
from firmground.testing import FunctionHook

CASE = HookCase(question=Question(text="How tall?"), answer="324 m", evidence=(Evidence(text="x"),))


def yes(name: str = "h", **fields: Any) -> HookReply:
    return HookReply(source=name, passed=True, message="fine", **fields)


def inline(function: Callable[[HookCase], Any], name: str = "h", **fields: Any) -> Registered:
    return Registered(hook=FunctionHook(name=name, function=function), inline=True, **fields)


def run(*hooks: Registered, phase: Phase = Phase.AFTER, **settings: Any) -> tuple[Any, ...]:
    return asyncio.run(HookEngine(hooks, **settings).run(CASE, phase=phase))


@dataclass(frozen=True, kw_only=True)
class Coroutine:
    """A hook made of a coroutine function."""

    name: str
    function: Callable[[HookCase], Any]

    async def ask(self, case: HookCase) -> HookReply | Fault:
        return await self.function(case)  # type: ignore[no-any-return]


def test_replies_come_in_the_order_of_registration() -> None:
    async def slow(_: HookCase) -> HookReply:
        await asyncio.sleep(0.05)
        return yes()

    hooks = [
        Registered(hook=Coroutine(name="slow", function=slow), inline=True),
        inline(lambda _: yes(), "quick"),
    ]
    assert [reply.source for reply in run(*hooks)] == ["slow", "quick"]


def test_hooks_are_asked_side_by_side() -> None:
    async def scenario() -> int:
        together = asyncio.Barrier(5)

        async def meet(_: HookCase) -> HookReply:
            await together.wait()
            return yes()

        hooks = [
            Registered(hook=Coroutine(name=f"h{i}", function=meet), inline=True) for i in range(5)
        ]
        replies = await HookEngine(hooks, deadline_seconds=5).run(CASE)
        return sum(isinstance(r, HookReply) for r in replies)

    assert asyncio.run(scenario()) == 5


def test_a_hook_is_asked_in_its_phase_only() -> None:
    hooks = [inline(lambda _: yes(), p.value, phase=p) for p in Phase]
    assert [r.source for r in run(*hooks, phase=Phase.BEFORE)] == ["before", "both"]
    assert [r.source for r in run(*hooks, phase=Phase.AFTER)] == ["after", "both"]


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        True,
        "passed",
        {"passed": True},
        HookReply(source="h", passed=1, message=""),  # type: ignore[arg-type]
        HookReply(source="h", passed="yes", message=""),  # type: ignore[arg-type]
        HookReply(source="h", passed=True, message=None),  # type: ignore[arg-type]
        HookReply(source="h", passed=True, message="", details={"a": "b"}),  # type: ignore[arg-type]
        HookReply(source="h", passed=True, message="", confidence=True),
    ],
)
def test_a_reply_of_the_wrong_type_is_a_fault(wrong: object) -> None:
    (reply,) = run(inline(lambda _: wrong))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.BAD_REPLY


def _raising(error: BaseException) -> Callable[[HookCase], Any]:
    def ask(_: HookCase) -> Any:
        raise error

    return ask


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RuntimeError("boom"), FaultKind.CRASHED),
        (TimeoutError("upstream"), FaultKind.CRASHED),
        (asyncio.CancelledError(), FaultKind.CRASHED),
        (SystemExit(0), FaultKind.CRASHED),
        (ConfigError("no root"), FaultKind.MISCONFIGURED),
    ],
)
def test_an_exception_is_a_fault_and_not_a_pass(error: BaseException, kind: FaultKind) -> None:
    (reply,) = run(inline(_raising(error)))
    assert isinstance(reply, Fault)
    assert reply.kind is kind


def test_a_timeout_the_hook_raised_is_not_blamed_on_the_engine() -> None:
    (reply,) = run(inline(_raising(TimeoutError("upstream"))))
    assert "raised TimeoutError: upstream" in reply.message


def test_a_hook_that_swallows_its_cancellation_does_not_keep_us_waiting() -> None:
    async def scenario() -> HookReply | Fault:
        release = asyncio.Event()

        async def stubborn(_: HookCase) -> HookReply:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return yes()

        hook = Registered(
            hook=Coroutine(name="h", function=stubborn), inline=True, timeout_seconds=0.05
        )
        (reply,) = await HookEngine([hook]).run(CASE)
        release.set()
        await asyncio.sleep(0)
        return reply

    reply = asyncio.run(scenario())
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.TIMEOUT
    assert "its own deadline" in reply.message


def test_the_deadline_of_the_phase_holds_for_hooks_with_a_longer_one() -> None:
    async def forever(_: HookCase) -> HookReply:
        await asyncio.sleep(60)
        return yes()

    hook = Registered(hook=Coroutine(name="h", function=forever), inline=True, timeout_seconds=60)
    (reply,) = run(hook, deadline_seconds=0.05)
    assert reply.kind is FaultKind.TIMEOUT
    assert "deadline of the phase" in reply.message
    gc.collect()


def test_one_hook_that_fails_hides_no_other() -> None:
    hooks = [inline(_raising(RuntimeError("x")), f"bad{i}") for i in range(5)]
    replies = run(*hooks, inline(lambda _: yes(), "good"))
    assert isinstance(replies[-1], HookReply)
    assert replies[-1].passed


def test_three_honest_refusals_do_not_open_the_breaker_of_a_shared_target() -> None:
    no = HookReply(source="h", passed=False, message="no")
    hooks = [inline(lambda _: no, f"h{i}", target="db") for i in range(4)]
    engine = HookEngine(hooks)
    for _ in range(3):
        assert all(isinstance(r, HookReply) for r in asyncio.run(engine.run(CASE)))


def test_an_open_breaker_is_a_fault_that_says_so_and_not_a_pass() -> None:
    down = Fault(source="h", kind=FaultKind.UNREACHABLE)
    asked = []

    def ask(_: HookCase) -> Fault:
        asked.append(1)
        return down

    engine = HookEngine([inline(ask)], breakers=Breakers(BreakerPolicy(threshold=2)))
    kinds = [asyncio.run(engine.run(CASE))[0].kind for _ in range(3)]  # type: ignore[union-attr]
    assert kinds == [FaultKind.UNREACHABLE, FaultKind.UNREACHABLE, FaultKind.BREAKER_OPEN]
    assert len(asked) == 2


def test_an_engine_without_hooks_is_an_error() -> None:
    with pytest.raises(InputError, match="without hooks"):
        HookEngine([])


def test_two_hooks_of_one_name_are_an_error() -> None:
    with pytest.raises(InputError, match="'h'"):
        HookEngine([inline(lambda _: yes()), inline(lambda _: yes())])


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_a_deadline_must_be_above_zero(seconds: float) -> None:
    with pytest.raises(InputError, match="above 0"):
        inline(lambda _: yes(), timeout_seconds=seconds)
    with pytest.raises(InputError, match="above 0"):
        HookEngine([inline(lambda _: yes())], deadline_seconds=seconds)


def test_a_hook_cannot_speak_under_another_name() -> None:
    (reply,) = run(inline(lambda _: yes("the auditor")))
    assert reply.source == "h"


def test_what_was_asked_and_what_was_replied_are_hashed_onto_the_verdict() -> None:
    (first,) = run(inline(lambda _: yes(), version="2"))
    (other_reply,) = run(inline(lambda _: yes(details=(("a", "b"),))))
    engine = HookEngine([inline(lambda _: yes())])
    other_case = HookCase(question=CASE.question, answer="325 m")
    (other_question,) = asyncio.run(engine.run(other_case))
    assert isinstance(other_question, HookReply)
    assert len(first.asked) == len(first.replied) == 64
    assert first.version == "2"
    assert first.asked == other_reply.asked != other_question.asked
    assert first.replied != other_reply.replied


def test_a_reply_is_evidence_that_somebody_measured() -> None:
    (reply,) = run(inline(lambda _: yes(details=(("height", "324 m"),))))
    evidence = reply_evidence(reply)
    assert (evidence.kind, evidence.trust) == (EvidenceKind.HOOK, Trust.MEASURED)
    assert "height: 324 m" in evidence.text
    assert reply.replied[:16] in evidence.origin


def test_nobody_asked_is_nobody_who_said_yes() -> None:
    assert not summarise(()).all_passed
    assert summarise(()).confidence == 0.0


def test_failing_never_raises_the_confidence() -> None:
    passed = HookReply(source="a", passed=True, message="", confidence=0.8)
    refused = HookReply(source="b", passed=False, message="", confidence=1.0, guidance="repair it")
    fault = Fault(source="c", kind=FaultKind.TIMEOUT)
    assert summarise((passed,)).confidence == 0.8
    assert summarise((passed, refused)).confidence < 0.8
    assert summarise((passed, fault)).confidence == 0.0
    assert summarise((refused,)).confidence == 0.0
    assert summarise((passed, refused)).guidance == ("repair it",)


class _Mute(Exception):  # noqa: N818 - an error that cannot say what it is
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    "broken",
    [
        lambda _: Fault(source="h", kind=FaultKind.TIMEOUT, message=None),  # type: ignore[arg-type]
        lambda _: Fault(source="h", kind="passed"),  # type: ignore[arg-type]
        lambda _: Fault(source="h", kind=[]),  # type: ignore[arg-type]
        lambda _: yes(replied="looks fine"),
        lambda _: yes(details=(("a", 1),)),
        _raising(_Mute()),
        _raising(GeneratorExit()),
    ],
)
def test_a_broken_reply_is_a_fault_and_hides_no_other(broken: Callable[[HookCase], Any]) -> None:
    bad, good = run(inline(broken, "bad"), inline(lambda _: yes(), "good"))
    assert isinstance(bad, Fault)
    assert isinstance(bad.kind, FaultKind)
    assert isinstance(good, HookReply)


@pytest.mark.parametrize("seconds", [float("inf"), float("nan")])
def test_a_deadline_that_never_comes_is_an_error(seconds: float) -> None:
    with pytest.raises(InputError):
        inline(lambda _: yes(), timeout_seconds=seconds)
    with pytest.raises(InputError):
        HookEngine([inline(lambda _: yes())], deadline_seconds=seconds)


def test_a_case_too_large_to_hash_asks_nobody() -> None:
    asked = []

    def ask(_: HookCase) -> HookReply:
        asked.append(1)
        return yes()

    async def scenario() -> int:
        with pytest.raises(InputError):
            await HookEngine([inline(ask)]).run(HookCase(question=None, answer="x" * (70 << 20)))
        await asyncio.sleep(0)
        return len(asyncio.all_tasks())

    assert asyncio.run(scenario()) == 1
    assert not asked


@pytest.mark.parametrize("name", ["", " ", "a\x1b[31m", "two\nlines"])
def test_a_name_is_something_that_can_be_shown(name: str) -> None:
    with pytest.raises(InputError, match="a hook needs a name"):
        Registered(hook=FunctionHook(name=name, function=lambda _: yes()))
