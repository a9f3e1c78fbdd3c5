"""The input of every check: a claim, the passages chosen for it, and all other evidence."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum
from typing import Any

from firmground.core.claim import CheckNote, Claim, Standing
from firmground.core.evidence import EvidenceSpan
from firmground.core.segment import Word
from firmground.verify.checks.unmentioned import unmentioned
from firmground.verify.reading import EvidenceIndex, Passage, terms_of, tokens
from firmground.verify.select import word_terms
from firmground.verify.values.meanings import same_words

_NEAR = 0.6
# From this size on, whether a passage mirrors a claim is first decided from sums computed once.
_MANY_TERMS = 48
_ROUNDING = 1e-6
_MIRRORED = 0.8
_DENSE = 0.5
_FEWEST_SHARED = 2
_LONGEST_CONTEXT = 120
# Verbs that only say that something goes on: a source need not have them.
_LIGHT = frozenset({"happen", "occur", "proceed", "tak", "plac", "work", "function"})


@dataclass(frozen=True, kw_only=True)
class CheckCase:
    """One claim before its evidence."""

    claim: Claim
    passages: tuple[Passage, ...]
    """Chosen for this claim, best first."""
    reading: EvidenceIndex
    question: str = ""
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What several checks need and only one works out."""

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The claim's words, with offsets inside the claim."""
        return tokens(self.claim.text)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each of its words starts, so that a stretch need not be looked for."""
        return tuple(word.start for word in self.words)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Where each of its words ends."""
        return tuple(word.end for word in self.words)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The claim's content words, normalised."""
        return terms_of(self.claim.text)

    @cached_property
    def weights(self) -> dict[str, float]:
        """How telling each of the claim's content words is."""
        return {term: self.reading.weight(term) for term in self.terms}

    @cached_property
    def asked(self) -> frozenset[str]:
        """Content words of the question and of what the claim refers back to."""
        return terms_of(self.question) | terms_of(self.claim.context)

    @cached_property
    def unmentioned(self) -> str:
        """What the claim says that the documents do not mention; empty for other claims."""
        return unmentioned(self.claim.text)

    @cached_property
    def about_source(self) -> bool:
        """True when the claim says that the source is silent, which is not a claim about facts."""
        return bool(self.unmentioned)

    def cover(self, passage: Passage, without: frozenset[str] = frozenset()) -> float:
        """Share of the claim's content words, weighed by rarity, that a passage holds."""
        wanted = self.terms - without
        weight = self.weights.__getitem__
        whole = fsum(map(weight, wanted))  # exact, so that the order of a set changes nothing
        return fsum(map(weight, wanted & passage.terms)) / whole if whole else 0.0

    def mirrors(self, passage: Passage, without: frozenset[str] = frozenset()) -> bool:
        """True when a passage says nearly the same words close together, give or take ``without``.

        Only then may a difference in one word be read as a difference in what is said.
        """
        key = (passage.order, without)
        if key not in self._mirrored:
            self._mirrored[key] = self._mirrors(passage, without)
        return self._mirrored[key]

    @cached_property
    def _mirrored(self) -> dict[tuple[int, frozenset[str]], bool]:
        """What ``mirrors`` found before, since many checks ask about the same passages."""
        return {}

    def _mirrors(self, passage: Passage, without: frozenset[str]) -> bool:
        if len(self.terms) > _MANY_TERMS and self._far_apart(passage, without):
            return False
        wanted = self._wanted(passage, without)
        if len(wanted) < _FEWEST_SHARED or self._held(passage, wanted) < _MIRRORED:
            return False
        held = [
            terms
            for word in tokens(passage.text)
            if (terms := word_terms(word.text))
            and not without.intersection(terms)
            and not word.text[0].isdigit()
        ]
        hits = [at for at, terms in enumerate(held) if wanted.intersection(terms)]
        dense = len(hits) / (hits[-1] - hits[0] + 1) if hits else 0.0
        return len(hits) >= _FEWEST_SHARED and dense >= _DENSE

    def _far_apart(self, passage: Passage, without: frozenset[str]) -> bool:
        """True when a passage surely holds too little of a long claim, whatever it holds best.

        A claim with thousands of values asks this for each, so it is decided from sums computed
        once.
        """
        if passage.order not in self._gaps:
            wanted = self._wanted(passage, frozenset())
            held = fsum(map(self.reading.weight, wanted & passage.terms))
            missing = {term: self.reading.weight(term) for term in wanted - passage.terms}
            self._gaps[passage.order] = (held, missing, fsum(missing.values()))
        held, missing, lacking = self._gaps[passage.order]
        lacking -= sum(missing.get(term, 0.0) for term in without)
        return held < (_MIRRORED - _ROUNDING) * (held + lacking)

    @cached_property
    def _gaps(self) -> dict[int, tuple[float, dict[str, float], float]]:
        """For each passage: the weight of what it holds, what it lacks, and the weight of that."""
        return {}

    def alike(self, passage: Passage, own: frozenset[str], theirs: frozenset[str]) -> bool:
        """True when claim and passage say the same, ``own`` and ``theirs`` apart."""
        if self.mirrors(passage, own | theirs):
            return True
        rest = self.terms - own
        return passage.path is None and bool(rest) and rest == passage.terms - theirs

    def _wanted(self, passage: Passage, without: frozenset[str]) -> frozenset[str]:
        """What a passage must hold, in the passage's own word where that means the same."""
        theirs = passage.terms
        wanted = self.terms - without
        if wanted <= theirs:
            return wanted
        return frozenset(
            next((other for other in same_words(term) if other in theirs), term)
            if term not in theirs
            else term
            for term in wanted
            if term in theirs or term not in _LIGHT
        )

    def _held(self, passage: Passage, wanted: frozenset[str]) -> float:
        whole = fsum(self.reading.weight(term) for term in wanted)
        return (
            fsum(self.reading.weight(t) for t in wanted & passage.terms) / whole if whole else 0.0
        )

    @cached_property
    def near(self) -> tuple[Passage, ...]:
        """Chosen passages that speak of nearly everything the claim speaks of."""
        return tuple(passage for passage in self.passages if self.cover(passage) >= _NEAR)

    def note(  # noqa: PLR0917 - reads as a sentence at its many callers
        self,
        check: str,
        code: str,
        standing: Standing | None,
        reason: str,
        at: tuple[int, int] | None = None,
        evidence: tuple[EvidenceSpan, ...] = (),
    ) -> CheckNote:
        """Write a note whose span is given inside the claim."""
        start = None if at is None else self.claim.start + at[0]
        end = None if at is None else self.claim.start + at[1]
        return CheckNote(
            check=check,
            code=code,
            standing=standing,
            reason=reason,
            start=start,
            end=end,
            evidence=evidence,
        )


def search_text(claim: Claim) -> str:
    """What to look for in the evidence: the claim and, if short, what it refers back to."""
    return f"{claim.text} {claim.context}" if len(claim.context) <= _LONGEST_CONTEXT else claim.text


def span_terms(case: CheckCase, start: int, end: int) -> frozenset[str]:
    """The content words of one stretch of the claim."""
    low, high = bisect_right(case.ends, start), bisect_left(case.starts, end)
    return frozenset(term for word in case.words[low:high] for term in word_terms(word.text))
