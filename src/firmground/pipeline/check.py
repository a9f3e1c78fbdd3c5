"""The flow of a check: the answer is given, nothing is asked of a model that wrote it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from firmground.core.claim import Assessment, Claim, Standing
from firmground.core.decision import Decision
from firmground.core.finding import (
    Agreement,
    CitationFinding,
    Dependence,
    Fault,
    FaultKind,
    Findings,
    Judging,
    ModelUse,
    Resting,
    Support,
    SuspiciousText,
    Verdict,
)
from firmground.core.marking import with_marks
from firmground.core.ports import HookCase, Inquiry
from firmground.core.unmarked import unmarked
from firmground.errors import ModelError
from firmground.pipeline.outcome import Outcome
from firmground.pipeline.record import record_check
from firmground.pipeline.request import Request

AskWorld = Callable[[HookCase], Awaitable[tuple[Verdict | Fault, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What the judge found out about one answer."""

    assessments: tuple[Assessment, ...]
    unread: tuple[str, ...] = ()
    """Ids of evidence in which nothing could be read."""
    suspicious: tuple[SuspiciousText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Consulted:
    """What models said about an answer that was looked at already."""

    assessments: tuple[Assessment, ...]
    dependence: Dependence | Fault | None = None
    agreement: Agreement | Fault | None = None
    judging: Judging | None = None
    models: tuple[ModelUse, ...] = ()
    faults: tuple[Fault, ...] = ()


Consult = Callable[[Inquiry, tuple[Assessment, ...], int | None], Awaitable[Consulted]]
"""(inquiry, what was found without a model, calls that are left) -> what models say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The rooms a check walks through, in order."""

    cut: Callable[[Request], tuple[Claim, ...]]
    """What does the answer assert?"""
    examine: Callable[[Inquiry], Awaitable[Examined]]
    """Where does each claim stand, and what is not what it looks like?"""
    judge: str
    """Recorded in every run; changes whenever the judge could judge otherwise."""
    cite: Callable[[Request, tuple[Assessment, ...]], tuple[CitationFinding, ...]]
    """What became of each citation and quotation?"""
    score: Callable[[Request, tuple[Assessment, ...]], Support]
    """How far does it all stand?"""
    decide: Callable[[Findings], Decision]
    """May it go out?"""
    settings: str
    """Names everything but the request that the outcome depends on."""
    hold: Callable[[Request, tuple[Assessment, ...]], tuple[Assessment, ...]] | None = None
    """Does each claim that names its evidence name some that is there?"""
    rest: Callable[[Request, tuple[Assessment, ...]], tuple[Resting, ...]] | None = None
    """On how many independent sources does each grounded claim rest?"""
    hooks: AskWorld | None = None
    """What does the world say about the answer?"""
    consult: Consult | None = None
    """What do models say about it?"""


async def check(request: Request, parts: Parts) -> Outcome:
    """Find out where every claim of the answer stands, decide, and keep the run."""
    findings = await examine(request, parts)
    decision = parts.decide(findings)
    run = record_check(request, findings, decision, parts.judge)
    return Outcome(request=request, findings=findings, decision=decision, run=run)


async def examine(request: Request, parts: Parts, *, calls_left: int | None = None) -> Findings:
    """Find out where every claim of the answer stands, and judge nothing.

    ``calls_left`` bounds what models may be asked about it. Marks of ours are not judged: each
    claim is judged as it stood before it was marked.
    """
    plain = unmarked(request.answer, request.marks)
    asked = replace(request, answer=plain.text, marks=()) if plain.cuts else request
    claims = parts.cut(asked)
    _require_spans(asked, claims)
    examined, faults = await _examine(asked, claims, parts)
    told = await _consult(asked, claims, examined, parts, calls_left)
    back = tuple(plain.assessment(one) for one in told.assessments)
    marked = with_marks(request.answer, back, request.marks)
    told = replace(told, assessments=parts.hold(request, marked) if parts.hold else marked)
    case = HookCase(
        question=request.question,
        answer=request.answer,
        evidence=request.evidence,
        claims=tuple(plain.claim(claim) for claim in claims),
    )
    return Findings(
        assessments=told.assessments,
        support=parts.score(request, told.assessments),
        resting=parts.rest(request, told.assessments) if parts.rest else (),
        dependence=told.dependence,
        agreement=told.agreement,
        judging=told.judging,
        models=told.models,
        citations=parts.cite(request, told.assessments),
        suspicious=tuple(plain.suspicious(one) for one in examined.suspicious),
        unread=(*examined.unread, *request.unread),
        faults=(*faults, *told.faults),
        hooks=await parts.hooks(case) if parts.hooks else (),
    )


def _require_spans(request: Request, claims: tuple[Claim, ...]) -> None:
    for claim in claims:
        if request.answer[claim.start : claim.end] != claim.text:
            raise ModelError(f"claim [{claim.start}:{claim.end}] is not what the answer says there")


async def _examine(
    request: Request, claims: tuple[Claim, ...], parts: Parts
) -> tuple[Examined, tuple[Fault, ...]]:
    inquiry = Inquiry(
        question=request.question, answer=request.answer, claims=claims, evidence=request.evidence
    )
    try:
        examined = await parts.examine(inquiry)
        _require_answers(request, claims, examined.assessments)
    except ModelError as error:
        fault = Fault(source="judge", kind=FaultKind.BAD_REPLY, message=str(error))
        return Examined(assessments=tuple(_unjudged(c, str(error)) for c in claims)), (fault,)
    return examined, ()


async def _consult(
    request: Request,
    claims: tuple[Claim, ...],
    examined: Examined,
    parts: Parts,
    calls_left: int | None,
) -> Consulted:
    if parts.consult is None:
        return Consulted(assessments=examined.assessments)
    inquiry = Inquiry(
        question=request.question, answer=request.answer, claims=claims, evidence=request.evidence
    )
    told = await parts.consult(inquiry, examined.assessments, calls_left)
    _require_answers(request, claims, told.assessments)
    return told


def _require_answers(
    request: Request, claims: tuple[Claim, ...], assessments: tuple[Assessment, ...]
) -> None:
    """Refuse a judge's reply that speaks of other claims, or of text that is not there."""
    if not isinstance(assessments, tuple | list) or not all(
        isinstance(one, Assessment) for one in assessments
    ):
        raise ModelError(f"the judge did not give assessments, but {type(assessments).__name__}")
    if tuple(a.claim for a in assessments) != claims:
        raise ModelError("the judge did not give one assessment for each claim, in order")
    lengths = {piece.id: len(piece.text) for piece in request.evidence}
    for assessment in assessments:
        for span in assessment.evidence:
            if span.end > lengths.get(span.evidence_id, -1):
                raise ModelError(f"the judge cites {span}, which is not in the evidence")


def _unjudged(claim: Claim, why: str) -> Assessment:
    standing = Standing.UNVERIFIABLE if claim.checkable else Standing.NOT_CHECKABLE
    return Assessment(
        claim=claim,
        standing=standing,
        confidence=1.0,
        support=0.0 if claim.checkable else 1.0,
        reason=f"could not be checked: {why}",
        code="judge_failed",
    )
