"""Which piece of evidence a label means, and which pieces hold a quotation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firmground.core.evidence import Evidence
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.match import QuoteIndex, QuoteMatch

_NUMBERED = lazy_pattern(r"[A-Za-z]?(\d{1,6})")
_BLANK_LINE = lazy_pattern(r"\n[ \t]*\n")
_INNER_LABEL = lazy_pattern(
    r"^[ \t]{0,8}[\[(*#]{0,4}(?:passage|source|document|doc|context|excerpt|article|chunk) ?#?"
    r"(\d{1,3})[ \t]?[\])*]{0,3}[ \t]?[:.\n]",
    re.IGNORECASE | re.MULTILINE,
)
_SHORTEST_NAME = 4
_SHORTEST_ID = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteLocation:
    """Where a quotation was found: evidence number `position`, counted from 0."""

    position: int
    evidence_id: str
    match: QuoteMatch


class QuoteSources:
    """The available evidence, indexed for many quotations."""

    __slots__ = ("_indexes", "_inner", "evidence")

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self.evidence = tuple(evidence)
        self._inner: dict[int, int] | None = None
        self._indexes = tuple(QuoteIndex(one.text) for one in self.evidence)

    def find(self, quote: str) -> tuple[QuoteLocation, ...]:
        """Every piece of evidence that holds the quotation, in order, however faithfully."""
        return self._places(index.find(quote) for index in self._indexes)

    def verbatim(self, quote: str, *, any_case: bool = False) -> tuple[QuoteLocation, ...]:
        """Every piece of evidence that holds the quotation word for word."""
        return self._places(index.find_exact(quote, any_case=any_case) for index in self._indexes)

    def _places(self, found: Iterable[QuoteMatch | None]) -> tuple[QuoteLocation, ...]:
        return tuple(
            QuoteLocation(position=n, evidence_id=self.evidence[n].id, match=match)
            for n, match in enumerate(found)
            if match is not None
        )

    def resolve(self, label: str) -> int | None:
        """Say which evidence a label names: by id, number from 1, title or origin; None if none.

        A number beyond the evidence may still be one that the evidence gives to its own parts.
        """
        numbered = _NUMBERED.fullmatch(label.strip())
        by_id = [n for n, one in enumerate(self.evidence) if _is_id(label, one.id)]
        if by_id:
            return by_id[0] if len(by_id) == 1 else None
        if numbered:
            number = int(numbered.group(1))
            if 1 <= number <= len(self.evidence):
                return number - 1
            return self._inner_labels().get(number)
        return self._named(label)

    def _inner_labels(self) -> dict[int, int]:
        """Numbers of the parts of the evidence: `passage 2:` in it, or its second paragraph."""
        if self._inner is None:
            self._inner = {}
            if len(self.evidence) == 1:
                # Several passages handed in as one text: a number then counts its paragraphs.
                blocks = [b for b in _BLANK_LINE.split(self.evidence[0].text) if b.strip()]
                self._inner = dict.fromkeys(range(1, len(blocks) + 1), 0)
            for position, one in enumerate(self.evidence):
                for match in _INNER_LABEL.finditer(one.text):
                    self._inner.setdefault(int(match.group(1)), position)
        return self._inner

    def _named(self, label: str) -> int | None:
        name = label.strip().casefold()
        if len(name) < _SHORTEST_NAME:
            return None
        names = [
            {one.title.strip().casefold(), one.origin.strip().casefold()} - {""}
            for one in self.evidence
        ]
        for agrees in (_same, _within):
            found = [n for n, own in enumerate(names) if any(agrees(name, one) for one in own)]
            if found:
                return found[0] if len(found) == 1 else None
        return None


def _is_id(label: str, identity: str) -> bool:
    label = label.strip()
    return label == identity or (len(label) > _SHORTEST_ID and identity.startswith(label))


def _same(label: str, name: str) -> bool:
    return label == name


def _within(label: str, name: str) -> bool:
    """True when one names the other at word bounds: "annual report" in "annual report 2020"."""
    short, long = sorted((label, name), key=len)
    if len(short) < _SHORTEST_NAME:
        return False
    return re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long) is not None
