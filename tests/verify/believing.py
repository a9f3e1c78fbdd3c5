"""A judge whose scorer believes everything, so that whatever falls was brought down by a check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmground.claims.prose import prose_claims
from firmground.core.claim import Assessment
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.verify.judge import LexicalJudge
from firmground.verify.scorer import Query, Score


@dataclass(frozen=True)
class Believer:
    """A scorer that finds everything supported."""

    name: str = "believer"

    def score(self, queries: Sequence[Query]) -> tuple[Score, ...]:
        return tuple(Score(scorer=self.name, support=1.0) for _ in queries)


def judged(answer: str, *evidence: str | Evidence) -> tuple[Assessment, ...]:
    """What the checks alone make of every claim of an answer."""
    pieces = tuple(e if isinstance(e, Evidence) else Evidence(text=e) for e in evidence)
    asked = Inquiry(question=None, answer=answer, claims=prose_claims(answer), evidence=pieces)
    return LexicalJudge(scorers=(Believer(),)).examine(asked).assessments


def judged_one(claim: str, *evidence: str | Evidence) -> Assessment:
    """The same for an answer of one claim."""
    (one,) = judged(claim, *evidence)
    return one
