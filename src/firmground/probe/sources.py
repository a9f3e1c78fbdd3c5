"""Finds which sources are independent of each other, and which carry the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from firmground.core.evidence import Evidence
from firmground.core.segment import words

_ALIKE = 0.6
_RUN = 3


def source_groups(evidence: Sequence[Evidence]) -> tuple[int, ...]:
    """A number for each piece; equal numbers are one source.

    One host, one file, one tool is one source, and so are texts that copy each other. Pieces that
    do not say where they come from cannot be shown to be independent: together they are one.
    """
    parents = list(range(len(evidence)))

    def root(i: int) -> int:
        while parents[i] != i:
            i = parents[i]
        return i

    runs = [_runs(piece.text) for piece in evidence]
    for i in range(len(evidence)):
        for j in range(i):
            same_place = _place(evidence[i]) == _place(evidence[j])
            if same_place or _likeness(runs[i], runs[j]) >= _ALIKE:
                parents[root(i)] = root(j)
    return tuple(root(i) for i in range(len(evidence)))


def count_sources(groups: Sequence[int], positions: Sequence[int]) -> int:
    """How many independent sources these pieces come from."""
    return len({groups[i] for i in positions})


def _place(piece: Evidence) -> str:
    host = urlsplit(piece.origin).hostname if "://" in piece.origin else None
    return host.removeprefix("www.") if host else piece.origin


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    said = [word.text.casefold() for word in words(text)]
    return frozenset(tuple(said[i : i + _RUN]) for i in range(max(1, len(said) - _RUN + 1)))


def _likeness(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    return len(first & second) / max(1, len(first | second))


def causal_weights(
    count: int, watched: Mapping[tuple[int, ...], float]
) -> tuple[tuple[int, float], ...]:
    """What each piece does to the answer: the mean of adding it first and taking it away last.

    For two pieces this is exactly their Shapley value. ``watched`` maps the shown positions to the
    answer's probability; a piece for which neither comparison was made has no weight.
    """
    everything, weights = tuple(range(count)), []
    for i in everything:
        rest = tuple(j for j in everything if j != i)
        parts = [
            watched[after] - watched[before]
            for before, after in (((), (i,)), (rest, everything))
            if before in watched and after in watched
        ]
        if parts:
            weights.append((i, sum(parts) / len(parts)))
    return tuple(weights)
