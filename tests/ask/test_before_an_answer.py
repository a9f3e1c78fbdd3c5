"""What stands in the way of an answer is decided before one is asked for, and within the time."""

from __future__ import annotations

import asyncio

import pytest

from firmground.compat.pipeline import Pipeline
from firmground.core.budget import Budget
from firmground.core.decision import Step
from firmground.core.escalation import Choice, Escalation, Ruling
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase, ModelReply, ModelRequest
from firmground.core.question import Question
from firmground.engine.model_checks import model_checks
from firmground.errors import ConfigError, ModelError
from firmground.hooks import HookEngine, Phase, Registered
from firmground.testing import FunctionHook, FunctionModel

SOURCE = "The company employs 310 people in Bergen."
GOAL = Question(text="How many people does Northwind employ?", role="HR analyst")
INCIDENT = (
    "You are an SRE engineer responding to a production incident. Imagine you are on call: "
    "P99 latency spiked from 50ms to 2000ms and users are reporting errors."
)
FITS = '{"role_violation": 0.0, "behavioral_anomaly": 0.0}'


class Slow:
    """Replies after so many turns of the event loop, or never."""

    def __init__(self, text: str, turns: int | None = 5) -> None:
        self.text, self.turns, self.calls = text, turns, 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.calls += 1
        if self.turns is None:
            await asyncio.Event().wait()
        for _ in range(self.turns or 0):
            await asyncio.sleep(0)
        return ModelReply(texts=(self.text,), model="slow")


def never(request: ModelRequest) -> str:
    raise AssertionError("nothing may be asked")


def world(*, passed: bool, seen: list[HookCase]) -> HookEngine:
    def reply(case: HookCase) -> HookReply | Fault:
        seen.append(case)
        return HookReply(source="office", passed=passed, message="closed today")

    hook = FunctionHook(name="office", function=reply)
    return HookEngine([Registered(hook=hook, phase=Phase.BEFORE, inline=True)])


def test_a_hook_that_says_no_beforehand_spares_the_model() -> None:
    seen: list[HookCase] = []
    asked = Pipeline(
        model=FunctionModel(function=never),
        evidence=SOURCE,
        hooks=world(passed=False, seen=seen),
    ).ask(GOAL.text)
    assert [case.answer for case in seen] == [None]
    assert asked.answer is None
    assert {o.rule for o in asked.decision.objections} == {"hooks"}
    assert asked.escalation is not None
    assert asked.escalation.choices == (Choice.RETRY, Choice.AMEND, Choice.ABORT)


def test_a_hook_that_says_yes_beforehand_is_kept_with_the_findings() -> None:
    seen: list[HookCase] = []
    asked = Pipeline(model=Slow(SOURCE), evidence=SOURCE, hooks=world(passed=True, seen=seen)).ask(
        GOAL.text
    )
    assert asked.answer == SOURCE
    assert [reply.source for reply in asked.findings.hooks] == ["office"]


def test_what_the_policy_does_not_leave_to_a_person_is_put_to_nobody() -> None:
    cases: list[Escalation] = []
    asked = Pipeline(
        model=FunctionModel(function=never), evidence=SOURCE, escalate=cases.append
    ).ask(INCIDENT)
    assert asked.rejected
    assert cases == []
    assert asked.escalated == ()
    assert asked.label == asked.decision.step.label


def test_a_question_a_person_amends_is_the_one_that_is_asked_and_answered() -> None:
    sent: list[str] = []

    def reply(request: ModelRequest) -> str:
        sent.append(request.messages[-1][1])
        if len(sent) == 1:
            raise ModelError("connection refused")
        return SOURCE

    def ruled(case: Escalation) -> Ruling:
        return Ruling(choice=Choice.AMEND, prompt="How many people work in Bergen?")

    asked = Pipeline(model=FunctionModel(function=reply), evidence=SOURCE, escalate=ruled).ask(
        GOAL.text
    )
    assert asked.question.text == "How many people work in Bergen?"
    assert "How many people work in Bergen?" in sent[1]
    assert GOAL.text not in sent[1]
    assert asked.answer == SOURCE


def test_a_role_check_that_takes_its_turns_is_waited_for() -> None:
    asked = Pipeline(model=Slow(SOURCE), evidence=SOURCE, role_model=Slow(FITS)).ask(GOAL)
    assert asked.findings.faults == ()
    assert asked.answer == SOURCE


