"""Answers that name their evidence by pointers: what they point to must be there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from firmground.claims import (
    ClaimStatus,
    LatticeVerdict,
    build_evidence_map,
    verify_json_answer,
)
from firmground.claims.jsonclaims import read_claims
from firmground.claims.prose import is_refusal
from firmground.claims.sources import QuoteSources
from firmground.core.claim import Assessment, ClaimKind, Problem, Standing
from firmground.core.finding import CitationFinding, CitationStatus
from firmground.pipeline.request import Mode, Request
from firmground.verify.resolve import VETOED_CAP

CODE, MISSING = "pointer_unresolved", "pointer_missing"
_POINTER = re.compile(r"E?\d{1,6}|E[0-9a-f]{8,64}", re.IGNORECASE)


def held_to_pointers(request: Request, found: tuple[Assessment, ...]) -> tuple[Assessment, ...]:
    """The same assessments; a claim that points to nothing, or to what is not there, falls.

    A line that declines or says what the evidence does not mention needs no pointer.
    """
    quote_sources = QuoteSources(request.evidence)
    asked = request.question.text if request.question else ""
    handed_out = build_evidence_map(request.evidence, asked)

    def lost(label: str) -> bool:
        if request.mode is Mode.POINTER and not _POINTER.fullmatch(label):
            return False  # brackets in prose hold other things than pointers, too
        return quote_sources.resolve(label) is None and handed_out.resolve(label) is None

    made = []
    for one in found:
        nowhere = [label for label in one.claim.cited if lost(label)]
        if not (one.standing.stands and one.claim.checkable):
            made.append(one)
        elif nowhere:
            told = f"points to {_listed(nowhere)}, and {_there_is(len(request.evidence))}"
            made.append(_fallen(one, CODE, told))
        elif not one.claim.cited and _must_point(one):
            made.append(_fallen(one, MISSING, "names no piece of the evidence"))
        else:
            made.append(one)
    return tuple(made)


def _must_point(one: Assessment) -> bool:
    pointing = one.claim.kind in (ClaimKind.POINTER, ClaimKind.JSON)
    silent = one.code.startswith("silence_") or is_refusal(one.claim.text)
    return pointing and not silent


def _fallen(one: Assessment, code: str, reason: str) -> Assessment:
    support = min(one.support, VETOED_CAP)
    claim = one.claim
    return replace(
        one,
        standing=Standing.UNGROUNDED,
        support=support,
        confidence=round(1.0 - support, 6),
        reason=reason,
        code=code,
        evidence=(),
        problems=(Problem(start=claim.start, end=claim.end, standing=Standing.UNGROUNDED),),
    )


def _there_is(pieces: int) -> str:
    return "the only evidence is E1" if pieces == 1 else f"the evidence is E1 to E{pieces}"


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(labels)[:120]


def json_citations(request: Request) -> tuple[CitationFinding, ...]:
    """In JSON the quote marks are syntax; what can be wrong is where a claim points."""
    asked = request.question.text if request.question else ""
    if not read_claims(request.answer).parsed:
        return (_no_json(request.answer),)
    return tuple(_bad_pointers(verify_json_answer(request.answer, request.evidence, asked)))


def _no_json(answer: str) -> CitationFinding:
    return CitationFinding(
        start=0,
        end=len(answer),
        status=CitationStatus.UNRESOLVED,
        reason="the answer is not JSON: no list of claims could be read in it",
    )


def _bad_pointers(verdict: LatticeVerdict) -> list[CitationFinding]:
    return [
        CitationFinding(
            start=one.claim.start, end=one.claim.end, status=_BAD[one.status][0],
            reason=_BAD[one.status][1].format(_listed(one.claim.pointers)),
        )
        for one in verdict.claims
        if one.status in _BAD
    ]  # fmt: skip


_BAD = {
    ClaimStatus.UNKNOWN_EVIDENCE_ID: (
        CitationStatus.UNRESOLVED,
        "it points to {}, and no evidence goes by that name",
    ),
    ClaimStatus.CITATION_MISMATCH: (
        CitationStatus.MISATTRIBUTED,
        "it points to {}, which does not support it",
    ),
}
