"""Boosted trees read from plain numbers, with no training library at run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

_LARGEST = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitTree:
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
class LogitForest:
    """A weighted sum and trees on the logit scale, with a final straight-line calibration."""

    names: tuple[str, ...]
    base: float
    weights: tuple[float, ...] = ()
    trees: tuple[LogitTree, ...] = ()
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


def read_forest(found: Mapping[str, Any]) -> LogitForest:
    """Read a forest from the plain values of its JSON form; one that cannot be walked is refused.

    Every child lies behind its parent, so that each walk ends.
    """
    names = tuple(str(name) for name in found["names"])
    weights = _numbers(found["weights"], "weights")
    if weights and len(weights) != len(names):
        raise ValueError(f"weights: {len(weights)} numbers for {len(names)} features")
    return LogitForest(
        names=names,
        base=checked_number(found["base"], "base"),
        weights=weights,
        slope=checked_number(found["slope"], "slope"),
        shift=checked_number(found["shift"], "shift"),
        trees=tuple(
            _tree(tree, len(names), f"trees[{at}]") for at, tree in enumerate(found["trees"])
        ),
    )


def checked_number(value: Any, where: str) -> float:
    """Give a number that sums can be made of; anything else is an error that names its place."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{where} must be a number")
    if not abs(value) <= _LARGEST:  # also refuses NaN
        raise ValueError(f"{where} must be a number of at most {_LARGEST:g}, got {value}")
    return float(value)


def _numbers(values: Sequence[Any], where: str) -> tuple[float, ...]:
    return tuple(checked_number(value, f"{where}[{at}]") for at, value in enumerate(values))


def _tree(found: Mapping[str, Any], names: int, where: str) -> LogitTree:
    size = len(found["feature"])
    lists = {field: found[field] for field in LogitTree.__slots__}
    if not size or any(len(values) != size for values in lists.values()):
        raise ValueError(f"{where} must have lists of one length, and a node")
    for field in ("feature", "left", "right"):
        if any(type(value) is not int for value in lists[field]):
            raise ValueError(f"{where}.{field} must be whole numbers")
    for at, feature in enumerate(lists["feature"]):
        if not -1 <= feature < names:
            raise ValueError(f"{where}.feature[{at}]: there is no feature {feature}")
        below = (lists["left"][at], lists["right"][at])
        if feature >= 0 and not all(at < child < size for child in below):
            raise ValueError(f"{where}: node {at} has children that do not lie behind it")
    return LogitTree(
        feature=tuple(lists["feature"]),
        threshold=_numbers(lists["threshold"], f"{where}.threshold"),
        left=tuple(lists["left"]),
        right=tuple(lists["right"]),
        value=_numbers(lists["value"], f"{where}.value"),
    )
