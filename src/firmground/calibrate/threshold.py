"""A threshold on the risk score whose error among accepted answers is bounded, exactly.

A tenth of the sources is set aside to choose which thresholds are tested, in which order
(``pilot``). On the others each is tested in turn, from the one it is entered at to ever looser
ones: would so few errors surprise if the error rate among accepted answers were above the accepted
risk? The first test that does not succeed ends the search, and the last that did gives the
threshold. The thresholds are given before the tested answers are looked at, so a wrong one is
accepted only if the first wrong one in the order passes its own test, and that happens with the
permitted probability at most (fixed-sequence testing; Learn then Test). Nothing is assumed about
how scores and errors go together, and the number of answers may be any.

The test: with one answer to a source, the accepted ones are independent draws from those that score
so low, so their errors are binomial, exactly. With several answers to a source the sources are the
independent draws, each counts the same, and what is tested is the mean over sources of

    (wrong and accepted - risk * accepted) / answers

by betting, which is exact for bounded draws (``betting``). Where most sources of the pilot have one
answer only, one is drawn of each and the binomial test is used.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.calibrate import binomial
from firmground.calibrate.labelled import PILOT, LabelledScore, Source, dealt, sources_of
from firmground.calibrate.pilot import enter, ladder
from firmground.calibrate.threshold_tests import Exam, exam
from firmground.errors import InputError

_FEW = 5
"""Every so many thresholds are looked at to say how many answers it would take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Accept answers whose risk is at most ``threshold``."""

    threshold: float
    risk: float
    """The accepted error rate among accepted answers."""
    confidence: float
    """Probability, over the labelled sample, that the true rate is at most ``risk``."""
    accepted: int
    """How many of the labelled answers the threshold accepts."""
    errors: int
    """How many of those were wrong."""
    total: int
    sources: int
    """How many independent draws there were: sources, or answers where each has its own."""
    tested: int
    """How many of those the bound was shown on; the others only helped to choose."""
    upper_bound: float
    """What the error rate at this threshold alone is below, with the confidence, on the tested."""

    @property
    def coverage(self) -> float:
        """Share of the labelled answers that would be accepted."""
        return self.accepted / self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The data cannot support a threshold, and why."""

    reason: str
    needed: int
    """How many sources (answers where each has its own) it takes without one error among them."""
    likely: int | None = None
    """How many it would take at the error rates seen here; None when no number would do."""


def calibrate(
    labelled: Sequence[LabelledScore], *, risk: float, confidence: float = 0.95
) -> Calibration | Refusal:
    """Find the loosest threshold that keeps the error among accepted answers at most ``risk``."""
    if not 0.0 < risk < 1.0:
        raise InputError(f"risk must lie between 0 and 1, got {risk}")
    if not 0.5 <= confidence < 1.0:
        raise InputError(f"confidence must lie in [0.5, 1), got {confidence}")
    sources = sources_of(labelled)
    # What other rules hold back altogether is never accepted; the others are draws like before.
    pilot, rest = dealt([one for one in sources if any(not row.held for row in one)])
    asked, miss = exam(pilot, rest), 1 - confidence
    fewest = binomial.fewest_clean(risk, miss)
    if len(rest) < fewest:
        return _too_few(sources, _with_pilot(fewest), risk, confidence)
    tested = sum(len(source) for source in rest)
    thresholds = enter(pilot, ladder(pilot), risk=risk, tested=tested, fewest=fewest)
    passed = _passed(asked, thresholds, risk, miss)
    if not passed:
        return _no_threshold(asked, thresholds, sources, risk, confidence)
    best = _tightest(passed, labelled)
    accepted = [one for one in labelled if one.accepted_at(best)]
    return Calibration(
        threshold=best,
        risk=risk,
        confidence=confidence,
        accepted=len(accepted),
        errors=sum(one.wrong for one in accepted),
        total=len(labelled),
        sources=len(sources),
        tested=len(rest),
        upper_bound=asked.bound(best, risk, miss),
    )


def _passed(asked: Exam, thresholds: Sequence[float], risk: float, miss: float) -> list[float]:
    """The thresholds before the first whose test does not succeed: all of them keep the risk."""
    return list(itertools.takewhile(lambda one: asked.shows(one, risk, miss), thresholds))


def _tightest(passed: Sequence[float], labelled: Sequence[LabelledScore]) -> float:
    """Of those that passed the lowest that accepts as much as the last: no further than seen."""
    scores = [one.risk for one in labelled if one.accepted_at(passed[-1])]
    return passed[bisect_left(passed, max(scores))]


def _with_pilot(tested: int) -> int:
    """How many sources it takes to have so many left to test on."""
    return tested + (tested - 1) // (PILOT - 1)


def _too_few(sources: Sequence[Source], needed: int, risk: float, confidence: float) -> Refusal:
    held = sum(all(one.held for one in source) for source in sources)
    others = f" (another {held} are held back by other rules)" if held else ""
    reason = (
        f"{_counted(len(sources) - held, sources)}{others} cannot show an error rate of at most "
        f"{risk:.3g} with confidence {confidence:.3g}: even without a single error it takes "
        f"{needed}"
    )
    return Refusal(reason=reason, needed=needed)


def _no_threshold(
    asked: Exam,
    thresholds: Sequence[float],
    sources: Sequence[Source],
    risk: float,
    confidence: float,
) -> Refusal:
    miss = 1 - confidence
    likely = _likely(asked, thresholds, len(sources), risk, miss)
    told = (
        "nowhere were so few wrong; more answers would not help, a better score might"
        if likely is None
        else f"at the error rates seen it would take about {_counted(likely, sources)}"
    )
    reason = (
        f"no threshold keeps the error among accepted answers at most {risk:.3g} with confidence "
        f"{confidence:.3g}: {told}"
    )
    needed = _with_pilot(binomial.fewest_clean(risk, miss))
    return Refusal(reason=reason, needed=needed, likely=likely)


def _likely(
    asked: Exam, thresholds: Sequence[float], sources: int, risk: float, miss: float
) -> int | None:
    """About how many sources it would take; more than there are, or none would do."""
    # A threshold that was not reached may look proven already; it was not tested and does not
    # count.
    unshown = [one for one in thresholds[::_FEW] if not asked.shows(one, risk, miss)]
    enough = min(asked.likely(one, risk, miss) for one in unshown)
    if math.isinf(enough):
        return None
    return max(math.ceil(enough * PILOT / (PILOT - 1)), sources + 1)


def _counted(count: int, sources: Sequence[Source]) -> str:
    unit = "source" if any(len(source) > 1 for source in sources) else "labelled answer"
    return f"{count} {unit}" + "s" * (count != 1)
