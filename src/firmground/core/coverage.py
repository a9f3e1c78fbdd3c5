"""How much of an answer lies inside the claims that were cut out of it."""

from __future__ import annotations

from collections.abc import Iterable

from firmground.core.layout import lines
from firmground.core.marker import MarkerStyle, markers


def covered(answer: str, spans: Iterable[tuple[int, int]]) -> float:
    """Share of the answer's letters and digits that lies inside the spans, from 0 to 1.

    List marks, step labels and citation markers assert nothing and are left out of the count; an
    answer with nothing to count is covered.
    """
    counted = bytearray(1 if char.isalnum() else 0 for char in answer)
    for one in markers(answer):
        if one.style not in (MarkerStyle.MENTION, MarkerStyle.NAMED):
            counted[one.start : one.end] = bytes(one.end - one.start)
    for line in lines(answer):
        counted[line.start : line.body] = bytes(line.body - line.start)
    total = sum(counted)
    for start, end in spans:
        counted[start:end] = bytes(max(0, min(end, len(answer)) - start))
    return 1.0 if total == 0 else 1.0 - sum(counted) / total
