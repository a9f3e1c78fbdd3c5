"""Comparisons in words: "A is cheaper than B", checked on the values of A's and B's rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.derive.facts import Fact, Facts
from firmground.verify.derive.model import Derivation, DerivationOutcome
from firmground.verify.derive.subject import Subject, subject_terms

_DIRECTION = {
    "more": 1, "longer": 1, "higher": 1, "larger": 1, "bigger": 1, "greater": 1, "dearer": 1,
    "heavier": 1, "later": 1, "older": 1, "taller": 1, "faster": 1, "costlier": 1, "wider": 1,
    "deeper": 1, "warmer": 1, "hotter": 1, "less": -1, "fewer": -1, "shorter": -1, "lower": -1,
    "smaller": -1, "cheaper": -1, "lighter": -1, "earlier": -1, "younger": -1, "sooner": -1,
    "cooler": -1, "colder": -1, "narrower": -1,
}  # fmt: skip
# What a comparative measures; other values of the two are not compared.
_MEASURES = {
    "longer": {"time", "months", "length"}, "shorter": {"time", "months", "length"},
    "cheaper": {"money"}, "dearer": {"money"}, "costlier": {"money"}, "heavier": {"mass"},
    "lighter": {"mass"}, "taller": {"length"}, "deeper": {"length"}, "wider": {"length"},
    "narrower": {"length"}, "older": {"months", "date"}, "younger": {"months"},
    "later": {"date", "clock"}, "earlier": {"date", "clock"}, "sooner": {"date", "clock", "time"},
    "warmer": {"temperature"}, "hotter": {"temperature"}, "cooler": {"temperature"},
    "colder": {"temperature"}, "faster": {"speed"},
}  # fmt: skip
_THAN = lazy_pattern(
    rf"\b({'|'.join(_DIRECTION)})\b(?=((?:\W+\w+){{0,6}}?)\W+than\b(.{{0,120}}))",
    re.IGNORECASE | re.DOTALL,
)
_CERTAIN = 0.999


def compared_in_words(statement: str, facts: Facts, subject: Subject) -> Iterator[Derivation]:
    """Judge each "… than …" whose two sides name one value each, in one column or one attribute."""
    for m in _THAN.finditer(statement):
        left = subject_terms(statement[: m.start()])
        right = subject_terms(m[3].partition(".")[0])
        pair = _two_values(left - right, right - left, m[1].lower(), facts, subject)
        if pair is None:
            continue
        one, other = pair
        sign = (one.value.amount > other.value.amount) - (one.value.amount < other.value.amount)
        holds = sign == _DIRECTION[m[1].lower()]
        mark = {1: ">", -1: "<", 0: "="}[sign]
        yield Derivation(
            outcome=DerivationOutcome.DERIVED if holds else DerivationOutcome.CONFLICTS,
            start=m.start(1),
            end=m.end(1),
            working=f"{one.value.text} {mark} {other.value.text}",
            operands=(facts.operand(one), facts.operand(other)),
            code="comparison_holds" if holds else "comparison_fails",
            dimension="comparison",
            coincidence_risk=0.5,
            cued=True,
            relation=min(subject.relation(one), subject.relation(other)),
            closeness=subject.closeness,
        )


def _two_values(
    left: frozenset[str], right: frozenset[str], word: str, facts: Facts, subject: Subject
) -> tuple[Fact, Fact] | None:
    """The one value that only the left side names, and the one of its kind on the right."""
    if not left or not right:
        return None
    ones, others = [], []
    for fact in facts.facts:
        if not _measures(word, fact) or fact.value.high is not None:
            continue
        inside = facts.terms[fact.text] | facts.about[fact.text]
        a, b = facts.weight(left & inside), facts.weight(right & inside)
        if a > 0 and not right & inside:
            ones.append((a, fact))
        elif b > 0 and not left & inside:
            others.append((b, fact))
    pairs = [
        (a + b, one, other)
        for a, one in _best(ones)
        for b, other in _best(others)
        if one.dimension == other.dimension and one.column == other.column
    ]
    return (pairs[0][1], pairs[0][2]) if len(pairs) == 1 else None


def _best(found: list[tuple[float, Fact]]) -> list[tuple[float, Fact]]:
    top = max((score for score, _ in found), default=0.0)
    return [pair for pair in found if pair[0] >= _CERTAIN * top][:8]


def _measures(word: str, fact: Fact) -> bool:
    kind = fact.dimension.partition(":")[0]
    if kind in ("label", "ordinal", "decade", "share", "ratio"):
        return False
    wanted = _MEASURES.get(word)
    return kind not in ("date", "clock") if wanted is None else kind in wanted
