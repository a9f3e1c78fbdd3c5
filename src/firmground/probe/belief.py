"""What the model believes in one arm, and how far two beliefs lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """How an arm's probability is spread over labels."""

    shares: tuple[tuple[str, float], ...]
    """(label, probability); what was declined or unreadable has no label."""
    draws: int
    """How many draws it rests on; 0 when probabilities were read off."""
    by_order: tuple[tuple[tuple[str, float], ...], ...] = ()
    """The same for each order of the options, where there are several."""

    def of(self, label: str) -> float:
        """The probability of one label."""
        return dict(self.shares).get(label, 0.0)

    def top(self) -> tuple[str, float]:
        """The likeliest label, the first among equals; empty when there is none."""
        return max(self.shares, key=lambda share: share[1], default=("", 0.0))

    def best_other(self, label: str) -> tuple[str, float]:
        """The likeliest label that is not this one."""
        others = [share for share in self.shares if share[0] != label]
        return max(others, key=lambda share: share[1], default=("", 0.0))

    def noise(self) -> float:
        """Chance that two draws differ; a draw without a label differs from every other."""
        return max(0.0, 1.0 - sum(p * p for _, p in self.shares))


def shift_interval(full: Belief, none: Belief, label: str) -> tuple[float, float]:
    """95 % for the shift of a label's probability; over orders where probabilities were read."""
    if full.draws and none.draws:
        return newcombe(full.of(label), full.draws, none.of(label), none.draws)
    shifts = [
        dict(a).get(label, 0.0) - dict(b).get(label, 0.0)
        for a, b in zip(full.by_order, none.by_order, strict=False)
    ] or [full.of(label) - none.of(label)]
    return min(shifts), max(shifts)


def wilson(share: float, draws: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a proportion."""
    if draws == 0:
        return (0.0, 1.0)
    scale = 1 + Z95**2 / draws
    middle = (share + Z95**2 / (2 * draws)) / scale
    half = Z95 * sqrt(share * (1 - share) / draws + Z95**2 / (4 * draws**2)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)


def newcombe(first: float, n_first: int, second: float, n_second: int) -> tuple[float, float]:
    """Newcombe's 95 % interval for the difference of two proportions."""
    low_1, high_1 = wilson(first, n_first)
    low_2, high_2 = wilson(second, n_second)
    middle = first - second
    return (
        max(-1.0, middle - sqrt((first - low_1) ** 2 + (high_2 - second) ** 2)),
        min(1.0, middle + sqrt((high_1 - first) ** 2 + (second - low_2) ** 2)),
    )


def averaged(orders: Sequence[Sequence[tuple[str, float]]], *, draws: int) -> Belief:
    """One belief out of several orders of the same options, each order counting alike."""
    labels = [label for label, _ in orders[0]]
    tables = [dict(order) for order in orders]
    return Belief(
        shares=tuple((label, fmean(t[label] for t in tables)) for label in labels),
        draws=draws,
        by_order=tuple(tuple(order) for order in orders),
    )
