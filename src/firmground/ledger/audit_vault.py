"""Which payloads are gone, whether the log ordered it, and whether the marks of it are true.

What the log ordered is read first, so that an audit holds in memory what was erased and not every
payload that is still there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from firmground.ledger.entry import EraseEntry
from firmground.ledger.replay import LogPart, LogProblem, LogProblemKind
from firmground.ledger.store import ErasedRow

Place = tuple[int, int]
"""Entry and stage of a payload."""


class ErasureOrder(NamedTuple):
    """The entry that ordered an erasure, and the run it names."""

    by: int
    run: str


@dataclass(slots=True)
class Payloads:
    """Compares the payloads that are gone with the erasures that the log ordered."""

    ordered: dict[bytes, ErasureOrder] = field(default_factory=dict)
    """Commitment to the order to erase its payload."""
    marks: dict[Place, int] = field(default_factory=dict)
    """Place of a wiped payload to the entry that the mark names."""
    walked: int = 0
    """Commitments whose erasure was ordered by an entry that the walk has met."""
    last: int = -1
    """The latest order that is known."""
    _met: set[bytes] = field(default_factory=set)
    """Ordered commitments that a run was found to have made."""
    _by: set[int] = field(default_factory=set)
    _gone: dict[bytes, Place] = field(default_factory=dict)
    """Payloads that are gone without an order, unless one was given while the audit walked."""

    def order(self, seq: int, body: EraseEntry) -> None:
        """Take note of an order, before the log is walked."""
        self.last = max(self.last, seq)
        self._by.add(seq)
        for commit in body.commits:
            self.ordered.setdefault(commit, ErasureOrder(seq, body.run))

    def confirm(self, seq: int, body: EraseEntry) -> None:
        """The walk has met this order; one that was not listed before counts from here on."""
        self.walked += len(body.commits)
        if seq not in self._by:
            self.order(seq, body)

    def stage(
        self, place: Place, run: str, commit: bytes, *, present: bool
    ) -> Iterator[LogProblem]:
        """Compare one payload of a run with what the log ordered."""
        order = self.ordered.get(commit)
        marked = self.marks.pop(place, None)
        if order is None:
            if marked is not None:
                detail = f"it is marked as erased by entry {marked}, which does not order that"
                yield _problem(LogProblemKind.CHANGED, place, detail)
            if not present:
                self._gone[commit] = place
            return
        self._met.add(commit)
        if order.run != run:
            detail = f"it erases a payload of run {run} and names run {order.run}"
            yield LogProblem(
                part=LogPart.ENTRY, wrong=LogProblemKind.CHANGED, seq=order.by, detail=detail
            )
        if marked is not None and marked != order.by:
            detail = f"it is marked as erased by entry {marked}, which does not order that"
            yield _problem(LogProblemKind.CHANGED, place, detail)
        if present:
            detail = f"the payload is still there although entry {order.by} erased it"
            yield _problem(LogProblemKind.EXTRA, place, detail)

    def rest(self, size: int, begin: int = 0) -> Iterator[LogProblem]:
        """Name payloads gone without an order, and marks and orders that belong to no payload.

        Orders from entry ``size`` on came while the audit walked and may be about later runs.
        Where the walk began behind the first ``begin`` entries, those may be about them.
        """
        for commit, place in self._gone.items():
            if commit not in self.ordered:
                detail = "the payload is gone and no entry orders its erasure"
                yield _problem(LogProblemKind.MISSING, place, detail)
        for place in (at for at, by in self.marks.items() if by < size and at[0] >= begin):
            detail = "a payload that no run has committed to is marked as erased"
            yield _problem(LogProblemKind.EXTRA, place, detail)
        for commit, order in self.ordered.items() if not begin else ():
            if order.by < size and commit not in self._met and commit not in self._gone:
                detail = "it erases a payload that no run has committed to"
                yield LogProblem(
                    part=LogPart.ENTRY, wrong=LogProblemKind.CHANGED, seq=order.by, detail=detail
                )

    def mark(self, marks: Iterable[ErasedRow]) -> None:
        """Take note of the marks of wiped payloads."""
        self.marks = {(mark.seq, mark.ord): mark.by for mark in marks}


def _problem(wrong: LogProblemKind, place: Place, detail: str) -> LogProblem:
    seq, ordinal = place
    return LogProblem(part=LogPart.VAULT, wrong=wrong, seq=seq, ordinal=ordinal, detail=detail)
