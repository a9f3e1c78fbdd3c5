"""Which payloads are gone, whether the log ordered it, and whether the marks of it are true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from firmground.ledger.store import ErasedRow
from firmground.ledger.walk import Part, Problem, Wrong

Place = tuple[int, int]
"""Entry and stage of a payload."""


@dataclass(slots=True)
class Payloads:
    """Which commitments have lost their payload, and whether the log ordered it."""

    erased: dict[bytes, int] = field(default_factory=dict)
    absent: dict[bytes, Place] = field(default_factory=dict)
    present: dict[bytes, Place] = field(default_factory=dict)

    def problems(self) -> Iterator[Problem]:
        """Compare what is gone with what the log ordered."""
        for commit, place in self.absent.items():
            if commit not in self.erased:
                detail = "the payload is gone and no entry orders its erasure"
                yield _problem(Wrong.MISSING, place, detail)
        for commit, by in self.erased.items():
            if commit in self.present:
                detail = f"the payload is still there although entry {by} erased it"
                yield _problem(Wrong.EXTRA, self.present[commit], detail)
            elif commit not in self.absent:
                detail = "it erases a payload that no run has committed to"
                yield Problem(part=Part.ENTRY, wrong=Wrong.CHANGED, seq=by, detail=detail)

    def mark_problems(self, marks: Iterable[ErasedRow]) -> Iterator[Problem]:
        """Compare the marks of wiped payloads with the entries that order it.

        A false mark hides a payload from readers, or stands in the way of its erasure.
        """
        marked = {(mark.seq, mark.ord): mark.by for mark in marks}
        gone = {
            place: commit
            for commit, place in chain(self.present.items(), self.absent.items())
            if place in marked
        }
        for (seq, ordinal), by in marked.items():
            commit = gone.get((seq, ordinal))
            if commit is None:
                detail = "a payload that no run has committed to is marked as erased"
                yield _problem(Wrong.EXTRA, (seq, ordinal), detail)
            elif self.erased.get(commit) != by:
                detail = f"it is marked as erased by entry {by}, which does not order that"
                yield _problem(Wrong.CHANGED, (seq, ordinal), detail)


def _problem(wrong: Wrong, place: Place, detail: str) -> Problem:
    seq, ordinal = place
    return Problem(part=Part.VAULT, wrong=wrong, seq=seq, ordinal=ordinal, detail=detail)
