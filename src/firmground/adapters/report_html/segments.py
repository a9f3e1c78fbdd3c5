"""Text cut where claims and evidence spans begin and end, so that spans may nest and cross."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSpan:
    """A span of a text with the claims or evidence it belongs to."""

    start: int
    end: int
    owner: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of a text without a boundary inside, and everybody whom it belongs to."""

    start: int
    end: int
    owners: tuple[int, ...]
    begins: tuple[int, ...] = ()
    """Owners whose span begins here."""


def segments(length: int, spans: Iterable[MarkedSpan]) -> Iterator[Segment]:
    """Cut ``[0, length)`` at every boundary; the pieces tile the text exactly."""
    opening: dict[int, list[int]] = {}
    closing: dict[int, list[int]] = {}
    for span in spans:
        if span.start < span.end:
            opening.setdefault(span.start, []).append(span.owner)
            closing.setdefault(span.end, []).append(span.owner)
    places = sorted({0, length, *opening, *closing})
    active: list[int] = []
    for start, end in pairwise(places):
        for owner in closing.get(start, []):
            active.remove(owner)
        begins = opening.get(start, [])
        active.extend(begins)
        yield Segment(
            start=start, end=end, owners=tuple(dict.fromkeys(active)), begins=tuple(begins)
        )


def windows(
    length: int, spans: Iterable[MarkedSpan], *, whole_up_to: int, around: int
) -> list[tuple[int, int]]:
    """The parts worth showing: all of a short text, the surroundings of each span of a long one."""
    if length <= whole_up_to:
        return [(0, length)]
    wanted = sorted((max(0, s.start - around), min(length, s.end + around)) for s in spans)
    merged: list[tuple[int, int]] = []
    for start, end in wanted or [(0, around)]:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
