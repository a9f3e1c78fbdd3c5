"""How facts relate to a statement: shared words, the section it is about, the aligned passage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from firmground.verify.derive.facts import Fact, Facts
from firmground.verify.derive.model import Value
from firmground.verify.reading import terms_of, tokens
from firmground.verify.select import word_terms

_WINDOW = 7
_CLEAR = 1.3
_TITLE_WEIGHT = 2.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """What a statement is about, measured against the evidence."""

    terms: frozenset[str]
    total: float
    """Weight of the statement's words that the evidence knows."""
    scores: tuple[float, ...]
    """For each passage, the share of that weight it has, with its heading."""
    home: int | None
    """The piece of evidence (by its first group) the statement is clearly about, or None."""
    homes: frozenset[int]
    """The groups that belong to that piece of evidence; empty when it is not clear."""

    def relation(self, fact: Fact) -> float:
        """Share of the statement's known words that a fact's passage and heading have."""
        return self.scores[fact.passage]

    def elsewhere(self, fact: Fact) -> bool:
        """True when the statement is clearly about another heading than the fact stands under."""
        return bool(self.homes) and fact.group not in self.homes


@lru_cache(maxsize=4096)
def subject_terms(text: str) -> frozenset[str]:
    """Content words without numbers."""
    return frozenset(t for t in terms_of(text) if not any(c.isdecimal() for c in t))


def find_subject(statement: str, facts: Facts) -> Subject:
    """Relate a statement to the passages and headings of the evidence."""
    terms = subject_terms(statement)
    known = frozenset(term for term in terms if term in facts.idf)
    for about in facts.groups:
        known |= terms & about
    total = facts.weight(known) or 1.0
    cache: dict[tuple[frozenset[str], int], float] = {}
    scores = []
    for own, group in zip(facts.terms, facts.group_of, strict=True):
        key = (own, group)
        if key not in cache:
            cache[key] = facts.weight(known & (own | facts.groups[group])) / total
        scores.append(cache[key])
    home, homes = _home(known, facts)
    return Subject(terms=known, total=total, scores=tuple(scores), home=home, homes=homes)


def _home(known: frozenset[str], facts: Facts) -> tuple[int | None, frozenset[int]]:
    """The group whose heading and text the statement's words fit clearly better than others'."""
    if len(facts.groups) < 2:
        return None, frozenset()
    common = frozenset.intersection(*facts.groups)
    scored = []
    for at, (about, body) in enumerate(zip(facts.groups, facts.bodies, strict=True)):
        title = facts.weight(known & (about - common))
        text = facts.weight(known & (body | about))
        scored.append((_TITLE_WEIGHT * title + text, at))
    scored.sort(reverse=True)
    best, second = scored[0][0], scored[1][0]
    if best <= 0 or best < _CLEAR * second:
        return None, frozenset()
    return scored[0][1], frozenset({scored[0][1]})


def near_terms(statement: str, value: Value) -> frozenset[str]:
    """The content words within a few words of a value of the statement."""
    words = tokens(statement)
    inside = [at for at, w in enumerate(words) if w.start < value.end and w.end > value.start]
    if not inside:
        return frozenset()
    low, high = max(0, inside[0] - _WINDOW), inside[-1] + _WINDOW + 1
    return frozenset(
        term
        for at in range(low, min(high, len(words)))
        if at not in inside
        for term in word_terms(words[at].text)
        if not any(c.isdecimal() for c in term)
    )
