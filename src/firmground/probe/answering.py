"""An answer that is given: watched as a whole, claim by claim, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.finding import ClaimDependence, Dependence, Fault, FaultKind
from firmground.core.metering import MeteredModel
from firmground.core.ports import Model
from firmground.core.question import Question
from firmground.probe.arms import ArmKind
from firmground.probe.claimwise import measure_claims
from firmground.probe.measure import SOURCE, measure_free
from firmground.probe.plan import plan_probe
from firmground.probe.profile import DEFAULT, ProbeProfile

WATCHES = ("answer", "claims", "both")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPlan:
    """What watching one answer takes, part by part."""

    answer: ProbeProfile | None
    """None: the answer as a whole is not watched."""
    claims: ProbeProfile | None
    calls: int
    at_most: int
    asked: int = 0
    """How many of the claims the budget allows; the others are left out, and that is said."""
    complete: bool = True
    """False when the budget leaves something out altogether."""


def plan_answer(
    *, watch: str, claims: int, documents: int, profile: ProbeProfile = DEFAULT
) -> AnswerPlan:
    """Plan within the profile's budget.

    What does not fit gives up arms first, the same ones for the answer and every claim; then
    claims, the last ones first; then the answer as a whole.
    """
    whole = watch in ("answer", "both")
    single = claims if watch in ("claims", "both") else 0
    everything = _planned(whole, single, documents, profile)
    if profile.max_calls is None or everything.at_most <= profile.max_calls:
        return everything
    share = profile.max_calls // (whole + single)
    evenly = _planned(whole, single, documents, replace(profile, max_calls=share))
    return evenly if evenly.complete else _some(whole, single, documents, profile)


def _some(whole: bool, claims: int, documents: int, profile: ProbeProfile) -> AnswerPlan:
    """As much as fits with the two arms that are always needed: the answer, then claims."""
    bare = replace(profile, arms=(ArmKind.NONE, ArmKind.FULL))
    one = plan_probe(mode="free", documents=documents, profile=bare)
    each = plan_probe(mode="choice", documents=documents, profile=bare)
    taken = one.at_most if whole and one.fits else 0
    fitting = min(claims, ((profile.max_calls or 0) - taken) // each.at_most)
    return AnswerPlan(
        answer=replace(profile, max_calls=taken) if whole else None,
        claims=replace(profile, max_calls=each.at_most) if claims else None,
        calls=one.calls * bool(taken) + each.calls * fitting,
        at_most=taken + each.at_most * fitting,
        asked=fitting,
        complete=fitting == claims and bool(taken) == whole,
    )


def _planned(whole: bool, claims: int, documents: int, profile: ProbeProfile) -> AnswerPlan:
    one = plan_probe(mode="free", documents=documents, profile=profile)
    each = plan_probe(mode="choice", documents=documents, profile=profile)
    return AnswerPlan(
        answer=profile if whole else None,
        claims=profile if claims else None,
        calls=one.calls * whole + each.calls * claims,
        at_most=one.at_most * whole + each.at_most * claims,
        asked=claims,
        complete=(one.fits or not whole) and (each.fits or not claims),
    )


async def measure_answer(
    model: Model,
    question: Question,
    answer: str,
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    *,
    watch: str = "answer",
    profile: ProbeProfile = DEFAULT,
) -> tuple[Dependence | Fault, tuple[Fault, ...]]:
    """Measure how far a given answer changes without its evidence, and what could not be measured.

    ``watch`` is ``answer`` (drawn again in every arm and compared), ``claims`` (each is asked about
    on its own), or ``both``.
    """
    asker = MeteredModel(model)
    checkable = sum(claim.checkable for claim in claims)
    plan = plan_answer(watch=watch, claims=checkable, documents=len(evidence), profile=profile)
    seen: Dependence | Fault | None = None
    if plan.answer is not None:
        seen = await measure_free(asker, question, evidence, answer=answer, profile=plan.answer)
    if plan.claims is None:
        return seen or _nothing(), ()
    found = await measure_claims(
        asker, question, claims, evidence, profile=plan.claims, most=plan.asked
    )
    told = tuple(one for one in found if isinstance(one, ClaimDependence))
    faults = tuple(
        dict.fromkeys(
            one for one in found if isinstance(one, Fault) and one.kind is not FaultKind.SKIPPED
        )
    )
    if isinstance(seen, Dependence):
        marks = tuple(dict.fromkeys((*seen.prompts, *asker.prompts)))
        return replace(seen, claims=told, calls=asker.calls, prompts=marks), faults
    if not told:
        return seen or next(iter(faults), _nothing()), faults
    return _of_claims(told, asker), faults if seen is None else (seen, *faults)


def _nothing() -> Fault:
    return Fault(source=SOURCE, kind=FaultKind.SKIPPED, message="no claim asserts anything")


def _of_claims(told: tuple[ClaimDependence, ...], asker: MeteredModel) -> Dependence:
    """The claims alone: the one that moves most speaks for the answer."""
    most = max(told, key=lambda one: abs(one.believed_with - one.believed_without))
    return Dependence(
        sensitivity=min(1.0, abs(most.believed_with - most.believed_without)),
        interval=most.interval,
        mode="claims",
        calls=asker.calls,
        believed_with=most.believed_with,
        believed_without=most.believed_without,
        claims=told,
        prompts=asker.prompts,
    )
