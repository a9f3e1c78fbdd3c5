"""All evidence of one inquiry, cut into passages and indexed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from typing import Any

from firmground.core.evidence import Evidence, EvidenceKind, EvidenceSpan, Trust
from firmground.core.match import QuoteIndex
from firmground.core.segment import Word, words
from firmground.verify.select import Index, build_index, select, stem, word_terms
from firmground.verify.units import EvidenceUnit, units


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One unit of evidence, with the piece of evidence it belongs to."""

    text: str
    start: int
    end: int
    path: str | None
    evidence_id: str
    kind: EvidenceKind
    role: str
    trust: Trust
    order: int
    """Position among all passages of the inquiry."""
    about: str = ""
    """The title and heading it stands under."""
    struck: tuple[tuple[int, int], ...] = ()
    """Offsets inside ``text`` of what is struck through."""

    @property
    def terms(self) -> frozenset[str]:
        """Its content words, normalised."""
        return terms_of(self.text)

    @property
    def value(self) -> str:
        """What a record's field holds, or the whole text of prose."""
        return self.text if self.path is None else self.text.partition(": ")[2]

    def span(self, start: int = 0, end: int | None = None) -> EvidenceSpan:
        """The exact evidence span of a piece of this passage; a record's leaf is never cut."""
        if self.path is not None:
            return EvidenceSpan(evidence_id=self.evidence_id, start=self.start, end=self.end)
        stop = self.end if end is None else self.start + end
        return EvidenceSpan(evidence_id=self.evidence_id, start=self.start + start, end=stop)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EvidenceIndex:
    """Everything the evidence says, and how to find in it what a claim needs."""

    passages: tuple[Passage, ...]
    index: Index
    unread: tuple[str, ...]
    """Ids of evidence in which nothing could be read."""
    fields: tuple[Passage, ...]
    """The leaves of records, in order."""
    texts: tuple[tuple[str, QuoteIndex], ...]
    """Every readable piece of evidence by id, ready to be searched for quotations."""
    names: frozenset[str]
    """Every capitalised word of the evidence, lower case, with initials of longer names."""
    common: frozenset[str]
    """Every word that the evidence also writes in lower case."""
    memo: dict[str, frozenset[int]] = field(default_factory=dict)
    """Places of terms looked up before; holds nothing that the index does not."""
    document_terms: dict[str, frozenset[str]] = field(default_factory=dict)
    """The terms of whole pieces of evidence, by id, as far as they were asked for."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What was worked out once for all claims."""

    @property
    def lowered(self) -> str:
        """All passages and field names in lower case, for what must stand there to the letter."""
        return _lowered(self)

    def select(self, text: str, *, limit: int) -> tuple[Passage, ...]:
        """Name the passages that matter to a text, best first."""
        return tuple(
            self.passages[at] for at in select(text, self._units(), self.index, limit=limit)
        )

    def beside(self, passage: Passage, step: int) -> str:
        """The text of the passage before (-1) or after (1) one, in the same piece of evidence."""
        at = passage.order + step
        if not 0 <= at < len(self.passages):
            return ""
        other = self.passages[at]
        return other.text if other.evidence_id == passage.evidence_id else ""

    def knows(self, term: str) -> bool:
        """True when some passage holds this normalised word."""
        return term in self.index.postings

    def places(self, term: str) -> frozenset[int]:
        """Which passages hold a term, by position."""
        if term not in self.memo:
            self.memo[term] = frozenset(at for at, _ in self.index.postings.get(term, ()))
        return self.memo[term]

    def weight(self, term: str) -> float:
        """How telling a term is: rare ones count for more, unknown ones most."""
        return self.index.idf.get(term) or max(2.0, log(1 + (self.index.size + 0.5) / 0.5))

    def _units(self) -> Sequence[EvidenceUnit]:
        # select() asks only how many units there are.
        return self.passages  # type: ignore[return-value]


def read(evidence: Sequence[Evidence]) -> EvidenceIndex:
    """Cut and index evidence; what holds nothing readable is named in ``unread``."""
    passages: list[Passage] = []
    unread: list[str] = []
    texts: list[tuple[str, QuoteIndex]] = []
    for piece in evidence:
        found = units(piece.text)
        if not any(character.isalnum() for character in piece.text):
            unread.append(piece.id)
            continue
        texts.append((piece.id, QuoteIndex(piece.text)))
        first = len(passages)
        passages.extend(_passage(piece, unit, first + at) for at, unit in enumerate(found))
    names, common = _names(passages)
    return EvidenceIndex(
        passages=tuple(passages),
        index=build_index(passages),  # type: ignore[arg-type]
        unread=tuple(unread),
        fields=tuple(passage for passage in passages if passage.path is not None),
        texts=tuple(texts),
        names=names,
        common=common,
    )


@lru_cache(maxsize=2)
def _lowered(reading: EvidenceIndex) -> str:
    """Passages, one to a line; a line break stands in none of what is looked for."""
    paths = dict.fromkeys(passage.path for passage in reading.fields if passage.path)
    return "\n".join((*(p.text for p in reading.passages), *paths)).lower()


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[Word, ...]:
    """The words of a text, remembered, since checks ask for the same ones."""
    return words(text)


@lru_cache(maxsize=8192)
def stems_of(text: str) -> tuple[str, ...]:
    """The words of a text in order, small ones too, each without its ending."""
    return tuple(stem(word.text.lower()) for word in tokens(text))


@lru_cache(maxsize=8192)
def terms_of(text: str) -> frozenset[str]:
    """The content words of a text, normalised."""
    return frozenset(term for word in tokens(text) for term in word_terms(word.text))


def _passage(piece: Evidence, unit: EvidenceUnit, order: int) -> Passage:
    return Passage(
        text=unit.text,
        start=unit.start,
        end=unit.end,
        path=unit.path,
        evidence_id=piece.id,
        kind=piece.kind,
        role=piece.role,
        trust=piece.trust,
        order=order,
        about=unit.about,
        struck=unit.struck,
    )


def _names(passages: Sequence[Passage]) -> tuple[frozenset[str], frozenset[str]]:
    found: set[str] = set()
    lower: set[str] = set()
    small: set[str] = set()  # words as written that are known to end a name
    for passage in passages:
        run: list[str] = []
        for word in passage.text.split():
            if word in small:
                run = []
                continue
            bare = word.strip(".,;:!?\"'()[]{}«»“”‘’").removesuffix("'s").removesuffix("’s")
            if bare[:1].isupper() and bare[:1].isalpha():
                found.add(bare.lower())
                found.add(bare.lower().replace(".", ""))
                run.append(bare[0].lower())
                found.update("".join(run[-size:]) for size in (2, 3, 4) if len(run) >= size)
                continue
            lower.add(bare)
            if bare.lower() not in ("of", "the", "and", "for", "de", "von", "&"):
                small.add(word)
                run = []
    return frozenset(found), frozenset(lower)
