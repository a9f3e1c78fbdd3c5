"""Boosted trees read from plain numbers, with no training library at run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """One tree: node i goes left if `values[feature[i]] <= threshold[i]`; leaves say -1."""

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def leaf(self, values: Sequence[float]) -> float:
        """Walk to the leaf that these feature values reach."""
        at = 0
        while (name := self.feature[at]) >= 0:
            at = self.left[at] if values[name] <= self.threshold[at] else self.right[at]
        return self.value[at]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """A weighted sum and trees on the logit scale, with a final straight-line calibration."""

    names: tuple[str, ...]
    base: float
    weights: tuple[float, ...] = ()
    trees: tuple[Tree, ...] = ()
    slope: float = 1.0
    shift: float = 0.0

    def logit(self, values: Sequence[float]) -> float:
        """Give the calibrated log-odds for one row of features, in the order of `names`."""
        if len(values) != len(self.names):
            raise ValueError(f"expected {len(self.names)} features, got {len(values)}")
        raw = self.base + sum(tree.leaf(values) for tree in self.trees)
        raw += sum(w * v for w, v in zip(self.weights, values, strict=False))
        return self.slope * raw + self.shift

    def probability(self, values: Sequence[float]) -> float:
        """Give the calibrated probability for one row of features."""
        return sigmoid(self.logit(values))


def sigmoid(x: float) -> float:
    """The logistic function, safe for any finite input."""
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))


def read_forest(found: dict[str, Any]) -> Forest:
    """Read a forest from the plain values of its JSON form."""
    return Forest(
        names=tuple(found["names"]),
        base=float(found["base"]),
        weights=tuple(found["weights"]),
        slope=float(found["slope"]),
        shift=float(found["shift"]),
        trees=tuple(
            Tree(**{field: tuple(tree[field]) for field in Tree.__slots__})
            for tree in found["trees"]
        ),
    )
