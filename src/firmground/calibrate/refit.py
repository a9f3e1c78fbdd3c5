"""Refits a scorer's log-odds to your own labels: a straight line, regularized towards no change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

_ROUNDS = 50
_NEAR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitLine:
    """``slope * logit + shift``; 1 and 0 change nothing."""

    slope: float = 1.0
    shift: float = 0.0

    def at(self, logit: float) -> float:
        """Give the bent log-odds."""
        return self.slope * logit + self.shift

    def probability(self, logit: float) -> float:
        """Give the bent probability."""
        return _sigmoid(self.at(logit))


def fit_line(logits: Sequence[float], wrong: Sequence[bool], *, pull: float = 1.0) -> LogitLine:
    """Find the line under which the labels are likeliest, by Newton's method.

    ``pull`` is how many observations the belief in no change is worth, so that a few rows bend
    little.
    """
    slope, shift = 1.0, 0.0
    for _ in range(_ROUNDS):
        g0, g1 = pull * shift, pull * (slope - 1)
        h00, h01, h11 = pull, 0.0, pull
        for x, y in zip(logits, wrong, strict=True):
            p = _sigmoid(slope * x + shift)
            g0 += p - y
            g1 += (p - y) * x
            w = max(p * (1 - p), 1e-12)
            h00, h01, h11 = h00 + w, h01 + w * x, h11 + w * x * x
        det = h00 * h11 - h01 * h01
        step0, step1 = (h11 * g0 - h01 * g1) / det, (h00 * g1 - h01 * g0) / det
        size = max(abs(step0), abs(step1))
        damp = min(1.0, 2.0 / size) if size else 1.0
        shift, slope = shift - damp * step0, slope - damp * step1
        if size < _NEAR:
            break
    # A slope of nothing or less would turn the scorer's order round.
    return LogitLine(slope=max(slope, 0.05), shift=shift)


def best_limit(scores: Sequence[float], wrong: Sequence[bool]) -> tuple[float, float]:
    """Give the score from which flagging has the highest F1, and that F1."""
    order = sorted(zip(scores, wrong, strict=True), reverse=True)
    total = sum(wrong)
    best = (1.0, 0.0)
    hits = 0
    for at, (score, bad) in enumerate(order, start=1):
        hits += bad
        if at < len(order) and order[at][0] == score:
            continue
        value = 2 * hits / (at + total) if total else 0.0
        if value > best[1]:
            following = order[at][0] if at < len(order) else score
            best = ((score + following) / 2, value)
    return best


def f1(flagged: Sequence[bool], wrong: Sequence[bool]) -> float:
    """Give the F1 of what was flagged."""
    hits = sum(f and w for f, w in zip(flagged, wrong, strict=True))
    both = sum(flagged) + sum(wrong)
    return 2 * hits / both if both else 0.0


def log_loss(probabilities: Sequence[float], wrong: Sequence[bool]) -> float:
    """Give the mean cost, in nats, of having said these probabilities."""
    told = [max(p if bad else 1 - p, 1e-6) for p, bad in zip(probabilities, wrong, strict=True)]
    return -sum(log(p) for p in told) / len(told)


def _sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x)) if x >= 0 else exp(max(x, -700.0)) / (1 + exp(max(x, -700.0)))
