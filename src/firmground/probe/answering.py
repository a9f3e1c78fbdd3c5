"""An answer that is given: watched as a whole, claim by claim, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.finding import ClaimDependence, Dependence, Fault, FaultKind
from firmground.core.ports import Model
from firmground.core.question import Question
from firmground.core.tally import Tally
from firmground.probe.claimwise import measure_claims, plan_claims
from firmground.probe.measure import SOURCE, measure_free
from firmground.probe.plan import plan_probe
from firmground.probe.profile import DEFAULT, Profile

WATCHES = ("answer", "claims", "both")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPlan:
    """What watching one answer takes, part by part."""

    answer: Profile | None
    """None: the answer as a whole is not watched."""
    claims: Profile | None
    calls: int
    at_most: int


def plan_answer(
    *, watch: str, claims: int, documents: int, profile: Profile = DEFAULT
) -> AnswerPlan:
    """Plan within the profile's budget; a budget is shared evenly by answer and claims."""
    whole = watch in ("answer", "both")
    single = claims if watch in ("claims", "both") else 0
    free, most = _priced(whole, single, documents, profile)
    if profile.max_calls is not None and most > profile.max_calls:
        profile = replace(profile, max_calls=profile.max_calls // max(1, whole + single))
        free, most = _priced(whole, single, documents, profile)
    return AnswerPlan(
        answer=profile if whole else None,
        claims=profile if single else None,
        calls=free,
        at_most=most,
    )


def _priced(whole: bool, claims: int, documents: int, profile: Profile) -> tuple[int, int]:
    one = plan_probe(mode="free", documents=documents, profile=profile)
    each = plan_probe(mode="choice", documents=documents, profile=profile)
    some = plan_claims(claims=claims, documents=documents, profile=profile)
    answered = whole and one.fits
    told = bool(claims) and each.fits
    return (
        one.calls * answered + some[0] * told,
        one.at_most * answered + some[1] * told,
    )


async def measure_answer(
    model: Model,
    question: Question,
    answer: str,
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    *,
    watch: str = "answer",
    profile: Profile = DEFAULT,
) -> tuple[Dependence | Fault, tuple[Fault, ...]]:
    """How far a given answer moves without its evidence, and what could not be measured.

    ``watch`` is ``answer`` (drawn anew in every arm and compared), ``claims`` (each is asked about
    on its own), or ``both``.
    """
    asker = Tally(model)
    checkable = sum(claim.checkable for claim in claims)
    plan = plan_answer(watch=watch, claims=checkable, documents=len(evidence), profile=profile)
    seen: Dependence | Fault | None = None
    if plan.answer is not None:
        seen = await measure_free(asker, question, evidence, answer=answer, profile=plan.answer)
    if plan.claims is None:
        return seen or _nothing(), ()
    found = await measure_claims(asker, question, claims, evidence, profile=plan.claims)
    told = tuple(one for one in found if isinstance(one, ClaimDependence))
    faults = tuple(
        one for one in found if isinstance(one, Fault) and one.kind is not FaultKind.SKIPPED
    )
    if isinstance(seen, Dependence):
        marks = tuple(dict.fromkeys((*seen.prompts, *asker.prompts)))
        return replace(seen, claims=told, calls=asker.calls, prompts=marks), faults
    if not told:
        return seen or next(iter(faults), _nothing()), faults
    return _of_claims(told, asker), faults if seen is None else (seen, *faults)


def _nothing() -> Fault:
    return Fault(source=SOURCE, kind=FaultKind.SKIPPED, message="no claim asserts anything")


def _of_claims(told: tuple[ClaimDependence, ...], asker: Tally) -> Dependence:
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
