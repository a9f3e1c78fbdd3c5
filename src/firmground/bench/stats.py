"""The figures of selective answering, each with an interval."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import TypeVar

from firmground.calibrate.binomial import upper_bound

_DRAWS = 1000
T = TypeVar("T")
Pair = tuple[float, bool]
"""(signal, correct): the higher the signal, the sooner the answer is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number and its 95 % interval; None when the data do not define it."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.value is None:
            return "undefined"
        if self.low is None or self.high is None:
            return f"{self.value:+.3f} (too few)"
        return f"{self.value:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def correlation(pairs: Sequence[Pair]) -> float | None:
    """Pearson's correlation of signal and correctness; None when either does not vary."""
    if len(pairs) < 2:
        return None
    x = [signal for signal, _ in pairs]
    y = [float(correct) for _, correct in pairs]
    mean_x, mean_y = fmean(x), fmean(y)
    spread_x = sum((a - mean_x) ** 2 for a in x)
    spread_y = sum((b - mean_y) ** 2 for b in y)
    if spread_x <= 1e-12 or spread_y <= 1e-12:
        return None
    together = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return together / sqrt(spread_x * spread_y)


def risks(pairs: Sequence[Pair]) -> tuple[float, ...]:
    """Share of wrong answers among the first 1, 2, … n kept; ties count as their mean."""
    groups: dict[float, list[bool]] = {}
    for signal, correct in pairs:
        groups.setdefault(signal, []).append(correct)
    wrong, kept, made = 0.0, 0, list[float]()
    for signal in sorted(groups, reverse=True):
        group = groups[signal]
        rate = group.count(False) / len(group)
        for _ in group:
            kept += 1
            wrong += rate
            made.append(wrong / kept)
    return tuple(made)


def risk_at(pairs: Sequence[Pair], coverage: float) -> float | None:
    """Share of wrong answers when this share of them is kept."""
    if not pairs:
        return None
    return risks(pairs)[max(1, round(coverage * len(pairs))) - 1]


def binomial_interval(errors: float, of: int) -> tuple[float, float]:
    """The exact (Clopper-Pearson) 95 % interval of a share; part of an error counts as one."""
    low = 1.0 - upper_bound(of - math.floor(errors), of, 0.975)
    return low, upper_bound(math.ceil(errors), of, 0.975)


def risk_figure(pairs: Sequence[Pair], coverage: float) -> Figure:
    """The risk at a coverage with its exact interval, which is never empty for no errors."""
    value = risk_at(pairs, coverage)
    if value is None or len(pairs) < 2:
        return Figure(value=value)
    kept = max(1, round(coverage * len(pairs)))
    low, high = binomial_interval(round(value * kept, 9), kept)
    return Figure(value=value, low=low, high=high)


def aurc(pairs: Sequence[Pair]) -> float | None:
    """Area under the risk-coverage curve: mean risk over all coverages, lower is better."""
    return fmean(risks(pairs)) if pairs else None


def with_interval(
    pairs: Sequence[Pair], function: Callable[[Sequence[Pair]], float | None], *, seed: int = 0
) -> Figure:
    """A figure with a percentile interval over draws of the items, under a fixed seed."""
    value = function(pairs)
    if value is None or len(pairs) < 2:
        return Figure(value=value)
    draw = random.Random(seed)  # noqa: S311 - resampling, not secrecy
    drawn = [function(draw.choices(pairs, k=len(pairs))) for _ in range(_DRAWS)]
    found = sorted(one for one in drawn if one is not None)
    if len(found) < _DRAWS // 2:
        return Figure(value=value)
    return Figure(
        value=value,
        low=found[round(0.025 * (len(found) - 1))],
        high=found[round(0.975 * (len(found) - 1))],
    )


def resampled(
    values: Sequence[T],
    groups: Sequence[str],
    function: Callable[[Sequence[T]], float | None],
    *,
    seed: int = 0,
) -> Figure:
    """A figure with a percentile interval over draws of whole groups, under a fixed seed."""
    if not values:
        return Figure(value=None)
    by_group: dict[str, list[T]] = {}
    for group, value in zip(groups, values, strict=True):
        by_group.setdefault(group, []).append(value)
    names = sorted(by_group)
    draw = random.Random(seed)  # noqa: S311 - resampling, not secrecy
    drawn = (
        function([value for name in draw.choices(names, k=len(names)) for value in by_group[name]])
        for _ in range(_DRAWS)
    )
    found = sorted(one for one in drawn if one is not None)
    if len(found) < _DRAWS // 2:
        return Figure(value=function(values))
    return Figure(
        value=function(values),
        low=found[round(0.025 * (len(found) - 1))],
        high=found[round(0.975 * (len(found) - 1))],
    )
