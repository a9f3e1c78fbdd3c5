"""Measures claim by claim whether the model holds each statement without the evidence."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.fence import fence, mark_for
from firmground.core.finding import ClaimDependence, Dependence, Fault, FaultKind
from firmground.core.ports import Model
from firmground.core.question import Question
from firmground.probe.asking import PromptText, asked
from firmground.probe.measure import SOURCE, choose
from firmground.probe.profile import DEFAULT, ProbeProfile

TRUE, FALSE = "true", "false"


async def measure_claims(
    model: Model,
    question: Question,
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    *,
    profile: ProbeProfile = DEFAULT,
    most: int | None = None,
) -> tuple[ClaimDependence | Fault, ...]:
    """One finding for each claim, in order; a failure of one claim does not affect the others.

    ``most`` bounds how many claims are asked about; the others are faults of the kind limit.
    """
    found: list[ClaimDependence | Fault] = []
    left = len(claims) if most is None else most
    checkable = sum(claim.checkable for claim in claims)
    for position, claim in enumerate(claims):
        if not claim.checkable:
            told = f"claim {position} asserts nothing"
            found.append(Fault(source=SOURCE, kind=FaultKind.SKIPPED, message=told))
            continue
        if left < 1:
            told = f"the budget of calls allows {most} of {checkable} claims"
            found.append(Fault(source=SOURCE, kind=FaultKind.LIMIT, message=told))
            continue
        left -= 1
        stated = _statement(question, claim)
        seen = await choose(model, stated, evidence, (TRUE, FALSE), answer=TRUE, profile=profile)
        found.append(seen if isinstance(seen, Fault) else _of_claim(position, seen))
    return tuple(found)


def _statement(question: Question, claim: Claim) -> PromptText:
    mark = mark_for([question.text, claim.statement, claim.context])
    said = f"{claim.statement} (about: {claim.context})" if claim.context else claim.statement
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
