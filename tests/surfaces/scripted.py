"""Outcomes made by hand, through the real flow and scripted rooms."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from firmground.adapters.document import read_request
from firmground.core.claim import Assessment, Claim, Problem, Standing
from firmground.core.decision import Objection, Step
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import Findings, Support
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.decide import Policy
from firmground.pipeline import (
    BoundJudge,
    CheckOutcome,
    CheckPlan,
    CheckStage,
    CheckState,
    Request,
    check_plan,
)
from firmground.pipeline.check import check
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EveryClaimStands:
    name: ClassVar[str] = "standing"
    about: ClassVar[str] = "any claim that does not stand"
    reads: ClassVar[tuple[str, ...]] = ("assessments", "faults")

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        bad = tuple(n for n, a in enumerate(findings.assessments) if not a.standing.stands)
        if not bad:
            return ()
        reason = f"{len(bad)} claims do not stand"
        unsure = bool(findings.faults)
        return (
            Objection(
                rule=self.name, step=Step.REGENERATE, reason=reason, claims=bad,
                could_not_check=unsure,
            ),
        )  # fmt: skip


POLICY = Policy(name="scripted", rules=(EveryClaimStands(),))


def scripted_plan(
    function: Callable[[Inquiry], tuple[Assessment, ...]] = found_or_not, name: str = "scripted"
) -> CheckPlan:
    """The real stages with a scripted judge, claims cut at full stops, and a fixed score."""
    judge = BoundJudge(judge=FunctionJudge(function=function), name=name)
    plan = check_plan(judge=judge, policy=POLICY)
    own = {"claims": CheckStage("claims", _cut), "score": CheckStage("score", _scored)}
    return replace(plan, stages=tuple(own.get(stage.name, stage) for stage in plan.stages))


def _cut(state: CheckState) -> CheckState:
    return replace(state, claims=by_sentence(state.request))


def _scored(state: CheckState) -> CheckState:
    return state.found(support=Support(score=0.5, profile="p", risk=0.5, coverage=1.0))


PLAN = scripted_plan()


def outcome_of(answer: str, *evidence: str | Evidence, question: str | None = None) -> CheckOutcome:
    pieces = tuple(e if isinstance(e, Evidence) else Evidence(text=e) for e in evidence)
    request = Request(
        answer=answer, evidence=pieces, question=Question(text=question) if question else None
    )
    return asyncio.run(check(request, PLAN))


def work(line: str, number: int) -> dict[str, Any]:
    """Check one row of a batch; a row that says so kills the process that works on it."""
    request = read_request(line, f"line {number}", first_line=number, need_id=True)
    if request.answer == "Die.":
        os._exit(3)
    return asyncio.run(check(request, PLAN)).to_dict()
