"""The loop decides and counts as GSAR's Algorithm 1 does, wherever that algorithm ends by itself."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from firmground.core.budget import Budget
from firmground.core.claim import Assessment, Claim, EvidenceType, Standing
from firmground.core.decision import Step
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import Findings, Spent, Support
from firmground.decide import decide
from firmground.decide.rules import BudgetSpent, ThinSupport
from firmground.pipeline.loop import Attempt, Draft, Judged, LoopPorts, Trajectory, recover
from firmground.verify.gsar import REFERENCE, gsar_decide, gsar_score, partition_of

Script = tuple[tuple[Standing, EvidenceType], ...]
"""One judged report: where each claim stands, and on what."""
EVIDENCE = (Evidence(text="x", id="e"),)
RULES = (ThinSupport(), BudgetSpent())


@dataclass(frozen=True)
class Reference:
    """What the published loop says of a script of judgements."""

    decisions: tuple[Step, ...]
    replans: int
    regenerations: int
    degraded: bool
    stopped_hard: bool


def assessments(script: Script) -> tuple[Assessment, ...]:
    return tuple(
        Assessment(
            claim=Claim(text=f"claim {at}", start=8 * at, end=8 * at + 7),
            standing=standing,
            confidence=1.0,
            support=1.0,
            reason="",
            evidence_type=kind,
            evidence=(EvidenceSpan(evidence_id="e", start=0, end=1),),
        )
        for at, (standing, kind) in enumerate(script)
    )


def score(script: Script) -> float:
    return gsar_score(partition_of(assessments(script)))


def algorithm_one(scripts: list[Script], *, most_replans: int) -> Reference:
    """Judge, score, decide; replan up to a limit, regenerate without one, stop hard at limit + 8."""
    reports = iter(scripts)
    last = next(reports)
    decisions = [gsar_decide(score(last))]
    replans = regenerations = 0
    while decisions[-1] is not Step.PROCEED:
        if decisions[-1] is Step.REPLAN:
            if replans >= most_replans:
                return Reference(tuple(decisions), replans, regenerations, True, False)
            replans += 1
        else:
            regenerations += 1
        last = next(reports, last)
        decisions.append(gsar_decide(score(last)))
        if len(decisions) > most_replans + 8:
            return Reference(tuple(decisions), replans, regenerations, False, True)
    return Reference(tuple(decisions), replans, regenerations, False, False)


def ours(scripts: list[Script], *, budget: Budget) -> Trajectory:
    """The same judgements through our loop, under the reference profile."""
    reports = iter(scripts)
    last = [scripts[0]]

    async def examine(draft: Draft, spent: Spent) -> Judged:
        last[0] = next(reports, last[0])
        found = assessments(last[0])
        value = REFERENCE.score(partition_of(found))
        support = Support(score=value, profile="reference", risk=0.0, coverage=1.0)
        findings = Findings(assessments=found, support=support, spent=spent)
        return Judged(findings=findings, decision=decide(findings, RULES))

    async def repair(one: Attempt) -> Draft:
        return replace(one.draft, answer=one.draft.answer + "'")

    means = LoopPorts(
        examine=examine,
        decide=lambda found: decide(found, RULES),
        regenerate=repair,
        replan=repair,
        budget=budget,
        clock=lambda: 0.0,
    )
    return asyncio.run(recover(Draft(answer="report", evidence=EVIDENCE), means))


_claims = st.tuples(
    st.sampled_from(
        [Standing.GROUNDED, Standing.UNGROUNDED, Standing.CONTRADICTED, Standing.COMPLEMENTARY]
    ),
    st.sampled_from(list(EvidenceType)),
)
_scripts = st.lists(st.lists(_claims, min_size=1, max_size=5).map(tuple), min_size=1, max_size=7)
_TOOL = EvidenceType.TOOL_MATCH
_STANDS = ((Standing.GROUNDED, _TOOL),)
_LOOSE = (*_STANDS * 3, (Standing.UNGROUNDED, _TOOL))
_FALLS = ((Standing.UNGROUNDED, _TOOL),)


@settings(deadline=None)
@given(_scripts, st.integers(0, 4))
@example([_FALLS, _LOOSE, _STANDS], 2)
@example([_FALLS], 2)
@example([_LOOSE, _LOOSE, _FALLS, _STANDS], 0)
def test_decisions_and_counters_are_those_of_the_published_loop(
    scripts: list[Script], most_replans: int
) -> None:
    reference = algorithm_one(scripts, most_replans=most_replans)
    if reference.stopped_hard:
        return  # the published loop has no answer there; see the next test
    result = ours(scripts, budget=Budget(replans=most_replans, regenerations=most_replans + 8))
    assert tuple(one.judged.decision.step for one in result.tries) == reference.decisions
    assert result.spent.replans == reference.replans
    assert result.spent.regenerations == reference.regenerations
    assert result.degraded == reference.degraded
    if reference.decisions[-1] is Step.PROCEED:
        assert result.decision.step is Step.PROCEED


def test_where_the_published_loop_stops_hard_ours_says_that_it_ran_out() -> None:
    for most_replans, regenerations in ((0, 8), (2, 10), (5, 13)):
        reference = algorithm_one([_LOOSE], most_replans=most_replans)
        assert reference.stopped_hard
        assert reference.regenerations == regenerations
        assert not reference.degraded
        result = ours([_LOOSE], budget=Budget(replans=most_replans, regenerations=2))
        assert result.spent.regenerations == 2
        assert result.degraded
        assert "budget_spent" in {o.rule for o in result.decision.objections}
