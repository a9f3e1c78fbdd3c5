"""Pointer mode: prose lines that say where they come from, `The tower is old. [E1,E2]`."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.claims import words as en
from firmground.core.claim import Claim, ClaimKind
from firmground.core.layout import LineKind, lines
from firmground.core.marker import MarkerStyle, markers

_EDGE = " \t*_>#"


@dataclass(frozen=True, slots=True, kw_only=True)
class LatticeClaim:
    """One claim as the model wrote it, and the evidence it points to."""

    text: str
    """The words without pointers; empty when the model wrote none."""
    start: int
    end: int
    """Where the words stand in the model's reply; `start == end` when there are none."""
    pointers: tuple[str, ...] = ()


def pointer_lines(answer: str) -> tuple[LatticeClaim, ...]:
    """Read every prose line of a reply as one claim; headings and rules are passed over."""
    found = []
    for line in lines(answer):
        text = answer[line.body : line.end].strip(_EDGE)
        if line.kind in (LineKind.HEADING, LineKind.RULE, LineKind.FENCE, LineKind.TABLE_HEAD):
            continue
        if text.lower() in en.LATTICE_HEADERS:
            continue
        found.append(_claim(answer, line.body, line.end))
    return tuple(found)


def pointer_claims(answer: str) -> tuple[Claim, ...]:
    """Pointer mode as claims: exact pieces of the answer, with the pointers they cite."""
    return tuple(
        Claim(
            text=answer[one.start : one.end],
            start=one.start,
            end=one.end,
            kind=ClaimKind.POINTER,
            cited=one.pointers,
        )
        for one in pointer_lines(answer)
        if one.text
    )


def _claim(answer: str, start: int, end: int) -> LatticeClaim:
    line = answer[start:end]
    tags = [one for one in markers(line) if one.style is MarkerStyle.BRACKET]
    labels = tuple(dict.fromkeys(label for one in tags for label in one.labels))
    pointers = tuple(f"E{label}" if label.isdigit() else label for label in labels)
    left, right = 0, len(line)
    while tags and not line[tags[-1].end : right].strip(_EDGE + ".,;"):
        right = tags.pop().start
    while tags and not line[left : tags[0].start].strip(_EDGE):
        left = tags.pop(0).end
    text = line[left:right]
    left += len(text) - len(text.lstrip(_EDGE))
    text = text.strip(_EDGE)
    if not any(map(str.isalnum, text)):
        return LatticeClaim(text="", start=start, end=start, pointers=pointers)
    return LatticeClaim(
        text=_without_pointers(text),
        start=start + left,
        end=start + left + len(text),
        pointers=pointers,
    )


def _without_pointers(text: str) -> str:
    """Leave pointers in mid-sentence out of the words that are compared."""
    parts, at = [], 0
    for one in markers(text):
        if one.style is MarkerStyle.BRACKET:
            parts.append(text[at : one.start].rstrip())
            at = one.end
    return "".join([*parts, text[at:]])
