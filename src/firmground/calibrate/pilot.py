"""Chooses from a pilot sample which thresholds are tested, and in which order.

A tenth of the sources is set aside for this. Its scores give a ladder of thresholds; its labels
turn the scores into error probabilities, and testing starts where the first test is most likely to
succeed. A poor choice costs coverage and never the bound, because the pilot is not counted in any
test.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from firmground.calibrate import binomial
from firmground.calibrate.labelled import Source
from firmground.calibrate.refit import fit_line

STEPS = 100
FINEST = 1e-6
"""What a calibration file can hold: only such thresholds are tested."""
_NEAR = 1e-6
_AMPLE = 1.2
"""A pilot is small: where it sees just enough accepted answers there may be too few."""


def ladder(pilot: Sequence[Source]) -> tuple[float, ...]:
    """Thresholds in rising order, as dense as the pilot's scores; the last accepts everything."""
    scores = sorted(one.risk for source in pilot for one in source if not one.held)
    anchors = [*scores, 1.0] if scores else [at / STEPS for at in range(STEPS + 1)]
    last = len(anchors) - 1
    return tuple(
        sorted({_rounded(_between(anchors, last * at / STEPS)) for at in range(STEPS + 1)})
    )


def enter(
    pilot: Sequence[Source], thresholds: Sequence[float], *, risk: float, tested: int, fewest: int
) -> Sequence[float]:
    """Leave out the thresholds before the one whose test is likeliest to succeed on the rest.

    It will accept comfortably more than the ``fewest`` answers that could succeed without an error.
    """
    free = sorted((one.risk, one.wrong) for source in pilot for one in source if not one.held)
    if not free:
        # Nobody to ask: the score is taken at its word.
        return thresholds[bisect_left(thresholds, risk) :]
    logits = [_logit(score) for score, _ in free]
    line = fit_line(logits, [wrong for _, wrong in free])
    expected = [0.0, *itertools.accumulate(line.probability(x) for x in logits)]
    each = tested / sum(len(source) for source in pilot)
    best, entry = math.inf, len(thresholds) - 1
    for at, threshold in enumerate(thresholds):
        below = bisect_right(free, (threshold, True))
        errors, accepted = math.ceil(each * expected[below]), int(each * below)
        surprise = binomial.at_most(errors, accepted, risk)
        if accepted >= _AMPLE * fewest and surprise < best:
            best, entry = surprise, at
    return thresholds[entry:]


def _between(anchors: Sequence[float], place: float) -> float:
    low = min(int(place), len(anchors) - 2)
    return anchors[low] + (anchors[low + 1] - anchors[low]) * (place - low)


def _rounded(threshold: float) -> float:
    """Up, so that a threshold lets in the very score that it was taken from."""
    return min(1.0, round(math.ceil(threshold / FINEST - 1e-3) * FINEST, 6))


def _logit(score: float) -> float:
    kept = min(max(score, _NEAR), 1 - _NEAR)
    return math.log(kept / (1 - kept))