def test_a_role_check_that_never_ends_is_cut_off_and_said_even_without_an_answer() -> None:
    writer = Slow(SOURCE)
    asked = Pipeline(
        model=writer,
        evidence=SOURCE,
        role_model=Slow(FITS, turns=None),
        budget=Budget(seconds=0.2),
    ).ask(GOAL)
    found = {fault.source: fault.kind for fault in asked.findings.faults}
    assert found == {"role_check": FaultKind.TIMEOUT, "model": FaultKind.TIMEOUT}
    assert asked.answer is None
    assert asked.findings.spent.exhausted == ("seconds",)


def test_a_first_call_that_never_ends_is_cut_off_by_the_budget_of_seconds() -> None:
    asked = Pipeline(
        model=Slow(SOURCE, turns=None), evidence=SOURCE, budget=Budget(seconds=0.2)
    ).ask(GOAL.text)
    assert asked.answer is None
    assert asked.decision.step is Step.ABSTAIN
    assert asked.findings.spent.exhausted == ("seconds",)
    assert asked.escalation is not None
    assert asked.escalation.choices == (Choice.ABORT,)


@pytest.mark.parametrize("stuck", ["search", "rewrite"])
def test_time_runs_out_in_a_search_and_in_a_rewrite_as_well(stuck: str) -> None:
    class Search:
        async def retrieve(self, question: Question) -> tuple[Evidence, ...]:
            if stuck == "search":
                await asyncio.Event().wait()
            return (Evidence(text=SOURCE),)

    class Writer:
        calls = 0

        async def complete(self, request: ModelRequest) -> ModelReply:
            self.calls += 1
            if self.calls > 1:
                await asyncio.Event().wait()
            return ModelReply(texts=("Its soup won a prize in Rome.",), model="m")

    asked = Pipeline(
        model=Writer(), retriever=Search(), judge="lexical", patch=False, budget=Budget(seconds=2)
    ).ask(GOAL.text)
    assert asked.answer is None
    assert asked.findings.spent.exhausted == ("seconds",)


def test_a_budget_that_allows_no_call_is_a_limit_and_not_a_crash() -> None:
    asked = Pipeline(
        model=FunctionModel(function=never), evidence=SOURCE, budget=Budget(model_calls=0)
    ).ask(GOAL.text)
    assert [fault.kind for fault in asked.findings.faults] == [FaultKind.LIMIT]
    assert asked.findings.spent.model_calls == 0


def test_why_the_model_failed_is_what_the_model_said() -> None:
    def reply(request: ModelRequest) -> str:
        raise ModelError("come back later", kind="limit")

    asked = Pipeline(model=FunctionModel(function=reply), evidence=SOURCE).ask(GOAL.text)
    (fault,) = asked.findings.faults
    assert (fault.kind, fault.message) == (FaultKind.LIMIT, "come back later")


def test_a_rewrite_is_told_what_fell_and_not_what_stands() -> None:
    sent: list[str] = []

    def reply(request: ModelRequest) -> str:
        sent.append(request.messages[-1][1])
        return f"{SOURCE} Its soup won a prize in Rome."

    pipeline = Pipeline(
        model=FunctionModel(function=reply),
        evidence=(text for text in (SOURCE, "Nobody was hurt.")),
        judge="lexical",
        patch=False,
        spans=False,
        budget=Budget(regenerations=1),
    )
    pipeline.ask(GOAL.text)
    told = sent[1].replace(SOURCE, "SOURCE", 1)
    assert "'Its soup won a prize in Rome.' is ungrounded" in told
    assert "is grounded" not in told


def test_what_a_hook_advises_is_told_to_the_model_and_silence_is_not() -> None:
    sent: list[str] = []

    def reply(request: ModelRequest) -> str:
        sent.append(request.messages[-1][1])
        return SOURCE

    def registered(name: str, advice: str) -> Registered:
        no = HookReply(source=name, passed=False, message="not so", guidance=advice)
        hook = FunctionHook(name=name, function=lambda case: no)
        return Registered(hook=hook, inline=True)

    Pipeline(
        model=FunctionModel(function=reply),
        evidence=SOURCE,
        hooks=HookEngine([registered("books", "name the year"), registered("mute", "")]),
        patch=False,
        spans=False,
        budget=Budget(regenerations=1),
    ).ask(GOAL.text)
    assert "books advises: name the year" in sent[1]
    assert "mute advises" not in sent[1]


def test_nothing_wanted_of_models_is_nothing_and_a_mistyped_wish_is_an_error() -> None:
    writer = FunctionModel(function=never)
    assert model_checks([("m", writer)]) is None
    with pytest.raises(ConfigError, match="probe: 'anwser' is unknown"):
        model_checks([("m", writer)], probe="anwser")
    with pytest.raises(ConfigError, match="consensus: 'hard' is unknown"):
        model_checks([("m", writer)], consensus="hard")
