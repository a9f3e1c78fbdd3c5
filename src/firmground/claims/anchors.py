"""Checks that cited evidence has the kind of fact a question asks for: name, date, count, cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from firmground.claims import words as en
from firmground.claims.norm import compared
from firmground.claims.tokens import plain_tokens, tokens
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import sentences

_YEAR = lazy_pattern(r"(?<![\d.,])(1[5-9]\d\d|2[01]\d\d)(?![\d]|[.,]\d)")
_ISO = lazy_pattern(r"(?<!\d)(1[5-9]\d\d|2[01]\d\d)-(0[1-9]|1[0-2])(?:-\d\d)?(?!\d)")
_NUMBER = lazy_pattern(r"(?<![\w.])(\d{1,3}(?:,\d{3})+|\d+)(?:st|nd|rd|th)?(?!\w|\.\d)")
_SHORTEST_CAUSE = 5


class Anchor(StrEnum):
    """What kind of thing a claim must share with the evidence it cites."""

    PROPER_NOUN = "proper_noun"
    """Questions for who, which or where: any name of the claim."""
    DATE = "date"
    """Any claim with a year from 1500 to 2199 or a month: all parts of the date."""
    ENTITY_LIST = "entity_list"
    """Questions for a list: any name of the claim."""
    COUNT = "count"
    """Questions for how many: all numbers, digits or words, ordinals too."""
    CAUSE = "cause"
    """Questions for why: any name, or any word of five letters and more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorMatch:
    """Whether one anchor of a claim was found in the evidence it cites."""

    anchor: Anchor
    found: bool
    missing: tuple[str, ...] = ()


def warrants(
    claim: str, question: str, spans: Sequence[str], *, same_sentence: bool = True
) -> tuple[AnchorMatch, ...]:
    """Look for every anchor the question and the claim call for; none called for gives none.

    With `same_sentence` all parts of a date must stand in one sentence of the evidence, so that a
    year from here and a month from there do not make a date.
    """
    asked = plain_question(question)
    found: list[AnchorMatch] = []
    dates = date_parts(claim)
    if dates:
        found.append(_dated(dates, spans, same_sentence=same_sentence))
    if _asks(asked, en.COUNT_QUESTIONS) and counts(claim):
        found.append(_all_of(Anchor.COUNT, counts(claim), _counts_of(spans)))
    names = proper_nouns(claim)
    if _asks(asked, en.CAUSE_QUESTIONS):
        causes = names | {w for w in plain_tokens(claim) if _tells_cause(w)}
        found += _any_of(Anchor.CAUSE, causes, spans)
    elif _asks(asked, en.LIST_QUESTIONS):
        found += _any_of(Anchor.ENTITY_LIST, names, spans)
    elif _asks(asked, en.RELATION_QUESTIONS):
        found += _any_of(Anchor.PROPER_NOUN, names, spans)
    return tuple(found)


def plain_question(question: str) -> str:
    """The words of a question in lower case, single spaces between."""
    return " ".join(plain_tokens(question))


def date_parts(text: str) -> frozenset[str]:
    """The years from 1500 to 2199 and the months a text names, ISO dates included."""
    found = set(_YEAR.findall(text))
    for year, month in _ISO.findall(text):
        found |= {year, en.MONTHS[int(month) - 1]}
    for one in tokens(text):
        month = en.MONTH_FORMS.get(one.text.lower())
        # A month stands with a capital in English; "may" and "march" without one are verbs.
        if month and one.text[0].isupper() and not (month == "may" and one.start == 0):
            found.add(month)
    return frozenset(found)


def counts(text: str) -> frozenset[int]:
    """The whole numbers of a text, in digits or words; ordinals count as their number."""
    plain = _ISO.sub(" ", text)
    found = {int(digits.replace(",", "")) for digits in _NUMBER.findall(plain) if len(digits) < 16}
    for word in plain_tokens(plain):
        parts = word.split("-")
        if all(part in en.NUMBER_WORDS for part in parts):
            found.add(sum(en.NUMBER_WORDS[part] for part in parts))
    return frozenset(found)


def proper_nouns(text: str) -> frozenset[str]:
    """The capitalised words of a text in lower case, leaving out openers of sentences."""
    return frozenset(
        one.text.lower()
        for one in tokens(text)
        if one.text[0].isupper() and one.text.lower() not in en.FUNCTION_OPENERS
    )


def _asks(asked: str, phrases: tuple[str, ...]) -> bool:
    return any(asked == phrase or asked.startswith(phrase + " ") for phrase in phrases)


def _tells_cause(word: str) -> bool:
    return len(word) >= _SHORTEST_CAUSE and word.isalpha() and word not in en.STOPWORDS


def _counts_of(spans: Sequence[str]) -> frozenset[int]:
    return frozenset(number for span in spans for number in counts(span))


def _dated(parts: frozenset[str], spans: Sequence[str], *, same_sentence: bool) -> AnchorMatch:
    best: frozenset[str] = frozenset()
    everywhere: frozenset[str] = frozenset()
    for span in spans:
        pieces = [span[one.start : one.end] for one in sentences(span)] if same_sentence else [span]
        for piece in pieces:
            here = parts & date_parts(piece)
            everywhere |= here
            best = max(best, here, key=len)
    seen = best if same_sentence else everywhere
    return AnchorMatch(anchor=Anchor.DATE, found=seen == parts, missing=tuple(sorted(parts - seen)))


def _all_of(anchor: Anchor, wanted: frozenset[int], offered: frozenset[int]) -> AnchorMatch:
    missing = tuple(str(number) for number in sorted(wanted - offered))
    return AnchorMatch(anchor=anchor, found=not missing, missing=missing)


def _any_of(anchor: Anchor, wanted: frozenset[str], spans: Sequence[str]) -> list[AnchorMatch]:
    """A claim without a candidate calls for no warrant."""
    if not wanted:
        return []
    offered = {word for span in spans for word in plain_tokens(compared(span))}
    found = not wanted.isdisjoint(offered)
    missing = () if found else tuple(sorted(wanted))
    return [AnchorMatch(anchor=anchor, found=found, missing=missing)]
