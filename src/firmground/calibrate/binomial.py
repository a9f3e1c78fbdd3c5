"""Exact binomial arithmetic, in logarithms, with nothing but the standard library."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

_HALVINGS = 60
_NOTHING = 1e-18


def _log_term(n: int, i: int, log_p: float, log_q: float) -> float:
    choose = math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
    return choose + i * log_p + (n - i) * log_q


@lru_cache(maxsize=1 << 16)
def at_most(k: int, n: int, p: float) -> float:
    """Probability of at most ``k`` successes in ``n`` trials of probability ``p``."""
    if k < 0:
        return 0.0
    if k >= n or p <= 0.0:
        return 1.0
    if p >= 1.0:
        return 0.0
    # Outwards from the likeliest number, each term from its neighbour: none is above the first.
    peak = min(k, int((n + 1) * p))
    odds = p / (1 - p)
    below = _run(i / ((n - i + 1) * odds) for i in range(peak, 0, -1))
    above = _run((n - i) * odds / (i + 1) for i in range(peak, k))
    return min(1.0, math.exp(_log_term(n, peak, math.log(p), math.log1p(-p))) * (1 + below + above))


def _run(factors: Iterable[float]) -> float:
    """The sum of the running products, until they no longer count."""
    total, term = 0.0, 1.0
    for factor in factors:
        term *= factor
        total += term
        if term < _NOTHING:
            break
    return total


def upper_bound(errors: int, n: int, confidence: float) -> float:
    """Clopper-Pearson: the largest rate under which seeing so few errors is not surprising."""
    if errors >= n:
        return 1.0
    low, high = errors / n, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if at_most(errors, n, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def fewest_clean(risk: float, miss: float) -> int:
    """How many accepted answers without one error it takes to show a risk at miss probability."""
    return math.ceil(math.log(miss) / math.log1p(-risk))
