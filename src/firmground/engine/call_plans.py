"""How many calls asking models about an answer takes, known before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firmground.adapters.llm_judge import worth_asking
from firmground.consensus import Tier, choose_tier, facts_about, plan_check
from firmground.core.claim import Assessment
from firmground.core.ports import Inquiry
from firmground.engine.model_checks import ModelChecks
from firmground.pipeline.check import begun, cut_claims
from firmground.pipeline.request import Request
from firmground.probe import plan_answer


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCalls:
    """Calls for one purpose: when all goes well, and at most."""

    purpose: str
    calls: int
    at_most: int

    def __str__(self) -> str:
        return f"{self.calls} calls planned, at most {self.at_most}"


def plan_consultation(
    checks: ModelChecks,
    inquiry: Inquiry,
    assessments: Sequence[Assessment] = (),
    *,
    calls_left: int | None = None,
) -> tuple[PlannedCalls, ...]:
    """What asking about this answer takes; without assessments, the most it could take.

    What a budget leaves for the later checks is planned as if the earlier ones went well.
    """
    checkable = sum(claim.checkable for claim in inquiry.claims)
    left, made = least(checks.max_calls, calls_left), list[PlannedCalls]()
    if checks.judges:
        asked = len(worth_asking(assessments, checks.may_raise)) if assessments else checkable
        made.append(_within(_plan_judges(checks, asked), left))
        left = None if left is None else left - made[-1].calls
    if checks.prober is not None:
        plan = plan_answer(
            watch=checks.watch,
            claims=checkable,
            documents=len(inquiry.evidence),
            profile=replace(checks.profile, max_calls=least(checks.profile.max_calls, left)),
        )
        made.append(PlannedCalls(purpose="probe", calls=plan.calls, at_most=plan.at_most))
        left = None if left is None else left - plan.calls
    if checks.peers:
        tier = chosen_tier(checks, inquiry, assessments)
        low, high = plan_check(claims=checkable, settings=checks.consensus, tier=tier)
        made.append(_within(PlannedCalls(purpose="consensus", calls=low, at_most=high), left))
    return tuple(made)


def least(*limits: int | None) -> int | None:
    """The tightest of several limits; None when there is none."""
    return min((limit for limit in limits if limit is not None), default=None)


def _within(planned: PlannedCalls, left: int | None) -> PlannedCalls:
    if left is None:
        return planned
    return replace(
        planned, calls=min(planned.calls, left), at_most=min(planned.at_most, max(0, left))
    )


def plan_request(request: Request, checks: ModelChecks | None) -> tuple[PlannedCalls, ...]:
    """The most a whole check could ask of models, known before anything is asked."""
    if checks is None:
        return ()
    return plan_consultation(checks, cut_claims(begun(request)).inquiry)


def _plan_judges(checks: ModelChecks, asked: int) -> PlannedCalls:
    """Every judge in batches, each forgotten claim once more, and the canary."""
    calls = most = 0
    for judge in checks.judges:
        batches = -(-asked // judge.claims_per_call)
        canary = 1 if asked and judge.wants_canary else 0
        calls += batches + canary
        most += batches + canary + (asked if judge.claims_per_call > 1 else 0)
    return PlannedCalls(purpose="judge", calls=calls, at_most=most)


def chosen_tier(checks: ModelChecks, inquiry: Inquiry, assessments: Sequence[Assessment]) -> Tier:
    """How hard to cross-check this answer."""
    if checks.tier not in ("risk", "length"):
        return Tier(checks.tier)
    facts = facts_about(
        inquiry.answer,
        inquiry.claims,
        assessments,
        tool_calls=inquiry.tool_calls,
        penalty=inquiry.penalty,
    )
    return choose_tier(facts, replace(checks.tiers, name=checks.tier))
