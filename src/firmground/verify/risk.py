"""Answer-level risk: the probability that at least one claim does not stand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import log, log1p

from firmground.core.claim import Assessment, Standing
from firmground.verify.lexical import raw_weights
from firmground.verify.trees import logit, sigmoid

_DIGITS = 6


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


def answer_risk(assessments: Sequence[Assessment]) -> float:
    """Give the calibrated probability that at least one checkable claim does not stand.

    Without a checkable claim there is no risk; one that could not be checked is a certain risk.
    """
    told = [one for one in assessments if one.standing is not Standing.NOT_CHECKABLE]
    if not told:
        return 0.0
    if any(one.standing is Standing.UNVERIFIABLE for one in told):
        return 1.0
    coefficients, intercept = _weights()
    row = risk_features(
        [1.0 - one.support for one in told],
        [any(note.standing is not None for note in one.notes) for one in told],
        [one.standing is Standing.CONTRADICTED for one in told],
    )
    total = sum(c * value for c, value in zip(coefficients, row, strict=True))
    return round(sigmoid(total + intercept), _DIGITS)


def flag_from() -> float:
    """The risk at which training found the best balance of precision and recall."""
    return float(raw_weights()["risk"]["flag_from"])


@cache
def _weights() -> tuple[tuple[float, ...], float]:
    raw = raw_weights()["risk"]
    return tuple(float(c) for c in raw["coefficients"]), float(raw["intercept"])
