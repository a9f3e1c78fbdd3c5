"""The values of the evidence, each with its place, its context words, its row and its column."""

# ruff: noqa: E501 - word lists and patterns read better in long lines
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Protocol

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.derive.cells import Line, csv_cells, measured_by_field
from firmground.verify.derive.model import Operand, Value
from firmground.verify.derive.read import values
from firmground.verify.reading import terms_of, tokens
from firmground.verify.select import word_terms
from firmground.verify.units import EvidenceUnit

# Values read beyond this many are left out; what is derived from so many is beyond checking.
_MOST_FACTS = 4000
_LONG_CELL = 60
_NEAR = 4
_INDEX = lazy_pattern(r"\b\d+\b")
_SCALE_NOTE = lazy_pattern(
    r"\b(?:in|amounts? in|figures? in|all in|values? in)\s+(?:[A-Z€$£]{1,3}\s?)?(thousand|million|billion)s?\b"
    r"|\b(?:USD|EUR|GBP|CHF|[€$£])\s?(k|m|bn|000)\b"
    r"|\((?:in )?(?:[€$£]|USD |EUR |GBP )?\s?(thousand|million|billion|k|m|bn|000)s?\)",
    re.IGNORECASE,
)
_SCALES = {
    "thousand": 1e3, "k": 1e3, "000": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9,
}  # fmt: skip
_UNKNOWN_WEIGHT = 1.0


class UnitLike(Protocol):
    """What a passage must have: its text, its place in the evidence, and what it is about."""

    @property
    def text(self) -> str:
        """The readable text; of a record's leaf or a cell its label, a colon and its value."""
        ...

    @property
    def start(self) -> int:
        """Where it begins in the evidence."""
        ...

    @property
    def end(self) -> int:
        """Where it ends in the evidence."""
        ...

    @property
    def path(self) -> str | None:
        """Where it stands in a record or a table; None for prose."""
        ...

    @property
    def about(self) -> str:
        """The title and heading it stands under."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fact:
    """One value of the evidence with what it is said of."""

    value: Value
    passage: int
    """Position of its passage among those given."""
    start: int
    end: int
    text: int
    """Position of the text (passage or cell) it was read from in `Facts`."""
    near: frozenset[str]
    """Content words directly around it; for a cell those of its label."""
    row: str = ""
    column: str = ""
    evidence_id: str = ""

    @property
    def dimension(self) -> str:
        """The dimension of its value."""
        return self.value.dimension


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Facts:
    """All values of the evidence and what is needed to relate them to a statement."""

    facts: tuple[Fact, ...]
    terms: tuple[frozenset[str], ...]
    """For each text its content words; for a cell its label and the names in its row."""
    about: tuple[frozenset[str], ...]
    """For each text the words of its title and heading."""
    evidence: tuple[str, ...]
    """For each text the piece of evidence it belongs to."""
    idf: dict[str, float]
    rows: tuple[tuple[str, str], ...] = ()
    """For each cell its row and its text, in order; for counting."""

    def weight(self, terms: frozenset[str]) -> float:
        """Sum of the weights of some terms; words that the evidence has everywhere count little."""
        return sum(self.idf.get(term, _UNKNOWN_WEIGHT) for term in terms)

    def operand(self, fact: Fact) -> Operand:
        """Name a fact as an operand with its exact place in the evidence."""
        return Operand(
            passage=fact.passage,
            start=fact.start,
            end=fact.end,
            text=fact.value.text,
            evidence_id=fact.evidence_id,
        )


@dataclass(frozen=True, slots=True)
class _Text:
    """One text to read values from: a passage, or a cell of CSV lines inside passages."""

    unit: UnitLike
    passage: int
    evidence_id: str


def read_facts(passages: Sequence[UnitLike]) -> Facts:
    """Read all values of some passages once, for any number of statements."""
    texts = _texts(passages)
    own = [terms_of(one.unit.text) for one in texts]
    about = [terms_of(one.unit.about) for one in texts]
    names = _row_names(texts)
    scales = _scale_notes(texts)
    facts: list[Fact] = []
    for at, one in enumerate(texts):
        facts.extend(_facts_of(one, at, scales.get(one.evidence_id, 1.0)))
        if len(facts) >= _MOST_FACTS:
            break
    terms = tuple(found | row for found, row in zip(own, names, strict=True))
    return Facts(
        facts=tuple(facts[:_MOST_FACTS]),
        terms=terms,
        about=tuple(about),
        evidence=tuple(one.evidence_id for one in texts),
        idf=_idf([found | heading for found, heading in zip(terms, about, strict=True)]),
        rows=tuple(
            (f"{t.evidence_id}/{row_of(t.unit.path)}", t.unit.text) for t in texts if t.unit.path
        ),
    )


def _texts(passages: Sequence[UnitLike]) -> list[_Text]:
    ids = [str(getattr(passage, "evidence_id", "")) for passage in passages]
    prose = [
        (at, p.text, p.start, p.about, ids[at]) for at, p in enumerate(passages) if p.path is None
    ]
    cells, owners, rest, replaced = csv_cells([line for one in prose for line in _lines(one)])
    made = [_Text(p, at, ids[at]) for at, p in enumerate(passages) if at not in replaced]
    made += [
        _Text(
            EvidenceUnit(text=text, start=start, end=start + len(text), about=about), at, evidence
        )
        for at, text, start, about, evidence in rest
    ]
    made += [
        _Text(cell, owner, cell.evidence_id) for cell, owner in zip(cells, owners, strict=True)
    ]
    made.sort(key=lambda one: (one.passage, one.unit.start))
    return made


def _lines(one: Line) -> Iterator[Line]:
    """Cut a prose passage into its lines, each with its own offset."""
    at, text, start, about, evidence = one
    for line in text.split("\n"):
        if line.strip():
            yield at, line, start, about, evidence
        start += len(line) + 1


def _idf(terms: Sequence[frozenset[str]]) -> dict[str, float]:
    counts: dict[str, int] = {}
    for found in terms:
        for term in found:
            counts[term] = counts.get(term, 0) + 1
    total = len(terms)
    return {term: log(1 + (total + 0.5) / (count + 0.5)) for term, count in counts.items()}


def _row_names(texts: Sequence[_Text]) -> list[frozenset[str]]:
    """For each cell the words of its row's short texts, which say what the row is about."""
    gathered: dict[str, set[str]] = {}
    keys = []
    for one in texts:
        key = ""
        if one.unit.path is not None:
            key = f"{one.evidence_id}/{row_of(one.unit.path)}"
            value = one.unit.text.partition(": ")[2]
            if len(value) <= _LONG_CELL:
                found = (t for t in terms_of(value) if not t[0].isdecimal())
                gathered.setdefault(key, set()).update(found)
        keys.append(key)
    frozen = {key: frozenset(found) for key, found in gathered.items()}
    return [frozen.get(key, frozenset()) if key else frozenset() for key in keys]


