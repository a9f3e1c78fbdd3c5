"""Dates as people write them: which year, month and day a text names, as far as it names them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.values.taken import Taken

_MONTHS = {
    1: "january januar janvier enero jan ene jänner",
    2: "february februar février febrero feb févr",
    3: "march märz mars marzo mar mär",
    4: "april avril abril apr avr abr",
    5: "may mai mayo",
    6: "june juni juin junio jun",
    7: "july juli juillet julio jul juil",
    8: "august août agosto aug ago",
    9: "september septembre septiembre sep sept",
    10: "october oktober octobre octubre oct okt",
    11: "november novembre noviembre nov",
    12: "december dezember décembre diciembre dec dez déc dic",
}
MONTH_NAMES = {name: month for month, names in _MONTHS.items() for name in names.split()}
_NAME = "|".join(sorted(MONTH_NAMES, key=len, reverse=True))
_YEAR = r"(?:1[0-9]|20)\d\d"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"
_ISO = lazy_pattern(rf"(?<![\d-])({_YEAR})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?!\d)")
_SLASHED = lazy_pattern(rf"(?<![\d/.])({_DAY})[/.]({_DAY})[/.]({_YEAR}|\d\d)(?![\d/])")
_MONTH_FIRST = lazy_pattern(
    rf"\b({_NAME})\.?\s+({_DAY})(?:st|nd|rd|th)?\b(?!\s*[:%]|[.,]\d)(?:,?\s+({_YEAR})\b)?",
    re.IGNORECASE,
)
_DAY_FIRST = lazy_pattern(
    rf"(?<![\d.,:])({_DAY})(?:\.|st|nd|rd|th|er)?\s+(?:of\s+|de\s+)?({_NAME})\b\.?"
    rf"(?:,?\s+(?:de\s+|del\s+)?({_YEAR})\b)?",
    re.IGNORECASE,
)
_MONTH_YEAR = lazy_pattern(rf"\b({_NAME})\.?,?\s+(?:of\s+|de\s+)?({_YEAR})\b", re.IGNORECASE)
_MONTH_ALONE = lazy_pattern(
    r"\b(January|February|April|June|July|August|September|October|November|December|Januar|"
    r"Februar|Juni|Juli|Oktober|Dezember|(?:in|In|since|Since|by|By|until|of|last|next|early|late|from|to|through|between)"
    r"\s+(?:March|May))\b"
)
_BARE_YEAR = lazy_pattern(
    rf"(?<![\w.,:$€£/-])({_YEAR})(s)?(?![\w%]|[.,:]\d|[-–](?!(?:1[0-9]|20)\d\d\b)\d|\s?(?:km|kg|mg|ml|m|ft)\b)"
)
_EARLY_YEAR = lazy_pattern(
    r"\b(?:in|since|In|Since|year|um|im Jahr|en)\s+(\d{3})\b"
    r"(?=\s*(?:[.,;:)]|$|by|the|and|when|after|during|AD|CE|BC|under|von|par|por)(?!\w))"
)


_DIGIT = lazy_pattern(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A date as far as the text gives it; what is not given is None."""

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    decade: bool = False
    swappable: bool = False
    """True when day and month could be read either way round."""

    @property
    def parts(self) -> tuple[tuple[str, int], ...]:
        """The given parts, by name."""
        named = (("year", self.year), ("month", self.month), ("day", self.day))
        return tuple((name, value) for name, value in named if value is not None)


@lru_cache(maxsize=8192)
def days(text: str) -> tuple[Day, ...]:
    """Read every date in a text, longest reading first, in order of appearance."""
    if not _DIGIT.search(text):
        return tuple(_month_alone(text))
    found: list[Day] = []
    taken = Taken(len(text))
    for reader in (_iso, _slashed, _month_first, _day_first, _month_year, _month_alone, _years):
        for day in reader(text):
            if not taken.overlaps(day.start, day.end):
                found.append(day)
                taken.take(day.start, day.end)
    return tuple(sorted(found, key=lambda day: day.start))


def agrees(said: Day, given: Day) -> bool:
    """True when every part the claim gives is given the same way by one date of the source."""
    if said.decade or given.decade:
        return _same_decade(said, given)
    if all(dict(given.parts).get(name) == value for name, value in said.parts):
        return True
    if given.swappable or said.swappable:
        return (said.year, said.month, said.day) == (given.year, given.day, given.month)
    return False


def conflicts(said: Day, given: Day) -> bool:
    """True when a part both of them give differs."""
    if said.decade or given.decade or said.swappable or given.swappable:
        return False
    theirs = dict(given.parts)
    return any(name in theirs and theirs[name] != value for name, value in said.parts)


def _same_decade(said: Day, given: Day) -> bool:
    return bool(said.year and given.year) and (said.year or 0) // 10 == (given.year or 0) // 10


def _iso(text: str) -> list[Day]:
    return [
        Day(start=m.start(), end=m.end(), year=int(m[1]), month=int(m[2]), day=int(m[3]))
        for m in _ISO.finditer(text)
    ]


def _slashed(text: str) -> list[Day]:
    return [_from_slashed(m) for m in _SLASHED.finditer(text) if min(int(m[1]), int(m[2])) <= 12]


def _from_slashed(m: re.Match[str]) -> Day:
    first, second, year = int(m[1]), int(m[2]), int(m[3])
    year = year if year > 99 else (2000 + year if year < 70 else 1900 + year)
    day, month = (second, first) if second > 12 else (first, second)
    swappable = first <= 12 and second <= 12 and first != second
    return Day(start=m.start(), end=m.end(), year=year, month=month, day=day, swappable=swappable)


def _month_first(text: str) -> list[Day]:
    return [
        Day(
            start=m.start(),
            end=m.end(),
            month=MONTH_NAMES[m[1].lower()],
            day=int(m[2]),
            year=int(m[3]) if m[3] else None,
        )
        for m in _MONTH_FIRST.finditer(text)
        if m[1][0].isupper()
    ]


def _day_first(text: str) -> list[Day]:
    return [
        Day(
            start=m.start(),
            end=m.end(),
            day=int(m[1]),
            month=MONTH_NAMES[m[2].lower()],
            year=int(m[3]) if m[3] else None,
        )
        for m in _DAY_FIRST.finditer(text)
        if m[2][0].isupper() or m[2].lower() not in ("may", "mar", "mars", "march", "ago", "dic")
    ]


def _month_year(text: str) -> list[Day]:
    return [
        Day(start=m.start(), end=m.end(), month=MONTH_NAMES[m[1].lower()], year=int(m[2]))
        for m in _MONTH_YEAR.finditer(text)
    ]


def _month_alone(text: str) -> list[Day]:
    return [
        Day(
            start=m.start() + m[1].rfind(" ") + 1,
            end=m.end(),
            month=MONTH_NAMES[m[1].rpartition(" ")[2].lower()],
        )
        for m in _MONTH_ALONE.finditer(text)
    ]


def _years(text: str) -> list[Day]:
    plain = [
        Day(start=m.start(), end=m.end(), year=int(m[1]), decade=bool(m[2]))
        for m in _BARE_YEAR.finditer(text)
    ]
    early = [
        Day(start=m.start(1), end=m.end(1), year=int(m[1])) for m in _EARLY_YEAR.finditer(text)
    ]
    return plain + early
