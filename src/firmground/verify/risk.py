"""Answer-level risk: the probability that at least one claim does not stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import log, log1p
from typing import Any

from firmground.core.claim import Assessment, Standing
from firmground.core.segment import words
from firmground.verify.lexical import raw_weights
from firmground.verify.trees import logit, sigmoid

RISK_FEATURES = 8
"""How many figures sum up the claims of an answer."""
_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskWeights:
    """How an answer's claims add up to its risk, as fitted for one scorer."""

    coefficients: tuple[float, ...]
    intercept: float
    flag_from: float
    """The risk at which training found the best balance of precision and recall."""


def risk_features(
    fails: Sequence[float], vetoed: Sequence[bool], contrary: Sequence[bool]
) -> list[float]:
    """Sum up the claims of one answer: the worst, the next, the crowd, and the vetoes."""
    ranked = sorted(fails, reverse=True)
    odds = [logit(p) for p in ranked] or [logit(0.0)]
    none_fails = sum(log(max(1.0 - p, 1e-6)) for p in ranked)
    return [
        odds[0],
        odds[1] if len(odds) > 1 else -6.0,
        odds[2] if len(odds) > 2 else -6.0,
        sum(odds) / len(odds),
        logit(1.0 - 2.718281828459045**none_fails),
        log1p(len(ranked)),
        log1p(sum(vetoed)),
        log1p(sum(contrary)),
    ]


def answer_risk(assessments: Sequence[Assessment], weights: RiskWeights | None = None) -> float:
    """Give the calibrated probability that at least one checkable claim does not stand.

    ``weights`` are those of the scorer that spoke; None means the lexical one's. Without a
    checkable claim there is no risk; one that could not be checked is a certain risk. Claims
    that say the same words count once.
    """
    told = _once([one for one in assessments if one.standing is not Standing.NOT_CHECKABLE])
    if not told:
        return 0.0
    if any(one.standing is Standing.UNVERIFIABLE for one in told):
        return 1.0
    fitted = weights or _weights()
    row = risk_features(
        [1.0 - one.support for one in told],
        [any(note.standing is not None for note in one.notes) for one in told],
        [one.standing is Standing.CONTRADICTED for one in told],
    )
    total = sum(c * value for c, value in zip(fitted.coefficients, row, strict=True))
    # That some claim fails is at least as likely as that the worst one does.
    least = 1.0 - min(one.support for one in told)
    return round(max(sigmoid(total + fitted.intercept), least), _DIGITS)


def _once(told: Sequence[Assessment]) -> list[Assessment]:
    """Keep of claims with the same words the one that stands worst: repeating it adds no risk."""
    worst: dict[tuple[str, ...], Assessment] = {}
    for one in told:
        key = tuple(word.text.casefold() for word in words(one.claim.text)) or (one.claim.text,)
        kept = worst.get(key)
        if kept is None or one.support < kept.support:
            worst[key] = one
    return list(worst.values())


def flag_from() -> float:
    """The risk at which training found the best balance of precision and recall."""
    return _weights().flag_from


@cache
def _weights() -> RiskWeights:
    return read_risk_weights(raw_weights()["risk"])


def read_risk_weights(raw: dict[str, Any]) -> RiskWeights:
    """Read weights from the plain values of their JSON form."""
    return RiskWeights(
        coefficients=tuple(float(c) for c in raw["coefficients"]),
        intercept=float(raw["intercept"]),
        flag_from=float(raw["flag_from"]),
    )
