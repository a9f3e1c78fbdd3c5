"""The support of a whole answer: typed score, risk, and how much of it the claims cover."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from firmground.core.claim import Assessment
from firmground.core.coverage import covered
from firmground.core.finding import Support
from firmground.core.hard_fact import CRITICALITY
from firmground.verify.gsar import HARDENED, GSARProfile, partition_of
from firmground.verify.risk import RiskWeights, answer_risk

_DIGITS = 6


def measure_support(
    answer: str,
    assessments: Sequence[Assessment],
    *,
    evidence_ids: Collection[str] | None = None,
    profile: GSARProfile = HARDENED,
    risk_weights: RiskWeights | None = None,
    criticality: Sequence[tuple[str, float]] = CRITICALITY,
) -> Support:
    """Score an assessed answer; ``evidence_ids`` are those that references must resolve to.

    ``risk_weights`` belong to the scorer that spoke; None means the lexical one's.
    """
    coverage = answer_coverage(answer, assessments)
    score = profile.score(
        partition_of(assessments, criticality), coverage=coverage, known=evidence_ids
    )
    return Support(
        score=round(score, _DIGITS),
        profile=profile.name,
        risk=answer_risk(assessments, risk_weights),
        coverage=round(coverage, _DIGITS),
        weights=profile.weights,
    )


def rescored(
    support: Support,
    assessments: Sequence[Assessment],
    profile: GSARProfile,
    *,
    evidence_ids: Collection[str] | None = None,
    criticality: Sequence[tuple[str, float]] = CRITICALITY,
) -> Support:
    """The support of recorded assessments under another profile."""
    partition = partition_of(assessments, criticality)
    score = profile.score(partition, coverage=support.coverage, known=evidence_ids)
    return replace(
        support, score=round(score, _DIGITS), profile=profile.name, weights=profile.weights
    )


def answer_coverage(answer: str, assessments: Sequence[Assessment]) -> float:
    """Share of the answer's letters and digits that lies inside assessed claims."""
    if not any(map(str.isalnum, answer)):
        return 0.0
    return covered(answer, ((one.claim.start, one.claim.end) for one in assessments))
