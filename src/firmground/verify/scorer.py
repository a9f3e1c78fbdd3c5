"""The interface of scorers: each estimates how likely a claim stands, one function fuses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from firmground.core.claim import CheckNote, Claim
from firmground.errors import InputError
from firmground.verify.checks.case import CheckCase
from firmground.verify.features import ClaimPosition
from firmground.verify.trees import logit, sigmoid


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a scorer looks at: the claim with its chosen passages, and what the checks said."""

    case: CheckCase
    """The claim as its statement alone, with offsets inside the statement."""
    claim: Claim
    """The claim as it stands in the answer."""
    notes: tuple[CheckNote, ...]
    place: ClaimPosition


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What a scorer makes of one claim."""

    scorer: str
    support: float
    """Probability that the claim stands on the passages: 0 does not, 1 does."""
    contradiction: float | None = None
    """Probability that the passages say otherwise; None when the scorer does not estimate it."""
    pieces: tuple[tuple[int, int, float], ...] = ()
    """Pieces of the answer, as (start, end, probability that the piece does not stand)."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.support <= 1.0:  # also refuses NaN
            raise InputError(f"score.support must lie in [0, 1], got {self.support}")


@runtime_checkable
class Scorer(Protocol):
    """Says how likely each claim stands."""

    @property
    def name(self) -> str:
        """Under which its scores are recorded."""
        ...

    def score(self, queries: Sequence[Query]) -> tuple[Score, ...]:
        """Return one score for each query, in order."""
        ...


def fuse(scores: Sequence[Score], weights: Sequence[float] | None = None) -> Score:
    """Join the scores of one claim: the mean of their log-odds; pieces from the first that has any.

    One score is returned unchanged, so that a fused probability is as calibrated as its parts.
    """
    if not scores:
        raise InputError("no scorer gave a score, and silence is not support")
    if len(scores) == 1:
        return scores[0]
    shares = [1.0] * len(scores) if weights is None else list(weights)
    if len(shares) != len(scores) or min(shares) < 0 or sum(shares) <= 0:
        raise InputError(f"need one weight >= 0 for each of {len(scores)} scores, got {weights}")
    told = [score.contradiction for score in scores if score.contradiction is not None]
    return Score(
        scorer="+".join(score.scorer for score in scores),
        support=_mean_odds([score.support for score in scores], shares),
        contradiction=max(told) if told else None,
        pieces=next((score.pieces for score in scores if score.pieces), ()),
    )


def _mean_odds(values: Sequence[float], shares: Sequence[float]) -> float:
    total = sum(share * logit(value) for share, value in zip(shares, values, strict=True))
    return sigmoid(total / sum(shares))
