"""Risk against coverage, and how well the scores are calibrated."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.calibrate.labelled import LabelledScore
from firmground.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Accepting this share of the answers, the least risky first, this share of them is wrong."""

    coverage: float
    error: float
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Answers with about the same score: what the score said and what was the case."""

    predicted: float
    observed: float
    count: int


def risk_coverage(labelled: Sequence[LabelledScore]) -> tuple[Point, ...]:
    """One point for each distinct score, from the strictest threshold to none at all.

    What other rules hold back is never accepted, so the curve ends before full coverage.
    """
    _some(labelled)
    ordered = sorted((one for one in labelled if not one.held), key=lambda one: one.risk)
    points: list[Point] = []
    wrong = 0
    for count, one in enumerate(ordered, start=1):
        wrong += one.wrong
        if count == len(ordered) or ordered[count].risk != one.risk:
            coverage = count / len(labelled)
            points.append(Point(coverage=coverage, error=wrong / count, threshold=one.risk))
    return tuple(points)


def area_under(points: Sequence[Point]) -> float:
    """Mean error over all coverages (AURC): 0 is best."""
    area = at = 0.0
    for point in points:
        area += (point.coverage - at) * point.error
        at = point.coverage
    return area


def reliability(labelled: Sequence[LabelledScore], *, bins: int = 10) -> tuple[Bin, ...]:
    """Groups of equal size in order of the score; empty ones do not exist."""
    _some(labelled)
    if bins < 1:
        raise InputError(f"bins must be at least 1, got {bins}")
    ordered = sorted(labelled, key=lambda one: one.risk)
    edges = [len(ordered) * i // bins for i in range(bins + 1)]
    groups = [ordered[a:b] for a, b in itertools.pairwise(edges) if b > a]
    return tuple(
        Bin(
            predicted=sum(one.risk for one in group) / len(group),
            observed=sum(one.wrong for one in group) / len(group),
            count=len(group),
        )
        for group in groups
    )


def calibration_error(bins: Sequence[Bin]) -> float:
    """Expected calibration error: how far off the scores are on average; 0 is best."""
    total = sum(one.count for one in bins)
    return sum(abs(one.predicted - one.observed) * one.count for one in bins) / total


def _some(labelled: Sequence[LabelledScore]) -> None:
    if not labelled:
        raise InputError("there are no labelled answers")
