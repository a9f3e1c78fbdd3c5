"""Dates and times of day as values, read by the calendar and clock readers of this package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.derive.dimensions import ONLY_BEHIND_DIGITS, unit_table
from firmground.verify.derive.model import Value
from firmground.verify.values.calendar import Day, days
from firmground.verify.values.clock import times

_NEXT_WORD = lazy_pattern(r"[\s-]?(%|[^\W\d_]+|[€$£°])")
_YEAR_BEFORE = lazy_pattern(
    r"(?:\b(?:in|since|by|of|until|from|to|during|before|after|year|fiscal|fy|summer|winter|spring|"
    r"autumn|fall|early|late|mid|end|season|q[1-4]|and|between|for|the|than|[a-z]*ber|im|seit|en)|[(-])\s*\Z",
    re.IGNORECASE,
)
_FOLLOWS_YEAR = frozenset(
    "and or to in on at by for with the a an was were is are had has have it its he she they as "
    "but than when while after before from until through report season edition version budget "
    "annual model which that this who fiscal season campaign".split()
)
# Written as a year, but hardly one.
_EARLIEST = 1500


_HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
_HOUR = "|".join(_HOURS) + r"|1[0-2]|[1-9]"
_SPOKEN = lazy_pattern(
    rf"\b(?:(half|(?:a )?quarter|ten|five|twenty) (past|to) )?({_HOUR})"
    r"(?: o'clock)?( in the morning| in the afternoon| in the evening| at night)?\b(?![:.,]?\d)",
    re.IGNORECASE,
)
_MINUTES = {"half": 30, "quarter": 15, "a quarter": 15, "ten": 10, "five": 5, "twenty": 20}


def moment_values(text: str) -> list[Value]:
    """Read the dates and times of day of a text, in order of appearance."""
    found = [*_dates(text), *_clocks(text), *_spoken(text)]
    found.sort(key=lambda value: value.start)
    return [v for at, v in enumerate(found) if at == 0 or v.start >= found[at - 1].end]


def _dates(text: str) -> Iterator[Value]:
    for day in days(text):
        if day.month is None and not day.decade and not _is_year(text, day):
            continue
        amount = ordinal_day((day.year, day.month, day.day))
        end = day.end - 1 if text[day.end - 1] == "." else day.end
        yield Value(
            start=day.start, end=end, text=text[day.start : end],
            dimension="decade" if day.decade else "date",
            amounts=(amount,), parts=(day.year, day.month, day.day), swappable=day.swappable,
            step=0.0 if day.month else 1.0,
        )  # fmt: skip


def _is_year(text: str, day: Day) -> bool:
    """True when a bare four-digit number is a year rather than a count or a measure."""
    if day.year is None or day.year < _EARLIEST:
        return False
    if _YEAR_BEFORE.search(text, max(0, day.start - 12), day.start):
        behind = _NEXT_WORD.match(text, day.end)
        return behind is None or behind[1].lower() not in unit_table()
    behind = _NEXT_WORD.match(text, day.end)
    if behind is None:
        return True
    word = behind[1].lower()
    if word in unit_table() or word in ONLY_BEHIND_DIGITS:
        return False
    return word in _FOLLOWS_YEAR or behind[1][0].isupper()


def ordinal_day(parts: tuple[int | None, int | None, int | None]) -> float:
    """Give the day's number; a missing year counts as 2023, missing months and days as 1."""
    year, month, day = parts
    try:
        return float(date(year or 2023, month or 1, day or 1).toordinal())
    except ValueError:
        return float(date(year or 2023, month or 1, 1).toordinal())


def _clocks(text: str) -> Iterator[Value]:
    for time in times(text):
        yield Value(
            start=time.start, end=time.end, text=text[time.start : time.end],
            dimension="clock", amounts=_clock_amounts(text, time.start, time.end, time.minute),
            noun="" if time.zone is None else str(time.zone),
        )  # fmt: skip


def _spoken(text: str) -> Iterator[Value]:
    """Read "half past six" and "eight in the morning"."""
    if (
        " past " not in text
        and " to " not in text
        and " in the " not in text
        and " at " not in text
    ):
        return
    for m in _SPOKEN.finditer(text):
        if not m[4] and not (m[1] and m[2].lower() == "past"):
            continue
        word = m[3].lower()
        hour = int(word) if word.isdecimal() else _HOURS.index(word) + 1
        shift = _MINUTES[m[1].lower()] if m[1] else 0
        minute = hour % 12 * 60 + (shift if not m[2] or m[2].lower() == "past" else -shift)
        half = (m[4] or "").split()[-1:] or [""]
        late = half[0] in ("afternoon", "evening") or (half[0] == "night" and hour >= 6)
        amounts: tuple[float, ...] = (float((minute + 720 * late) % 1440),)
        if not m[4]:
            amounts = (float(minute % 1440), float((minute + 720) % 1440))
        yield Value(
            start=m.start(), end=m.end(), text=m.group(), dimension="clock", amounts=amounts
        )


def _clock_amounts(text: str, start: int, end: int, minute: int) -> tuple[float, ...]:
    """A time without am, pm or a leading zero may be meant in either half of the day."""
    written = text[start:end].lower()
    sure = "m" in written or written[0] == "0" or minute >= 13 * 60 or minute < 60
    return (float(minute),) if sure else (float(minute), float((minute + 720) % 1440))
