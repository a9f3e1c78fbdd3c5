"""Boosted trees evaluated in plain Python, read from a small JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

from firmground.errors import InputError

_NARROW = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionTree:
    """One tree: inner node ``i`` sends ``x[feature[i]] <= threshold[i]`` left, else right.

    A child ``c >= 0`` is another node; ``c < 0`` is leaf ``-c - 1``.
    """

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    leaf: tuple[float, ...]

    def value(self, x: Sequence[float]) -> float:
        """The leaf that a row of figures falls into."""
        at = 0 if self.feature else -1
        while at >= 0:
            below = x[self.feature[at]] <= self.threshold[at]
            at = self.left[at] if below else self.right[at]
        return self.leaf[-at - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedForest:
    """A sum of trees, put through a calibrated logistic curve."""

    features: tuple[str, ...]
    trees: tuple[DecisionTree, ...]
    slope: float = 1.0
    intercept: float = 0.0

    def margin(self, x: Sequence[float]) -> float:
        """The raw sum over the trees."""
        total = 0.0
        for tree in self.trees:  # `DecisionTree.value`, spelled out: this is where the time goes
            feature, threshold, left, right = tree.feature, tree.threshold, tree.left, tree.right
            at = 0 if feature else -1
            while at >= 0:
                at = left[at] if x[feature[at]] <= threshold[at] else right[at]
            total += tree.leaf[-at - 1]
        return total

    def probability(self, x: Sequence[float]) -> float:
        """The calibrated probability."""
        return sigmoid(self.slope * self.margin(x) + self.intercept)


def sigmoid(x: float) -> float:
    """The logistic curve, safe at both ends."""
    return 1.0 / (1.0 + exp(-max(-_NARROW, min(_NARROW, x))))


def logit(p: float) -> float:
    """The inverse of ``sigmoid``, kept finite."""
    p = min(max(p, 1e-6), 1.0 - 1e-6)
    return log(p / (1.0 - p))


def read_forest(raw: Mapping[str, Any], expected: Sequence[str]) -> CalibratedForest:
    """Read a forest and refuse one that was trained on other figures."""
    if tuple(raw["features"]) != tuple(expected):
        raise InputError("the lexical weights were trained on other features than this version has")
    trees = tuple(
        DecisionTree(
            feature=tuple(tree["f"]),
            threshold=tuple(tree["t"]),
            left=tuple(tree["l"]),
            right=tuple(tree["r"]),
            leaf=tuple(tree["v"]),
        )
        for tree in raw["trees"]
    )
    slope, intercept = raw["calibration"]
    return CalibratedForest(
        features=tuple(raw["features"]), trees=trees, slope=slope, intercept=intercept
    )
