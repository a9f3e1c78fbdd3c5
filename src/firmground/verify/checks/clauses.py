"""Sentences cut into clauses that assert something, with their content words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, tokens
from firmground.verify.select import word_terms
from firmground.verify.values.verbs import verb_key

_TURN = lazy_pattern(
    r"[;:.](?=\s)|,?\s(?:but|while|whereas|although|though|however|yet)\s|,\s(?:and|or|which|who)\s|"
    r"\sand\s(?!not\b|\d)",
    re.IGNORECASE,
)
_PRONOUN = lazy_pattern(
    r"\W*(?:(?:and|but|while|in \w+|then|later)\s+)?(?:it|its|he|his|she|her|they|their|this|that|"
    r"these|those|there|we|our|you|your|both|each|one|who|which)\b",
    re.IGNORECASE,
)
_ONE = {"one": "1", "children": "child", "women": "woman", "men": "man", "people": "person"}
_MOST_STATEMENTS = 60
_ENDS = (";", ":", ".")


@dataclass(frozen=True, slots=True)
class ContentWord:
    """A telling word: what it is compared by, and where it stands."""

    key: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause of a text, with what it takes over from the clause before it."""

    start: int
    end: int
    words: tuple[ContentWord, ...]
    taken_over: frozenset[str] = frozenset()
    """Words of the clause before that stand before the first word the two do not share."""

    @property
    def keys(self) -> frozenset[str]:
        """What its own words are compared by."""
        return frozenset(word.key for word in self.words)


def key_of(word: str) -> str:
    """Give what a word is compared by, whatever its form."""
    lowered = word.lower().removesuffix("'s").removesuffix("’s")
    if lowered in _ONE:
        return _ONE[lowered]
    terms = word_terms(word)
    if any(map(str.isdigit, terms[0] if terms else "")):
        return terms[0]
    return verb_key(lowered).removesuffix("e")


@lru_cache(maxsize=8192)
def content_words(text: str) -> tuple[ContentWord, ...]:
    """The telling words of a text in order; a lone capital is one, as in *group A*."""
    return tuple(
        ContentWord(key_of(w.text) if word_terms(w.text) else w.text, w.start, w.end, w.text)
        for w in tokens(text)
        if word_terms(w.text) or (len(w.text) == 1 and w.text.isupper() and w.start > 0)
    )


@lru_cache(maxsize=8192)
def clauses(text: str) -> tuple[Clause, ...]:
    """Cut a sentence into statements at its strong joints; a list stays in one piece."""
    found: list[Clause] = []
    words = content_words(text)
    for low, high in _stretches(text):
        own = tuple(w for w in words if low <= w.start < high)
        if own:
            found.append(Clause(start=low, end=high, words=own))
    return tuple(found[:_MOST_STATEMENTS])


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for m in _TURN.finditer(text):
        yield start, m.start()
        start = m.end()
    yield start, len(text)


def iter_clauses(case: CheckCase, passages: Iterable[Passage]) -> Iterator[tuple[Passage, Clause]]:
    """Yield the clauses of prose, each with what it may take over from the one before it."""
    claimed = keys_of(case.claim.text)
    for passage in passages:
        if passage.path is not None:
            continue
        lead: frozenset[str] = frozenset()
        for one in clauses(passage.text):
            # Who repeats a word of the clause before names its own subject, and takes over nothing.
            alone = passage.text[max(0, one.start - 1) : one.start] in _ENDS
            over = frozenset() if alone or lead & one.keys else lead
            yield (
                passage,
                Clause(start=one.start, end=one.end, words=one.words, taken_over=over),
            )
            lead = _lead(one, claimed) or lead


def _lead(one: Clause, claimed: frozenset[str]) -> frozenset[str]:
    shared: list[str] = []
    for word in one.words:
        if word.key not in claimed or any(map(str.isdigit, word.key)):
            break
        shared.append(word.key)
    return frozenset(shared)


@lru_cache(maxsize=8192)
def keys_of(text: str) -> frozenset[str]:
    """What the telling words of a text are compared by."""
    return frozenset(word.key for word in content_words(text))


def denied(text: str, one: Clause, *, before: int | None = None) -> bool:
    """True when something is denied in a statement of a text, or in its part before a place."""
    end = one.end if before is None else before
    return any(one.start <= start < end for start, _ in denials(text))


def points_back(text: str, one: Clause) -> bool:
    """True when a clause may refer to a subject named before it."""
    return _PRONOUN.match(text, one.start, one.end) is not None
