"""Times of day, opening hours and lists of weekdays, in twelve- and twenty-four-hour writing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from firmground.core.lazy_pattern import lazy_pattern

_DAY_NAMES = (
    "monday mon montag lundi lunes",
    "tuesday tue tues dienstag mardi martes",
    "wednesday wed weds mittwoch mercredi miércoles",
    "thursday thu thur thurs donnerstag jeudi jueves",
    "friday fri freitag vendredi viernes",
    "saturday sat samstag sonnabend samedi sábado",
    "sunday sun sonntag dimanche domingo",
)
WEEKDAYS = {name: at for at, names in enumerate(_DAY_NAMES) for name in names.split()}
WEEKDAY_LABELS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT = {"mon", "tue", "tues", "wed", "weds", "thu", "thur", "thurs", "fri", "sat", "sun"}
_NAMES = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_WEEKDAY = lazy_pattern(rf"\b({_NAMES})(s|en)?\b", re.IGNORECASE)
_ALL_WEEK = lazy_pattern(
    r"\b(every ?day|daily|seven days a week|7 days a week|all week|täglich|jeden Tag|"
    r"tous les jours|todos los días|(?:every|each) day of the week)\b",
    re.IGNORECASE,
)
_WORK_WEEK = lazy_pattern(r"\b(weekdays|werktags|en semaine|entre semana)\b", re.IGNORECASE)
_WEEKEND = lazy_pattern(r"\b(weekends?|wochenende|week-ends?|fines? de semana)\b", re.IGNORECASE)
_THROUGH = lazy_pattern(r"\.?\s*(?:to|through|thru|till|until|bis|au|à|a|-|–|—)\s*", re.IGNORECASE)
_TIME = lazy_pattern(
    r"(?<![\d:.,$€£])(\d{1,2})(?:[:.h](\d{1,2}))?\s*(a\.\s?m\.|p\.\s?m\.|am|pm|o'clock|uhr)(?!\w)"
    r"|(?<![\d:.])(\d{1,2}):(\d{1,2})(?::\d\d)?(?![\d:])"
    r"|\b(midnight|noon|mitternacht|mittag|minuit|midi|medianoche|mediodía)\b",
    re.IGNORECASE,
)
_LOOK_BACK = 60
_HALF_LEFT = lazy_pattern(r"(?<![\d:.])(\d{1,2})(?:[:.](\d{2}))?\s*$")
_NAMED = {"midnight": 0, "mitternacht": 0, "minuit": 0, "medianoche": 0}
_ZONES = {
    "utc": 0, "gmt": 0, "bst": 60, "cet": 60, "cest": 120, "eet": 120, "eest": 180, "jst": 540,
    "est": -300, "edt": -240, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
}  # fmt: skip
_ZONE = lazy_pattern(
    rf"\s?\(?({'|'.join(_ZONES)})\b(?:([+-]\d{{1,2}})(?::?(\d\d))?)?", re.IGNORECASE
)
_NOON = 12 * 60
MIDNIGHT = 24 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """A time of day in minutes after midnight."""

    start: int
    end: int
    minute: int
    zone: int | None = None
    """Minutes ahead of UTC when a time zone is written behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """From one time of day to another."""

    start: int
    end: int
    opens: int
    closes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySet:
    """Some days of the week, Monday being 0, named in one stretch of text."""

    start: int
    end: int
    days: frozenset[int]
    every: bool = False


@lru_cache(maxsize=8192)
def times(text: str) -> tuple[Time, ...]:
    """Read the times of day that are written as such."""
    found = (_time(m) for m in _TIME.finditer(text) if _fits(m))
    return tuple(replace(one, zone=_zone(text, one.end)) for one in found)


def alike(one: Time, other: Time) -> bool:
    """True when two times name one moment; half a day is forgiven, for want of am and pm."""
    if one.zone is None or other.zone is None:
        return (one.minute - other.minute) % _NOON == 0
    return (one.minute - one.zone - other.minute + other.zone) % _NOON == 0


def _zone(text: str, end: int) -> int | None:
    m = _ZONE.match(text, end)
    if m is None:
        return None
    shift = (
        int(m[2]) * 60 + (int(m[3]) if m[3] else 0) * (-1 if m[2][0] == "-" else 1) if m[2] else 0
    )
    return _ZONES[m[1].lower()] + shift


