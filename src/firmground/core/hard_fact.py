"""Facts that do harm when they are wrong: doses, money, numbers, dates, names, identifiers.

Read from the words alone, so that every judge's claims are weighed alike. Generous on purpose: a
false detection makes a rule stricter, never milder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from firmground.core.lazy_pattern import lazy_pattern
from firmground.errors import InputError, did_you_mean


class HardFact(StrEnum):
    """A kind of fact that a reader may act on."""

    DOSE = "dose"
    MONEY = "money"
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    IDENTIFIER = "identifier"


CRITICALITY: tuple[tuple[str, float], ...] = (
    (HardFact.DOSE.value, 1.0),
    (HardFact.MONEY.value, 0.9),
    (HardFact.NUMBER.value, 0.7),
    (HardFact.DATE.value, 0.7),
    (HardFact.NAME.value, 0.6),
    (HardFact.IDENTIFIER.value, 0.8),
)
"""How much each kind weighs by default: 0 like any other claim, 1 twice as much."""

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_PATTERNS: tuple[tuple[HardFact, re.Pattern[str]], ...] = (
    (
        HardFact.DOSE,
        lazy_pattern(
            r"\d[\d.,]{0,20}\s?(?:mg|mcg|µg|μg|ug|g|ml|cc|iu|i\.u\.|mmol|meq|units?|tablets?|capsules?|"
            r"drops?|puffs?|mg/kg|mg/ml)\b",
            re.IGNORECASE,
        ),
    ),
    (
        HardFact.MONEY,
        lazy_pattern(
            r"[$€£¥₹]\s?\d|\d[\d.,]{0,20}\s?(?:[kmb]n?\s?|million\s|billion\s|thousand\s)?(?:[$€£¥₹]|"
            r"dollars?\b|euros?\b|pounds?\b|cents?\b|usd\b|eur\b|gbp\b|chf\b|yen\b)",
            re.IGNORECASE,
        ),
    ),
    (
        HardFact.DATE,
        lazy_pattern(
            rf"\b(?:1[5-9]|20)\d\d\b|\b\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}\b|"
            rf"\b\d{{1,2}}(?:st|nd|rd|th)?\.?\s{{1,3}}{_MONTH}\b|\b{_MONTH}\s{{1,3}}\d{{1,2}}\b|\b\d{{1,2}}:\d\d\b",
            re.IGNORECASE,
        ),
    ),
    (
        HardFact.IDENTIFIER,
        lazy_pattern(r"\b(?=[\w-]{0,64}\d)(?=[\w-]{0,64}[A-Za-z])\w[\w-]{2,64}\b|\w[_@]\w"),
    ),
    (HardFact.NUMBER, lazy_pattern(r"\d")),
    (HardFact.NAME, lazy_pattern(r"(?<=\S\s)[A-Z][\w'’-]|\b[A-Z][\w'’-]{1,40}\s{1,3}[A-Z][\w'’-]")),
)


def hard_facts(text: str) -> tuple[HardFact, ...]:
    """The kinds of hard facts that a claim carries, gravest kinds first."""
    return tuple(kind for kind, pattern in _PATTERNS if pattern.search(text))


def criticality(text: str, weights: Mapping[str, float]) -> float:
    """The weight of the gravest hard fact in a text; 0 when it has none that weighs."""
    return max((weights.get(kind, 0.0) for kind in hard_facts(text)), default=0.0)


def checked_criticality(weights: Iterable[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """The weights as they are used, in one order; an unknown kind or a weight not in [0, 1] is
    refused, and kinds left out keep their default."""
    known = dict(CRITICALITY)
    for kind, weight in weights:
        if kind not in known:
            near = did_you_mean(kind, known)
            raise InputError(f"weights.{kind}: no such kind{near}; there are {', '.join(known)}")
        if isinstance(weight, bool) or not 0.0 <= weight <= 1.0:  # also refuses NaN
            raise InputError(f"weights.{kind}: must lie in [0, 1], got {weight}")
        known[kind] = float(weight)
    return tuple(known.items())
