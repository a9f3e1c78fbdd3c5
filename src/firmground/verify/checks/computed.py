"""Values that follow from two others of the source: a change in percent, the time between two."""

from __future__ import annotations

import re
from itertools import combinations

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.changes import changes_in
from firmground.verify.reading import Passage, terms_of
from firmground.verify.values.clock import MIDNIGHT, Time, times
from firmground.verify.values.quantities import NumberBound, Quantity

_BY = lazy_pattern(
    r"\b(?:by|of|um|de)\s+(?:about|around|nearly|almost|roughly|some|over|more than)?\s*\Z",
    re.IGNORECASE,
)
_LASTED = lazy_pattern(
    r"\b(?:last(?:ed|s|ing)?|took|takes?|after|later|for|within|long|outage|wait\w*|delay\w*|dauert\w*|"
    r"duration|was down|in)\b",
    re.IGNORECASE,
)
_MINUTE = 60
_HALF = 0.5
_LOOSE = 0.05
_MOST_TIMES = 8
_NEAR = 60


def computed(case: CheckCase, said: Quantity) -> tuple[Passage, int, int] | None:
    """Find what a claim's number can be worked out from: a passage and the stretch of it."""
    text, before = case.claim.text, max(0, said.start - _NEAR)
    if said.unit == "second" and _LASTED.search(text, before, said.end + _NEAR):
        return _between_times(case, said)
    if _BY.search(text, before, said.start):
        return _from_change(case, said)
    return None


def _from_change(case: CheckCase, said: Quantity) -> tuple[Passage, int, int] | None:
    for passage in case.passages:
        if passage.path is not None or not passage.terms & _subject(case, said):
            continue
        for change in changes_in(passage.text):
            before, after = max(change.before.readings), max(change.after.readings)
            moved = abs(after - before)
            if said.unit == "percent":
                moved = 100 * moved / before if before else 0.0
            elif not change.before.unit and not change.after.unit and said.unit:
                continue
            if _near(said, moved):
                return passage, change.start, change.end
    return None


def _subject(case: CheckCase, said: Quantity) -> frozenset[str]:
    return terms_of(case.claim.text[: said.start])


def _near(said: Quantity, value: float) -> bool:
    slack = max(_HALF * said.step, _LOOSE * value if said.bound is not NumberBound.EXACT else 0.0)
    return any(abs(reading - value) <= slack for reading in said.readings)


def _between_times(case: CheckCase, said: Quantity) -> tuple[Passage, int, int] | None:
    """Two times of one passage, or of one and the next, that lie so far apart."""
    for passage in case.passages:
        for (first, one), (last, other) in combinations(_times_near(case, passage), 2):
            minutes = (other.minute - one.minute) % MIDNIGHT
            if minutes and _near(said, float(minutes * _MINUTE)):
                return last, one.start if last is first else other.start, other.end
    return None


def _times_near(case: CheckCase, passage: Passage) -> tuple[tuple[Passage, Time], ...]:
    near = case.reading.passages[max(0, passage.order - 1) : passage.order + 2]
    same = (p for p in near if p.path is None and p.evidence_id == passage.evidence_id)
    return tuple((p, time) for p in same for time in times(p.text))[:_MOST_TIMES]
