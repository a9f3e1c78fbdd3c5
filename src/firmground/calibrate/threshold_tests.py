"""The two exact tests of a threshold: for independent answers and for shared sources."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Sequence

from firmground.calibrate import betting, binomial
from firmground.calibrate.labelled import LabelledScore, Source, one_of_each

_LEVELS = 20


class ErrorCounts:
    """Errors among the accepted for any threshold, counted once."""

    def __init__(self, rows: Sequence[LabelledScore]) -> None:
        """Count by score what no other rule holds back."""
        free = sorted((one.risk, one.wrong) for one in rows if not one.held)
        self._scores = [risk for risk, _ in free]
        self._errors = [0, *itertools.accumulate(wrong for _, wrong in free)]
        self.size = len(rows)

    def at(self, threshold: float) -> tuple[int, int]:
        """Errors and accepted."""
        accepted = bisect_right(self._scores, threshold)
        return self._errors[accepted], accepted


class IndependentTest:
    """One answer to a source: errors among the accepted are binomial."""

    def __init__(self, drawn: Sequence[LabelledScore]) -> None:
        """Take the answers, each of a source of its own."""
        self._drawn = ErrorCounts(drawn)

    def shows(self, threshold: float, risk: float, miss: float) -> bool:
        """Ask whether so few errors would surprise if the rate were above the risk."""
        errors, accepted = self._drawn.at(threshold)
        return binomial.at_most(errors, accepted, risk) <= miss

    def bound(self, threshold: float, risk: float, miss: float) -> float:
        """What the error rate at a threshold is below: Clopper and Pearson's."""
        errors, accepted = self._drawn.at(threshold)
        return min(risk, binomial.upper_bound(errors, accepted, 1 - miss))

    def likely(self, threshold: float, risk: float, miss: float) -> float:
        """About how many answers would show it at the rate seen; infinite when none would."""
        errors, accepted = self._drawn.at(threshold)
        if errors >= risk * accepted:
            return math.inf
        # Chernoff's bound on the tail: with so many the test succeeds about four times in five.
        count = math.log(1 / miss) / _divergence(errors / accepted, risk)
        return count * self._drawn.size / accepted


class ClusteredTest:
    """Several answers to a source: each source is one bounded draw."""

    def __init__(self, pilot: Sequence[Source], rest: Sequence[Source]) -> None:
        """The pilot determines the stakes; the bets are placed on the rest."""
        self._pilot = [ErrorCounts(source) for source in pilot]
        self._rest = [ErrorCounts(source) for source in rest]

    def shows(self, threshold: float, risk: float, miss: float) -> bool:
        """True when betting on few errors reaches a capital that chance would not."""
        return betting.reaches(
            _draws(self._rest, threshold, risk),
            most=1 - risk,
            goal=1 / miss,
            like=_draws(self._pilot, threshold, risk),
        )

    def bound(self, threshold: float, risk: float, miss: float) -> float:
        """What the error rate at a threshold is below: the risk lowered until it is not shown."""
        lowest = risk
        for level in range(_LEVELS - 1, 0, -1):
            if not self.shows(threshold, risk * level / _LEVELS, miss):
                break
            lowest = risk * level / _LEVELS
        return lowest

    def likely(self, threshold: float, risk: float, miss: float) -> float:
        """About how many sources would show it at the rates seen; infinite when none would."""
        draws = _draws(self._rest, threshold, risk)
        if math.fsum(draws) >= 0:
            return math.inf
        stakes = [at / (_LEVELS * (1 - risk)) for at in range(1, _LEVELS)]
        growth = max(math.fsum(math.log1p(-s * x) for x in draws) for s in stakes)
        return math.log(1 / miss) / growth * len(self._rest) if growth > 0 else math.inf


Exam = IndependentTest | ClusteredTest


def exam(pilot: Sequence[Source], rest: Sequence[Source]) -> Exam:
    """Choose by the pilot alone: where few of its sources have several answers, one is drawn."""
    several = sum(len(source) > 1 for source in pilot)
    return (
        ClusteredTest(pilot, rest)
        if 2 * several > len(pilot)
        else IndependentTest(one_of_each(rest))
    )


def _draws(sources: Sequence[ErrorCounts], threshold: float, risk: float) -> list[float]:
    """Errors above the risk among the accepted answers of each source that has some."""
    found = []
    for source in sources:
        wrong, accepted = source.at(threshold)
        if accepted:
            found.append((wrong - risk * accepted) / source.size)
    return found


def _divergence(rate: float, risk: float) -> float:
    told = rate * math.log(rate / risk) if rate else 0.0
    return told + (1 - rate) * math.log((1 - rate) / (1 - risk))
