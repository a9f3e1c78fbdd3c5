"""How often something happens: hourly, daily, every two weeks, twice a year."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from firmground.core.lazy_pattern import lazy_pattern

_PERIODS = {
    "minute": "minute minutely",
    "hour": "hour hourly stündlich horaire",
    "day": "day daily nightly night täglich quotidien quotidienne diario diaria diariamente",
    "week": "week weekly wöchentlich hebdomadaire semanal semanalmente",
    "fortnight": "fortnight fortnightly",
    "month": "month monthly monatlich mensuel mensuelle mensual mensualmente",
    "quarter": "quarter quarterly vierteljährlich trimestriel trimestral",
    "year": "year yearly annual annually jährlich annuel annuelle anual anualmente",
}
_PERIOD_OF = {word: period for period, listed in _PERIODS.items() for word in listed.split()}
_NOUNS = (*_PERIODS, "night")
_ADVERBS = tuple(word for word in _PERIOD_OF if word not in _NOUNS)
_SPOKEN = lazy_pattern(
    r"\b(?:(?:once|one time)\s+)?(?:every|each|per|once an?|once per)\s+(?:single\s+)?"
    rf"(?P<noun>{'|'.join(_NOUNS)})\b|\b(?P<adverb>{'|'.join(_ADVERBS)})\b",
    re.IGNORECASE,
)
_MORE = lazy_pattern(r"\b(?:\d+|twice|two|three|four|times|several|bi|semi)[\s-]+\Z", re.IGNORECASE)

_NUMBERS = "one two three four five six seven eight nine ten".split()
_TIMES = {"once": 1, "twice": 2, "thrice": 3} | {word: at for at, word in enumerate(_NUMBERS, 1)}
_COUNTED = lazy_pattern(
    rf"\b(?:(?P<word>once|twice|thrice)|(?P<times>\d{{1,2}}|{'|'.join(_NUMBERS)})\s+times)\s+"
    rf"(?:(?:an?|per|each|every)\s+(?P<noun>{'|'.join(_NOUNS)})|(?P<adverb>{'|'.join(_ADVERBS)}))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency:
    """One plain frequency as a text has it; what happens twice a day has none here."""

    start: int
    end: int
    period: str


@lru_cache(maxsize=8192)
def frequencies(text: str) -> tuple[Frequency, ...]:
    """Read the plain frequencies of a text."""
    found = []
    for m in _SPOKEN.finditer(text):
        if _MORE.search(text, max(0, m.start() - 12), m.start()):
            continue
        word = (m["noun"] or m["adverb"]).lower()
        found.append(Frequency(start=m.start(), end=m.end(), period=_PERIOD_OF[word]))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How many times something happens in a period, as in ``twice a day``."""

    start: int
    end: int
    period: str
    times: int


@lru_cache(maxsize=8192)
def counted_frequencies(text: str) -> tuple[Counted, ...]:
    """Read how many times things happen in a period; a plain ``daily`` does not say."""
    return tuple(
        Counted(
            start=m.start(),
            end=m.end(),
            period=_PERIOD_OF.get((m["noun"] or m["adverb"]).lower(), "day"),
            times=_times((m["word"] or m["times"]).lower()),
        )
        for m in _COUNTED.finditer(text)
    )


def _times(word: str) -> int:
    return int(word) if word.isdecimal() else _TIMES[word]
