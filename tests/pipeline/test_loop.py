"""The loop repairs, stops, and says why."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.core.budget import Budget
from firmground.core.claim import Assessment, Claim, Standing
from firmground.core.decision import Decision, Objection, Step, Verdict
from firmground.core.escalation import Choice, Escalation, Ruling
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings, Spent, Support
from firmground.core.run import MAX_ATTEMPTS, AttemptReason
from firmground.decide import decide
from firmground.decide.rules import BudgetSpent, Faulted, ThinSupport
from firmground.errors import InputError, ModelError
from firmground.pipeline.loop import Attempt, Draft, Judged, LoopPorts, Trajectory, recover

EVIDENCE = (Evidence(text="x"),)
RULES = (ThinSupport(), BudgetSpent(), Faulted())


CLAIM = Assessment(
    claim=Claim(text="a", start=0, end=1),
    standing=Standing.UNGROUNDED,
    confidence=1.0,
    support=0.0,
    reason="",
)


def findings(score: float) -> Findings:
    support = Support(score=score, profile="p", risk=1 - score, coverage=1.0)
    return Findings(assessments=(CLAIM,), support=support)


def decided(found: Findings) -> Decision:
    return decide(found, RULES)


def run(
    scores: list[float],
    *,
    budget: Budget | None = None,
    broken_after: int | None = None,
    clock: list[float] | None = None,
) -> Trajectory:
    """Walk the loop with a judge that gives these scores in turn, the last one for ever."""
    given_scores = iter(scores)
    last = [scores[0]]
    made = [0]
    times = iter(clock or [])

    async def examine(draft: Draft, spent: Spent) -> Judged:
        last[0] = next(given_scores, last[0])
        found = findings(last[0])
        return Judged(findings=found, decision=decided(found))

    async def repair(one: Attempt) -> Draft:
        made[0] += 1
        if broken_after is not None and made[0] > broken_after:
            raise ModelError("the endpoint is gone")
        return replace(one.draft, answer=f"answer {made[0]}", model_calls=1, tokens=10)

    means = LoopPorts(
        examine=examine,
        decide=decided,
        regenerate=repair,
        replan=repair,
        budget=budget or Budget(),
        clock=lambda: next(times, 0.0),
    )
    return asyncio.run(recover(Draft(answer="answer 0", evidence=EVIDENCE), means))


def test_an_answer_that_stands_is_not_repaired() -> None:
    result = run([0.9])
    assert [t.kind for t in result.tries] == [AttemptReason.FIRST]
    assert result.decision.step is Step.PROCEED


def test_loose_wording_is_written_anew_and_missing_evidence_looked_for() -> None:
    result = run([0.7, 0.5, 0.95])
    assert [t.kind for t in result.tries] == [
        AttemptReason.FIRST,
        AttemptReason.REGENERATE,
        AttemptReason.REPLAN,
    ]
    assert (result.spent.regenerations, result.spent.replans) == (1, 1)
    assert result.decision.step is Step.PROCEED
    assert not result.degraded


def test_running_out_is_an_objection_and_the_best_try_comes_back() -> None:
    result = run([0.5, 0.64, 0.3], budget=Budget(replans=2))
    assert result.degraded
    assert result.spent.exhausted == ("replans",)
    assert result.tries[result.best].score == 0.64
    assert "budget_spent" in {o.rule for o in result.decision.objections}


def test_regenerations_have_a_budget_of_their_own() -> None:
    result = run([0.7], budget=Budget(regenerations=3, replans=0))
    assert result.spent.regenerations == 3
    assert result.spent.exhausted == ("regenerations",)


def test_no_replans_means_none() -> None:
    result = run([0.1], budget=Budget(replans=0))
    assert len(result.tries) == 1
    assert result.spent.exhausted == ("replans",)


@pytest.mark.parametrize(
    ("budget", "name"),
    [
        (Budget(model_calls=1, regenerations=9), "model_calls"),
        (Budget(tokens=10, regenerations=9), "tokens"),
    ],
)
def test_calls_and_tokens_run_out_by_name(budget: Budget, name: str) -> None:
    result = run([0.7], budget=budget)
    assert result.spent.exhausted == (name,)
    assert result.spent.regenerations == 1


def test_time_runs_out_too() -> None:
    ticks = [0.0, 1.0, 2.0, 9.0, 9.0, 9.0, 9.0]
    assert run([0.7], budget=Budget(seconds=5), clock=ticks).spent.exhausted == ("seconds",)


def test_a_model_that_fails_ends_the_loop_and_keeps_what_was_there() -> None:
    result = run([0.7, 0.7], broken_after=1)
    assert len(result.tries) == 2
    assert [f.source for f in result.findings.faults] == ["model"]
    assert result.decision.step is Step.ABSTAIN


def test_a_judge_that_could_not_look_does_not_send_the_loop_searching() -> None:
    objection = Objection(rule="r", step=Step.REPLAN, reason="unasked", could_not_check=True)
    unasked = Decision(
        step=Step.REPLAN,
        verdict=Verdict.COULD_NOT_TELL,
        objections=(objection,),
        policy="p",
        policy_digest="",
    )

    async def examine(draft: Draft, spent: Spent) -> Judged:
        return Judged(findings=Findings(), decision=unasked)

    async def repair(one: Attempt) -> Draft:
        raise AssertionError("nothing may be spent")

    means = LoopPorts(examine=examine, decide=lambda f: unasked, replan=repair, clock=lambda: 0.0)
    result = asyncio.run(recover(Draft(answer="a", evidence=EVIDENCE), means))
    assert len(result.tries) == 1
    assert not result.degraded


def test_a_later_worse_try_never_replaces_a_better_one() -> None:
    result = run([0.79, 0.66, 0.66], budget=Budget(regenerations=2))
    assert result.best == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.integers(0, 4), st.integers(0, 4))
def test_the_loop_ends_within_its_budget_and_returns_its_best(
    scores: list[float], regenerations: int, replans: int
) -> None:
    result = run(scores, budget=Budget(regenerations=regenerations, replans=replans))
    kinds = [t.kind for t in result.tries]
    assert kinds.count(AttemptReason.REGENERATE) == result.spent.regenerations <= regenerations
    assert kinds.count(AttemptReason.REPLAN) == result.spent.replans <= replans
    best = result.tries[result.best]
    assert all(best.judged.decision.step <= t.judged.decision.step for t in result.tries)
    assert (result.decision.step is Step.PROCEED) == (best.score >= 0.8)
    assert result.degraded == (best.score < 0.8)


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(InputError, match="replans"):
        Budget(replans=-1)
    with pytest.raises(InputError, match="seconds"):
        Budget(seconds=float("nan"))


def test_the_time_a_person_takes_is_not_the_budgets() -> None:
    now = [0.0]

    async def examine(draft: Draft, spent: Spent) -> Judged:
        found = findings(0.9 if draft.answer == "again" else 0.7)
        return Judged(findings=found, decision=decided(found))

    async def repair(one: Attempt) -> Draft:
        return replace(one.draft, answer="again")

    async def slowly(case: Escalation) -> Ruling:
        now[0] += 1000.0
        return Ruling(choice=Choice.RETRY)

    means = LoopPorts(
        examine=examine,
        decide=decided,
        regenerate=repair,
        budget=Budget(seconds=60, regenerations=0),
        clock=lambda: now[0],
        for_a_person=lambda decision: decision.objections,
        escalate=slowly,
    )
    result = asyncio.run(recover(Draft(answer="a", evidence=EVIDENCE), means))
    assert result.decision.step is Step.PROCEED
    assert result.spent.seconds == 0.0


def test_no_budget_buys_more_attempts_than_a_run_can_hold() -> None:
    endless = Budget(regenerations=500, replans=500, model_calls=5000, tokens=10**9)
    seen = run([0.7], budget=endless)
    assert len(seen.tries) == MAX_ATTEMPTS
    assert seen.spent.exhausted == ("attempts",)
    assert seen.degraded


def test_a_rewrite_that_takes_its_turns_is_waited_for() -> None:
    scores = iter([0.7, 0.9])

    async def examine(draft: Draft, spent: Spent) -> Judged:
        await asyncio.sleep(0)
        found = findings(next(scores))
        return Judged(findings=found, decision=decided(found))

    async def repair(one: Attempt) -> Draft:
        for _ in range(5):
            await asyncio.sleep(0)
        return replace(one.draft, answer="better")

    means = LoopPorts(examine=examine, decide=decided, regenerate=repair, clock=lambda: 0.0)
    seen = asyncio.run(recover(Draft(answer="a", evidence=EVIDENCE), means))
    assert seen.tries[seen.best].draft.answer == "better"
    assert not seen.degraded
