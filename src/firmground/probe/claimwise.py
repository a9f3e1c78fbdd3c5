"""Claim by claim: does the model hold each statement without the evidence?"""

from __future__ import annotations

from collections.abc import Sequence

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.fence import fence, mark_for
from firmground.core.finding import ClaimDependence, Dependence, Fault, FaultKind
from firmground.core.ports import Model
from firmground.core.question import Question
from firmground.probe.asking import Asked, asked
from firmground.probe.measure import SOURCE, choose
from firmground.probe.plan import plan_probe
from firmground.probe.profile import DEFAULT, Profile

TRUE, FALSE = "true", "false"


def plan_claims(*, claims: int, documents: int, profile: Profile = DEFAULT) -> tuple[int, int]:
    """Calls for so many claims: as planned, and at most."""
    one = plan_probe(mode="choice", documents=documents, profile=profile)
    return claims * one.calls, claims * one.at_most


async def measure_claims(
    model: Model,
    question: Question,
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    *,
    profile: Profile = DEFAULT,
) -> tuple[ClaimDependence | Fault, ...]:
    """One finding for each claim, in order; one claim's failure is no other claim's."""
    found: list[ClaimDependence | Fault] = []
    for position, claim in enumerate(claims):
        if not claim.checkable:
            told = f"claim {position} asserts nothing"
            found.append(Fault(source=SOURCE, kind=FaultKind.SKIPPED, message=told))
            continue
        stated = _statement(question, claim)
        seen = await choose(model, stated, evidence, (TRUE, FALSE), answer=TRUE, profile=profile)
        found.append(seen if isinstance(seen, Fault) else _of_claim(position, seen))
    return tuple(found)


def _statement(question: Question, claim: Claim) -> Asked:
    mark = mark_for([question.text, claim.text, claim.context])
    said = f"{claim.text} (about: {claim.context})" if claim.context else claim.text
    return asked("claim.v1", question=question.text, claim=fence("statement", said, mark))


def _of_claim(position: int, seen: Dependence) -> ClaimDependence:
    return ClaimDependence(
        claim=position,
        believed_with=seen.believed_with,
        believed_without=seen.believed_without,
        interval=seen.interval,
        prior=seen.prior,
        lean=seen.lean,
        per_evidence=seen.per_evidence,
        corroborating=seen.corroborating,
        opposing=seen.opposing,
        trust=seen.trust,
    )
