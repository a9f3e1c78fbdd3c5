"""Answers whose truth is known, and the sources they were drawn with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firmground.errors import InputError

PILOT = 10
"""One source in so many only helps to choose what is tested on the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledScore:
    """One answer whose truth is known."""

    risk: float
    """The score: 0 surely stands, 1 surely does not."""
    wrong: bool
    """True when the answer does not stand."""
    held: bool = False
    """True when another rule holds it back whatever its score, so that it is never accepted."""
    source: str = ""
    """What it was drawn with: answers that share one are no independent draws; empty: alone."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.risk <= 1.0:
            raise InputError(f"labelled.risk must lie in [0, 1], got {self.risk}")

    def accepted_at(self, threshold: float) -> bool:
        """True when this answer would go out under the threshold."""
        return not self.held and self.risk <= threshold


Source = tuple[LabelledScore, ...]
"""The answers of one source; sources are independent draws, answers of one need not be."""


def sources_of(labelled: Iterable[LabelledScore]) -> tuple[Source, ...]:
    """Give the sources in order of what they hold, whatever the file and their names."""
    named: dict[str, list[LabelledScore]] = {}
    alone: list[Source] = []
    for one in labelled:
        if one.source:
            named.setdefault(one.source, []).append(one)
        else:
            alone.append((one,))
    every = [*alone, *(tuple(sorted(rows, key=_content)) for rows in named.values())]
    return tuple(sorted(every, key=lambda source: [_content(one) for one in source]))


def dealt(sources: Sequence[Source]) -> tuple[Sequence[Source], Sequence[Source]]:
    """Part the sources into those that only help to choose and those that are tested on.

    A fixed shuffle does it, which knows only how many there are: of independent draws each part is
    then a fair sample in a fair order.
    """
    order = sorted(range(len(sources)), key=lambda at: _lot("order", at))
    every = [sources[at] for at in order]
    few = len(sources) // PILOT
    return every[:few], every[few:]


def one_of_each(sources: Sequence[Source]) -> tuple[LabelledScore, ...]:
    """Draw one answer of each source, whatever it says."""
    return tuple(
        source[int.from_bytes(_lot("draw", at)[:8], "big") % len(source)]
        for at, source in enumerate(sources)
    )


def _content(one: LabelledScore) -> tuple[float, bool, bool]:
    return one.risk, one.wrong, one.held


def _lot(purpose: str, number: int) -> bytes:
    return hashlib.sha256(f"firmground calibrate {purpose} {number}".encode()).digest()
