"""Opening hours and weekdays: what a record or a sentence gives, compared day by day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.reading import EvidenceIndex, Passage
from firmground.verify.values.clock import (
    MIDNIGHT,
    WEEKDAY_LABELS,
    WEEKDAYS,
    DaySet,
    Hours,
    Time,
    alike,
    clock,
    day_list,
    day_sets,
    hours,
    times,
)

_CLOSED = lazy_pattern(r"\b(?:closed|not open|geschlossen|fermé|cerrado)\b", re.IGNORECASE)
_OPEN = lazy_pattern(
    r"\b(?:open(?:s|ed|ing)?|operat\w+|hours|geöffnet|ouvert\w*|abiert\w*)\b",
    re.IGNORECASE,
)
_EXCEPT = lazy_pattern(
    r"\b(?:except|but|while|although|extended|with the exception|sauf|außer)\b", re.I
)
_BUT_FOR = lazy_pattern(r"\b(?:except|excluding|aside from|sauf|außer|excepto)\b", re.IGNORECASE)
_Table = dict[int, tuple[int, int, Passage]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """Hours a claim gives for some days; no days means it does not say which."""

    start: int
    end: int
    days: frozenset[int]
    hours: Hours


def check_hours(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to opening hours, times and weekdays the source gives otherwise."""
    if case.about_source:
        return ()
    table = timetable(case.reading)
    if table and (_OPEN.search(case.claim.text) or _CLOSED.search(case.claim.text)):
        return _against_table(case, table)
    return _against_prose(case)


@lru_cache(maxsize=2)
def timetable(reading: EvidenceIndex) -> _Table:
    """Gather the opening hours of the one record that has any; two records would be ambiguous."""
    table: _Table = {}
    for field in reading.fields:
        day = WEEKDAYS.get((field.path or "").rpartition(".")[2].lower())
        found = hours(field.value) if day is not None else ()
        if day is None or not found:
            continue
        if day in table:
            return {}
        table[day] = (found[0].opens, found[0].closes, field)
    return table


def _against_table(case: CheckCase, table: _Table) -> tuple[CheckNote, ...]:
    text = case.claim.text
    said = _pairs(text)
    notes: list[CheckNote | None] = [_compare(case, table, one) for one in said]
    if not said:
        notes = [_days_only(case, table, days) for days in day_sets(text)]
    return tuple(note for note in notes if note is not None)


def _compare(case: CheckCase, table: _Table, said: _Said) -> CheckNote:
    at = (said.start, said.end)
    spoken = f"{clock(said.hours.opens)} to {clock(said.hours.closes)}"
    if not said.days:
        return _some_day(case, table, said, spoken)
    wrong = [day for day in sorted(said.days) if not _same(table.get(day), said.hours)]
    if not wrong:
        spans = tuple(table[day][2].span() for day in sorted(said.days))
        return case.note("hours", "hours_match", None, f"source gives {spoken}", at, spans)
    spans = tuple(table[day][2].span() for day in wrong if day in table)
    reason = f"says {spoken} on {day_list(said.days)}, source says {_shown(table, wrong)}"
    return case.note("hours", "hours_differ", Standing.CONTRADICTED, reason, at, spans)


def _some_day(case: CheckCase, table: _Table, said: _Said, spoken: str) -> CheckNote:
    at = (said.start, said.end)
    matching = [day for day, row in table.items() if _same(row, said.hours)]
    if matching:
        spans = tuple(table[day][2].span() for day in matching)
        return case.note("hours", "hours_match", None, f"source gives {spoken}", at, spans)
    spans = tuple(row[2].span() for row in table.values())
    reason = f"says {spoken}, source says {_shown(table, sorted(table))}"
    return case.note("hours", "hours_differ", Standing.CONTRADICTED, reason, at, spans)


def _days_only(case: CheckCase, table: _Table, said: DaySet) -> CheckNote | None:
    at = (said.start, said.end)
    if _CLOSED.search(case.claim.text):
        wrong = [
            day for day in sorted(said.days) if day in table and table[day][0] != table[day][1]
        ]
        verb = "closed"
    elif _EXCEPT.search(case.claim.text):
        return None
    else:
        wrong = [day for day in sorted(said.days) if day not in table]
        verb = "open"
    if not wrong:
        return case.note("hours", "hours_match", None, f"source agrees: {verb}", at)
    spans = tuple(table[day][2].span() for day in wrong if day in table)
    reason = f"says {verb} on {day_list(said.days)}, source says {_shown(table, wrong)}"
    return case.note("hours", "hours_differ", Standing.CONTRADICTED, reason, at, spans)


