"""Outcomes made by hand, through the real flow and scripted rooms."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable
from typing import Any

from firmground.adapters.document import read_request
from firmground.core.claim import Assessment, Claim, Problem, Standing
from firmground.core.decision import Decision, Objection, Step
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import Findings, Support
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.pipeline import Examined, Outcome, Parts, Request, check
from firmground.testing import FunctionJudge


def by_sentence(request: Request) -> tuple[Claim, ...]:
    return tuple(
        Claim(text=m.group(), start=m.start(), end=m.end())
        for m in re.finditer(r"[^.\s][^.]*\.", request.answer)
    )


def found_or_not(inquiry: Inquiry) -> tuple[Assessment, ...]:
    """Grounded when evidence holds the sentence, contradicted when it holds a word of it."""
    return tuple(_judged(claim, inquiry.evidence) for claim in inquiry.claims)


def _judged(claim: Claim, evidence: tuple[Evidence, ...]) -> Assessment:
    for piece in evidence:
        at = piece.text.find(claim.text)
        if at >= 0:
            span = EvidenceSpan(evidence_id=piece.id, start=at, end=at + len(claim.text))
            return Assessment(
                claim=claim, standing=Standing.GROUNDED, confidence=0.9, support=0.95,
                reason="the source says so", evidence=(span,),
            )  # fmt: skip
    word = claim.text.split()[0]
    last = claim.end - 1
    problem = Problem(start=max(claim.start, last - 6), end=last, standing=Standing.CONTRADICTED)
    for piece in evidence:
        at = piece.text.find(word)
        if at >= 0:
            span = EvidenceSpan(evidence_id=piece.id, start=at, end=at + len(word))
            return Assessment(
                claim=claim, standing=Standing.CONTRADICTED, confidence=0.8, support=0.05,
                reason="says one thing, source says another", evidence=(span,), problems=(problem,),
            )  # fmt: skip
    return Assessment(
        claim=claim, standing=Standing.UNGROUNDED, confidence=0.7, support=0.1,
        reason="the evidence is silent",
    )  # fmt: skip


def harshly(findings: Findings) -> Decision:
    bad = tuple(n for n, a in enumerate(findings.assessments) if not a.standing.stands)
    unsure = bool(findings.faults)
    objections = (
        Objection(
            rule="standing", step=Step.REGENERATE, reason=f"{len(bad)} claims do not stand",
            claims=bad, could_not_check=unsure,
        ),
    ) if bad else ()  # fmt: skip
    step = Step.REGENERATE if bad else Step.PROCEED
    return Decision(step=step, objections=objections, policy="scripted", policy_digest="0" * 64)


def examiner(
    function: Callable[[Inquiry], tuple[Assessment, ...]],
) -> Callable[[Inquiry], Awaitable[Examined]]:
    async def examine(inquiry: Inquiry) -> Examined:
        judge = FunctionJudge(function=function)
        return Examined(assessments=await judge.assess(inquiry))

    return examine


PARTS = Parts(
    cut=by_sentence,
    examine=examiner(found_or_not),
    judge="scripted",
    cite=lambda request, claims: (),
    score=lambda request, assessments: Support(score=0.5, profile="p", risk=0.5, coverage=1.0),
    decide=harshly,
    settings="scripted",
)


def outcome_of(answer: str, *evidence: str | Evidence, question: str | None = None) -> Outcome:
    pieces = tuple(e if isinstance(e, Evidence) else Evidence(text=e) for e in evidence)
    request = Request(
        answer=answer, evidence=pieces, question=Question(text=question) if question else None
    )
    return asyncio.run(check(request, PARTS))


def work(line: str, number: int) -> dict[str, Any]:
    """Check one row of a batch; a row that says so kills the process that works on it."""
    request = read_request(line, f"line {number}", first_line=number, need_id=True)
    if request.answer == "Die.":
        os._exit(3)
    return asyncio.run(check(request, PARTS)).to_dict()
