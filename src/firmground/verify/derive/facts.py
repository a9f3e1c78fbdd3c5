"""The values of the evidence, each with its place, its context words, its row and its column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Protocol

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.derive.dimensions import find_unit
from firmground.verify.derive.model import Operand, Value
from firmground.verify.derive.read import values
from firmground.verify.reading import terms_of
from firmground.verify.units import readable_path

# Values read beyond this many are left out: derivation is for evidence a person could overlook.
_MOST_FACTS = 4000
_INDEX = lazy_pattern(r"\b\d+\b")
_SCALE_NOTE = lazy_pattern(
    r"\b(?:in|amounts? in|figures? in|all in|values? in)\s+(?:[A-Z€$£]{1,3}\s?)?(thousand|million|billion)s?\b"
    r"|\b(?:USD|EUR|GBP|CHF|[€$£])\s?(k|m|bn|000)\b|\((?:in )?(?:[€$£]|USD |EUR |GBP )?\s?(thousand|million|billion|k|m|bn|000)s?\)",
    re.IGNORECASE,
)
_SCALES = {"thousand": 1e3, "k": 1e3, "000": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}


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
    start: int
    end: int
    group: int
    """Which title and heading it stands under."""
    terms: frozenset[str]
    """Content words of its passage; for a cell or a leaf also those of its row."""
    row: str = ""
    column: str = ""

    @property
    def dimension(self) -> str:
        """The dimension of its value."""
        return self.value.dimension


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Facts:
    """All values of the evidence and what is needed to relate them to a statement."""

    facts: tuple[Fact, ...]
    passages: tuple[UnitLike, ...]
    groups: tuple[frozenset[str], ...]
    """The title and heading words of each group."""
    bodies: tuple[frozenset[str], ...]
    """All words of each group's passages."""
    terms: tuple[frozenset[str], ...]
    """The content words of each passage, with those of its row."""
    group_of: tuple[int, ...]
    idf: dict[str, float]

    def weight(self, terms: frozenset[str]) -> float:
        """Sum of the weights of some terms; words that the evidence has everywhere count little."""
        return sum(self.idf.get(term, _UNKNOWN) for term in terms)

    def operand(self, fact: Fact) -> Operand:
        """Name a fact as an operand with its exact place in the evidence."""
        passage = self.passages[fact.passage]
        return Operand(
            passage=fact.passage,
            start=fact.start,
            end=fact.end,
            text=fact.value.text,
            evidence_id=str(getattr(passage, "evidence_id", "")),
        )


_UNKNOWN = 1.0


def read_facts(passages: Sequence[UnitLike]) -> Facts:
    """Read all values of some passages once, for any number of statements."""
    own = [terms_of(passage.text) for passage in passages]
    group_keys = [(str(getattr(p, "evidence_id", "")), p.about) for p in passages]
    numbers = {key: at for at, key in enumerate(dict.fromkeys(group_keys))}
    group_of = tuple(numbers[key] for key in group_keys)
    rows = _rows(passages, own, group_keys)
    terms = tuple(own[at] | rows[at] for at in range(len(passages)))
    scales = _scale_notes(passages, group_keys)
    facts: list[Fact] = []
    for at, passage in enumerate(passages):
        scale = scales.get(group_keys[at][0], 1.0)
        for fact in _facts_of(passage, at, group_of[at], terms[at], group_keys[at][0]):
            facts.append(_scaled(fact, scale) if scale != 1.0 else fact)
        if len(facts) >= _MOST_FACTS:
            break
    bodies: list[set[str]] = [set() for _ in numbers]
    for at, group in enumerate(group_of):
        bodies[group] |= own[at]
    return Facts(
        facts=tuple(facts[:_MOST_FACTS]),
        passages=tuple(passages),
        groups=tuple(terms_of(about) for _, about in numbers),
        bodies=tuple(frozenset(body) for body in bodies),
        terms=terms,
        group_of=group_of,
        idf=_idf(terms),
    )


def _idf(terms: Sequence[frozenset[str]]) -> dict[str, float]:
    counts: dict[str, int] = {}
    for found in terms:
        for term in found:
            counts[term] = counts.get(term, 0) + 1
    total = len(terms)
    return {term: log(1 + (total + 0.5) / (count + 0.5)) for term, count in counts.items()}