def _same(row: tuple[int, int, Passage] | None, said: Hours) -> bool:
    if row is None:
        return False
    if row[0] == row[1] == 0:
        return True  # "0:0-0:0" stands for closed in some records and for round the clock in others
    return (
        row[0] % MIDNIGHT == said.opens % MIDNIGHT and row[1] % MIDNIGHT == said.closes % MIDNIGHT
    )


def _shown(table: _Table, days: list[int]) -> str:
    shown = []
    for day in days[:3]:
        row = table.get(day)
        given = f"{clock(row[0])} to {clock(row[1])}" if row else "no hours"
        shown.append(f"{given} on {WEEKDAY_LABELS[day]}")
    return ", ".join(shown) + (", …" if len(days) > 3 else "")


def _pairs(text: str) -> list[_Said]:
    """Join each stretch of hours with the days it is said of, whichever comes first."""
    stretches = hours(text)
    if not stretches:
        return []
    lone = [t for t in times(text) if not any(s.start <= t.start < s.end for s in stretches)]
    sets = tuple(days for days in day_sets(text) if not _spoken_apart(text, days, lone))
    days_first = bool(sets) and sets[0].start < stretches[0].start
    days_first = days_first and not all(_named_behind(text, one, sets) for one in stretches)
    said: list[_Said] = []
    for at, one in enumerate(stretches):
        if days_first:
            earlier = [s.end for s in stretches[:at]] + [t.end for t in lone if t.end <= one.start]
            low = max(earlier, default=0)
            own = [days for days in sets if low <= days.start < one.start]
            if at == len(stretches) - 1 and not own:
                own = [days for days in sets if days.start >= one.end]
        else:
            later = [s.start for s in stretches[at + 1 :]]
            later += [t.start for t in lone if t.start >= one.end]
            high = min(later, default=len(text))
            own = [days for days in sets if one.end <= days.start < high]
        said.append(_said(text, one, own, day_sets(text)))
    return said


def _named_behind(text: str, one: Hours, sets: tuple[DaySet, ...]) -> bool:
    """True for ``9 to 5 on Friday``: whatever days were named before, these are the ones meant."""
    behind = (text[one.end : days.start] for days in sets if days.start >= one.end)
    return any(re.fullmatch(r"\s+on\s+(?:the\s+)?", gap, re.IGNORECASE) for gap in behind)


def _spoken_apart(text: str, days: DaySet, lone: list[Time]) -> bool:
    """True for days of ``closed on`` or of a single time, as in ``until 8 on Friday``."""
    before = text[max(0, days.start - 14) : days.start]
    if _CLOSED.search(before) or _BUT_FOR.search(before):
        return True
    near = (t for t in lone if t.end <= days.start and days.start - t.end <= 5)
    return any(re.fullmatch(r"\s*(?:on|,)?\s*", text[t.end : days.start]) for t in near)


def _said(text: str, one: Hours, own: list[DaySet], sets: tuple[DaySet, ...]) -> _Said:
    days = frozenset(day for days in own for day in days.days)
    others = [days for days in sets if days not in own]
    if any(days.every or len(days.days) > 2 for days in own) and (others or _EXCEPT.search(text)):
        # "daily from 9 to 5, until 8 on Friday": the exception takes its day out of the rule.
        days -= frozenset(day for other in others for day in other.days)
    start = min([one.start, *(d.start for d in own)])
    end = max([one.end, *(d.end for d in own)])
    return _Said(start=start, end=end, days=days, hours=one)


def _against_prose(case: CheckCase) -> tuple[CheckNote, ...]:
    notes = []
    for said in times(case.claim.text):
        at = (said.start, said.end)
        given = [(p, t) for p in case.passages for t in times(p.text)]
        same = next(((p, t) for p, t in given if alike(t, said)), None)
        if same is not None:
            span = same[0].span(same[1].start, same[1].end)
            notes.append(case.note("hours", "time_matches", None, "source gives it", at, (span,)))
            continue
        own = span_terms(case, *at)
        rivals = [(p, t) for p, t in given if case.mirrors(p, own)]
        shown = case.claim.text[said.start : said.end]
        if len(rivals) == 1:
            passage, time = rivals[0]
            reason = f"says {shown}, source says {passage.text[time.start : time.end]}"
            span = passage.span(time.start, time.end)
            notes.append(
                case.note("hours", "time_differs", Standing.CONTRADICTED, reason, at, (span,))
            )
        else:
            reason = f"says {shown}, which no source gives"
            notes.append(case.note("hours", "time_absent", Standing.UNGROUNDED, reason, at))
    return tuple(notes)
