"""How facts relate to a statement: shared words, and which fact a quantity of it is aligned to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from firmground.verify.derive.facts import Fact, Facts, words_around
from firmground.verify.derive.model import Value
from firmground.verify.reading import terms_of

_REACH = 7
_CLEAR = 1.25
_FAR_WEIGHT = 0.5
_LOCAL_BONUS = 0.25


@lru_cache(maxsize=4096)
def subject_terms(text: str) -> frozenset[str]:
    """Content words without numbers."""
    return frozenset(term for term in terms_of(text) if not term[0].isdecimal())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """What a statement is about, measured against the evidence."""

    statement: str
    facts: Facts
    terms: frozenset[str]
    """The statement's content words that the evidence knows."""
    scores: tuple[float, ...]
    """For each text, the share of their weight that it has, with its heading."""
    home: str | None
    """The piece of evidence the statement is clearly about, or None."""
    closeness: float
    """Share of its content words that the nearest text has: 1 for a copy, low if reworded."""

    def relation(self, fact: Fact) -> float:
        """Share of the statement's known words that a fact's text and heading have."""
        return self.scores[fact.text]

    def elsewhere(self, fact: Fact) -> bool:
        """True when the statement is clearly about another piece of evidence."""
        return self.home is not None and fact.evidence_id != self.home

    def alignment(self, near: frozenset[str], total: float, fact: Fact) -> float:
        """How well the words around a quantity fit those that a fact stands under and beside."""
        inside = self.facts.terms[fact.text] | self.facts.about[fact.text]
        close = self.facts.weight(near & inside)
        far = self.facts.weight((self.terms - near) & inside)
        local = self.facts.weight(self.terms & fact.near)
        return (close + _FAR_WEIGHT * far + _LOCAL_BONUS * local) / total

    def near(self, value: Value) -> tuple[frozenset[str], float]:
        """The known words around a quantity, and the weight that a perfect fit would have."""
        near = words_around(self.statement, value, _REACH) & self.terms
        total = self.facts.weight(near) + _FAR_WEIGHT * self.facts.weight(self.terms - near)
        return near, total or 1.0


def find_subject(statement: str, facts: Facts) -> Subject:
    """Relate a statement to the passages and headings of the evidence."""
    known = frozenset(term for term in subject_terms(statement) if term in facts.idf)
    total = facts.weight(known) or 1.0
    cache: dict[frozenset[str], float] = {}
    scores = []
    most = 0
    for own, about in zip(facts.terms, facts.about, strict=True):
        shared = known & (own | about)
        most = max(most, len(shared))
        if shared not in cache:
            cache[shared] = facts.weight(shared) / total
        scores.append(cache[shared])
    home = _home(known, facts, scores)
    return Subject(
        statement=statement,
        facts=facts,
        terms=known,
        scores=tuple(scores),
        home=home,
        closeness=most / (len(subject_terms(statement)) or 1),
    )


def _home(known: frozenset[str], facts: Facts, scores: Sequence[float]) -> str | None:
    """The piece of evidence whose words the statement's fit clearly better than the others'."""
    gathered: dict[str, set[str]] = {}
    for own, about, evidence in zip(facts.terms, facts.about, facts.evidence, strict=True):
        gathered.setdefault(evidence, set()).update(known & (own | about))
    if len(gathered) < 2:
        return None
    best: dict[str, float] = {}
    for score, evidence in zip(scores, facts.evidence, strict=True):
        best[evidence] = max(best.get(evidence, 0.0), score)
    total = facts.weight(known) or 1.0
    ranked = sorted(
        (
            (facts.weight(frozenset(found)) / total + best[evidence], evidence)
            for evidence, found in gathered.items()
        ),
        reverse=True,
    )
    return ranked[0][1] if ranked[0][0] >= _CLEAR * ranked[1][0] else None