def _rows(
    passages: Sequence[UnitLike], own: Sequence[frozenset[str]], keys: Sequence[tuple[str, str]]
) -> list[frozenset[str]]:
    """Give each cell the short texts of its row, so that it is found by any of the row's names."""
    gathered: dict[tuple[str, str], set[str]] = {}
    for at, passage in enumerate(passages):
        if passage.path is not None and len(passage.text) <= 120:
            gathered.setdefault((keys[at][0], row_of(passage.path)), set()).update(own[at])
    frozen = {key: frozenset(found) for key, found in gathered.items()}
    empty: frozenset[str] = frozenset()
    return [
        frozen.get((keys[at][0], row_of(passage.path)), empty) if passage.path is not None else empty
        for at, passage in enumerate(passages)
    ]


def row_of(path: str) -> str:
    """The record or row a path belongs to: all but its last part."""
    return path.rpartition(".")[0]


def column_of(path: str) -> str:
    """What the values of one column have in common: the path without its positions."""
    return _INDEX.sub("*", row_of(path)) + "." + path.rpartition(".")[2]


def _facts_of(
    passage: UnitLike, at: int, group: int, terms: frozenset[str], evidence: str
) -> list[Fact]:
    text, shift = passage.text, passage.start
    label, is_leaf = 0, passage.path is not None
    if is_leaf:
        label = text.find(": ") + 2
        text = text[label:]
    exact = not is_leaf or len(text) == passage.end - passage.start
    found = []
    read = values(text)
    if is_leaf and passage.path is not None:
        read = _of_field(read, passage.path)
    row = f"{evidence}/{row_of(passage.path)}" if passage.path is not None else ""
    column = f"{evidence}/{column_of(passage.path)}" if passage.path is not None else ""
    for value in read:
        found.append(
            Fact(
                value=value,
                passage=at,
                start=shift + value.start if exact else passage.start,
                end=shift + value.end if exact else passage.end,
                group=group,
                terms=terms,
                row=row,
                column=column,
            )
        )
    return found


def _of_field(read: tuple[Value, ...], path: str) -> tuple[Value, ...]:
    """Give a bare number the unit that its field or column is named with, or none at all."""
    last = path.rpartition(".")[2]
    made = []
    for value in read:
        if value.dimension != "count" or value.noun:
            made.append(value)
            continue
        words = readable_path(last.replace("(", " ").replace(")", " ").replace("/", " ")).split()
        unit = next((u for word in reversed(words) if (u := _label_unit(word))), None)
        if unit is None:
            made.append(replace(value, dimension="", noun=words[-1] if words else ""))
            continue
        dimension, factor = unit
        made.append(
            replace(
                value,
                dimension=dimension,
                amounts=tuple(one * factor for one in value.amounts),
                high=None if value.high is None else value.high * factor,
                step=value.step * factor,
                factor=factor,
            )
        )
    return tuple(made)


_NO_LABEL_UNITS = frozenset("in a an s t w v p d y c no fr try real us star stars cal second".split())


def _label_unit(word: str) -> tuple[str, float] | None:
    if word in _NO_LABEL_UNITS:
        return None
    found = find_unit({"sec": "s", "€": "eur", "$": "usd", "£": "gbp"}.get(word, word))
    return None if found is None or found[0] == "count" else found


def _scale_notes(
    passages: Sequence[UnitLike], keys: Sequence[tuple[str, str]]
) -> dict[str, float]:
    """Find "amounts in thousands of US dollars" for each piece of evidence that has fields."""
    with_fields = {key[0] for key, p in zip(keys, passages, strict=True) if p.path is not None}
    scales: dict[str, float] = {}
    for key, passage in zip(keys, passages, strict=True):
        if key[0] in with_fields and key[0] not in scales:
            m = _SCALE_NOTE.search(passage.text) or _SCALE_NOTE.search(passage.about)
            if m is not None:
                scales[key[0]] = _SCALES[(m[1] or m[2] or m[3]).lower()]
    return scales


def _scaled(fact: Fact, scale: float) -> Fact:
    """Let a bare number of a table also be read in the unit that its note gives."""
    value = fact.value
    if value.dimension not in ("", "count") or not fact.column:
        return fact
    amounts = (value.amount * scale, *value.amounts)
    return replace(fact, value=replace(value, amounts=amounts, step=value.step * scale, dimension=""))