@lru_cache(maxsize=8192)
def hours(text: str) -> tuple[Hours, ...]:
    """Read ``17:0-23:0``, ``5 pm to 9 pm`` and ``5-9 pm`` as a stretch of the day."""
    found = times(text)
    paired: list[Hours] = []
    used = -1
    for at, time in enumerate(found):
        if at <= used:
            continue
        later = found[at + 1] if at + 1 < len(found) else None
        if later is not None and _THROUGH.fullmatch(text[time.end : later.start]):
            paired.append(
                Hours(start=time.start, end=later.end, opens=time.minute, closes=later.minute)
            )
            used = at + 1
            continue
        half = _open_half(text, time)
        if half is not None:
            paired.append(half)
    return tuple(paired)


@lru_cache(maxsize=8192)
def day_sets(text: str) -> tuple[DaySet, ...]:
    """Read weekday lists and ranges; ``daily``, ``weekdays`` and ``weekends`` are sets as well."""
    found: list[DaySet] = []
    for m in _ALL_WEEK.finditer(text):
        found.append(DaySet(start=m.start(), end=m.end(), days=frozenset(range(7)), every=True))
    for m in _WORK_WEEK.finditer(text):
        found.append(DaySet(start=m.start(), end=m.end(), days=frozenset(range(5))))
    for m in _WEEKEND.finditer(text):
        found.append(DaySet(start=m.start(), end=m.end(), days=frozenset((5, 6))))
    found.extend(_named_sets(text))
    return tuple(sorted(found, key=lambda days: days.start))


def clock(minute: int) -> str:
    """Write a time of day in twenty-four-hour form."""
    return f"{minute // 60 % 24}:{minute % 60:02d}"


def day_list(days: frozenset[int]) -> str:
    """Write a set of days for a person."""
    return "every day" if len(days) == 7 else ", ".join(WEEKDAY_LABELS[day] for day in sorted(days))


def _fits(m: re.Match[str]) -> bool:
    hour, minute = m[1] or m[4], m[2] or m[5]
    return m[6] is not None or (int(hour) <= 24 and int(minute or 0) < 60)


def _time(m: re.Match[str]) -> Time:
    if m[6]:
        minute = _NAMED.get(m[6].lower(), _NOON)
    elif m[1]:
        minute = _of_day(int(m[1]), int(m[2] or 0), m[3].lower())
    else:
        minute = _of_day(int(m[4]), int(m[5]), "")
    return Time(start=m.start(), end=m.end(), minute=minute % MIDNIGHT)


def _of_day(hour: int, minute: int, half: str) -> int:
    if half.startswith("p") and hour < 12:
        hour += 12
    elif half.startswith("a") and hour == 12:
        hour = 0
    return hour * 60 + minute


def _open_half(text: str, time: Time) -> Hours | None:
    """Read the ``5-`` of ``5-9 pm``, which has no half-day of its own."""
    first = max(0, time.start - _LOOK_BACK)
    joint = re.search(r"\s*(?:to|through|till|until|bis|-|–|—)\s*\Z", text[first : time.start])
    before = _HALF_LEFT.search(text, first, first + joint.start()) if joint else None
    if before is None or int(before[1]) > 12:
        return None
    opens = int(before[1]) % 12 * 60 + int(before[2] or 0)
    if time.minute >= _NOON and opens + _NOON < time.minute:
        opens += _NOON
    return Hours(start=before.start(), end=time.end, opens=opens, closes=time.minute)


def _named_sets(text: str) -> list[DaySet]:
    found = [m for m in _WEEKDAY.finditer(text) if _is_day(m)]
    sets: list[DaySet] = []
    at = 0
    while at < len(found):
        first = last = found[at]
        days = {WEEKDAYS[first[1].lower()]}
        while at + 1 < len(found):
            joint, after = text[last.end() : found[at + 1].start()], found[at + 1]
            if _THROUGH.fullmatch(joint):
                days |= _range(WEEKDAYS[last[1].lower()], WEEKDAYS[after[1].lower()])
            elif re.fullmatch(r"\.?\s*(?:,|/|&|and|or|und|et|y|,\s*and|, or)\s*", joint):
                days.add(WEEKDAYS[after[1].lower()])
            else:
                break
            last = after
            at += 1
        sets.append(DaySet(start=first.start(), end=last.end(), days=frozenset(days)))
        at += 1
    return sets


def _is_day(m: re.Match[str]) -> bool:
    return m[1][0].isupper() or m[1].lower() not in _SHORT


def _range(first: int, last: int) -> set[int]:
    return {(first + step) % 7 for step in range((last - first) % 7 + 1)}
