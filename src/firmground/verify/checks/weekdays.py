"""Weekdays in prose: the day on which something is, and the days on which something is open."""

from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, terms_of
from firmground.verify.select import stem
from firmground.verify.values.clock import DaySet, day_list, day_sets, times

_CLOSED = lazy_pattern(r"\b(?:closed|geschlossen|fermée?s?|cerrad[oa]s?)\b", re.IGNORECASE)
_OPEN = lazy_pattern(r"\b(?:open|opens|geöffnet|ouverte?s?|abiert[oa]s?)\b", re.IGNORECASE)
_EXCEPTION = lazy_pattern(
    r"\b(?:except|but|unless|if|when|until|after|before|some|may|during|from|winter|summer|season|holidays?|sauf|außer)\b",
    re.I,
)
_CUT = lazy_pattern(r"[,;.()]|\s(?:and|but|while)\s(?!\w+days?\b)", re.IGNORECASE)
# Verbs that only say that something takes place: they do not distinguish two events.
_LIGHT = frozenset(
    stem(word)
    for word in "take takes place held hold happen happens start starts begin begins scheduled "
    "due set next this every open opens closed hours pm am day week".split()
)
_MOST_OTHER = 1
_FEWEST_SHARED = 2
_FEWEST_LISTED = 2


def check_weekdays(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the source puts the same thing on another day, or closes what the claim opens."""
    said = day_sets(case.claim.text)
    if case.about_source or denials(case.claim.text) or len(said) != 1:
        return ()
    opens, closes = _OPEN.search(case.claim.text), _CLOSED.search(case.claim.text)
    if bool(opens) != bool(closes):
        note = _open_days(case, said[0], open_said=bool(opens))
    else:
        note = None if opens else _day(case, said[0])
    return () if note is None else (note,)


def _day(case: CheckCase, said: DaySet) -> CheckNote | None:
    """Compare the one day of an event with the one day the source gives for the same event."""
    about = [p for p in case.passages if p.path is None and _same_event(case, p, said)]
    given = [(p, day_sets(p.text)) for p in about]
    if any(said.days & days.days for _, sets in given for days in sets):
        return None
    for passage, sets in given:
        if len(sets) == 1 and not denials(passage.text):
            return _differs(case, said, passage, sets[0])
    return None


def _same_event(case: CheckCase, passage: Passage, said: DaySet) -> bool:
    rest = _bare(case.claim.text, case.terms - span_terms(case, said.start, said.end))
    theirs = _bare(passage.text, passage.terms)
    if not rest or not rest <= theirs:
        return False
    return len(rest) >= _FEWEST_SHARED or len(theirs - rest) <= _MOST_OTHER


def _bare(text: str, terms: frozenset[str]) -> frozenset[str]:
    """Leave out days, times and verbs without content."""
    spans = [(one.start, one.end) for one in day_sets(text)]
    spans += [(one.start, one.end) for one in times(text)]
    apart = frozenset(term for start, end in spans for term in terms_of(text[start:end]))
    return terms - apart - _LIGHT


def _differs(case: CheckCase, said: DaySet, passage: Passage, given: DaySet) -> CheckNote:
    shown, other = case.claim.text[said.start : said.end], passage.text[given.start : given.end]
    reason = f"says {shown}, source says {other}"
    at, span = (said.start, said.end), (passage.span(given.start, given.end),)
    return case.note("weekdays", "weekday_differs", Standing.CONTRADICTED, reason, at, span)


def _open_days(case: CheckCase, said: DaySet, *, open_said: bool) -> CheckNote | None:
    if _EXCEPTION.search(case.claim.text):
        return None
    for passage in case.passages:
        if passage.path is not None or not _same_place(case, passage):
            continue
        closed, opened = _ruled(passage.text, _CLOSED), _ruled(passage.text, _OPEN)
        rival, agreed = (closed, opened) if open_said else (opened, closed)
        hit = next((days for days in rival if days.days & said.days), None)
        if hit is not None and not any(days.days & said.days for days in agreed):
            return _open_differs(case, said, passage, hit, open_said=open_said)
    return _not_listed(case, said) if open_said else None


def _not_listed(case: CheckCase, said: DaySet) -> CheckNote | None:
    """A source that lists on which days it is open says that on no other day it is."""
    given = [
        (p, days)
        for p in case.passages
        if p.path is None
        for days in _ruled(p.text, _OPEN)
        if _OPEN.search(p.text) and _same_place(case, p)
    ]
    told = frozenset(day for _, days in given for day in days.days)
    if len(told) < _FEWEST_LISTED or said.days & told:
        return None
    if any(said.days & days.days for p in case.passages for days in day_sets(p.text)):
        return None
    passage, days = given[0]
    shown = passage.text[days.start : days.end]
    reason = f"says open on {day_list(said.days)}, source says open {shown}"
    at, span = (said.start, said.end), (passage.span(days.start, days.end),)
    return case.note("weekdays", "open_days_differ", Standing.CONTRADICTED, reason, at, span)


def _same_place(case: CheckCase, passage: Passage) -> bool:
    """True when the passage names no place at all, or the one that the claim speaks of."""
    if _EXCEPTION.search(passage.text) or denials(passage.text):
        return False
    mine, theirs = _bare(case.claim.text, case.terms), _bare(passage.text, passage.terms)
    named = frozenset(term for term in theirs if not any(c.isdigit() for c in term))
    return not named or (bool(mine) and mine <= theirs)


def _ruled(text: str, verb: re.Pattern[str]) -> tuple[DaySet, ...]:
    """The days that stand behind a verb, up to the end of its clause."""
    found: list[DaySet] = []
    for m in verb.finditer(text):
        cut = _CUT.search(text, m.end())
        end = cut.start() if cut else len(text)
        found.extend(days for days in day_sets(text) if m.end() <= days.start < end)
    return tuple(found)


def _open_differs(
    case: CheckCase, said: DaySet, passage: Passage, given: DaySet, *, open_said: bool
) -> CheckNote:
    verbs = ("open", "closed") if open_said else ("closed", "open")
    days = said.days & given.days
    reason = f"says {verbs[0]} on {day_list(said.days)}, source says {verbs[1]} on {day_list(days)}"
    at, span = (said.start, said.end), (passage.span(given.start, given.end),)
    return case.note("weekdays", "open_days_differ", Standing.CONTRADICTED, reason, at, span)