def row_of(path: str | None) -> str:
    """The record or row a path belongs to: all but its last part."""
    return (path or "").rpartition(".")[0]


def column_of(path: str) -> str:
    """What the values of one column have in common: the path without its positions."""
    return _INDEX.sub("*", row_of(path)) + "." + path.rpartition(".")[2]


def _facts_of(one: _Text, at: int, scale: float) -> list[Fact]:
    unit, path = one.unit, one.unit.path
    text, row, column = unit.text, "", ""
    exact, label = True, frozenset[str]()
    if path is not None:
        head, _, text = text.partition(": ")
        exact = len(text) == unit.end - unit.start
        label = terms_of(head)
        row, column = f"{one.evidence_id}/{row_of(path)}", f"{one.evidence_id}/{column_of(path)}"
    read = values(text)
    if path is not None and read:
        read = measured_by_field(read, path.rpartition(".")[2])
    if scale != 1.0:
        read = tuple(_scaled(value, scale) for value in read)
    many = len(read) > 1
    return [
        Fact(
            value=value,
            passage=one.passage,
            start=unit.start + value.start if exact else unit.start,
            end=unit.start + value.end if exact else unit.end,
            text=at,
            near=label
            if path is not None and not many
            else label | words_around(text, value, _NEAR),
            row=row,
            column=column,
            evidence_id=one.evidence_id,
        )
        for value in read
    ]


def words_around(text: str, value: Value, reach: int) -> frozenset[str]:
    """The content words within some words of a value, numbers left out."""
    words = tokens(text)
    inside = [at for at, w in enumerate(words) if w.start < value.end and w.end > value.start]
    if not inside:
        return frozenset()
    first, last = inside[0], inside[-1]
    near = [*words[max(0, first - reach) : first], *words[last + 1 : last + 1 + reach]]
    return frozenset(
        term for word in near for term in word_terms(word.text) if not term[0].isdecimal()
    )


def _scale_notes(texts: Sequence[_Text]) -> dict[str, float]:
    """Find "amounts in thousands of US dollars" for each piece of evidence that has fields."""
    with_fields = {one.evidence_id for one in texts if one.unit.path is not None}
    scales: dict[str, float] = {}
    for one in texts:
        if one.evidence_id in with_fields and one.evidence_id not in scales:
            m = _SCALE_NOTE.search(one.unit.text) or _SCALE_NOTE.search(one.unit.about)
            if m is not None:
                scales[one.evidence_id] = _SCALES[(m[1] or m[2] or m[3]).lower()]
    return scales


def _scaled(value: Value, scale: float) -> Value:
    """Let a bare number of a table also be read in the unit that the table's note gives."""
    if value.dimension not in ("", "count") or (value.noun and value.dimension == "count"):
        return value
    amounts = (value.amount * scale, value.amount)
    return replace(value, amounts=amounts, step=value.step * scale, dimension="")
