"""Copy a log into another store, byte for byte: every proof of the one holds for the other."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from firmground.core.merkle import Frontier, frontier_of
from firmground.core.run import SALT_BYTES
from firmground.errors import LedgerError
from firmground.ledger.store import (
    EntryRow,
    ErasedRow,
    Head,
    LedgerStore,
    StoreChange,
    StoreReader,
    Transaction,
    VaultRow,
)

ENTRIES_AT_ONCE = 256
CopyProgress = Callable[[int, int], None]
"""Told (entries copied, entries in the source)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReport:
    """What a copy holds, and how much of it was there before."""

    size: int
    root: bytes
    found: int
    """Entries that an earlier copy had brought already."""
    checkpoints: int


def copy_log(
    source: StoreReader,
    target: LedgerStore,
    *,
    progress: CopyProgress = lambda done, total: None,
) -> CopyReport:
    """Copy everything up to the source's present head; an interrupted copy goes on.

    Others may go on writing to the source. The target must be empty or hold a beginning of the
    source; anything else is refused before a row is written.
    """
    copy = _Copy(source, target)
    found = copy.require_beginning()
    copy.run(progress)
    copy.finish()
    root = copy.frontier.root()
    if frontier_of(copy.size, source.node).root() != root:
        raise LedgerError("the tree of the source is not that of its entries: run an audit on it")
    return CopyReport(size=copy.size, root=root, found=found, checkpoints=copy.notes)


class _Copy:
    def __init__(self, source: StoreReader, target: LedgerStore) -> None:
        self.source, self.target = source, target
        self.size = source.head().size
        self.frontier: Frontier = frontier_of(target.head().size, target.node)
        self.notes = 0
        self._ordered: dict[int, list[ErasedRow]] = defaultdict(list)
        self._wiped: list[tuple[int, int]] = []
        """Places of wiped payloads, in order."""
        for mark in source.erased():
            if mark.by < self.size:
                self._ordered[mark.by].append(mark)
                self._wiped.append((mark.seq, mark.ord))

    def require_beginning(self) -> int:
        """Return how many entries the target has; refuse one that is not a beginning."""
        size, last = self.target.head()
        same = size <= self.size
        if same and size:
            same = [row.hash for row in self.source.entries(size - 1, size)] == [last]
            same = same and frontier_of(size, self.source.node).root() == self.frontier.root()
        kept = self.target.checkpoints()
        if not same or kept != self.source.checkpoints()[: len(kept)]:
            raise LedgerError(
                f"the target holds {size} entries that are not a beginning of the source: "
                "copy into an empty one"
            )
        return size

    def run(self, progress: CopyProgress) -> None:
        """Copy entries with their stages and payloads, and wipe what the log ordered to."""
        part: list[EntryRow] = []
        for row in self.source.entries(self.frontier.size, self.size):
            part.append(row)
            if len(part) == ENTRIES_AT_ONCE or row.seq in self._ordered:
                self._write(part)
                progress(row.seq + 1, self.size)
                part = []
        if part:
            self._write(part)
            progress(self.size, self.size)
        if self.frontier.size != self.size:
            raise LedgerError(f"the source has no entry {self.frontier.size}: run an audit on it")

    def _write(self, part: list[EntryRow]) -> None:
        start, stop = part[0].seq, part[-1].seq + 1
        before = self.frontier
        if (start, stop - start) != (before.size, len(part)):
            raise LedgerError(f"the source has no entry {before.size}: run an audit on it")
        nodes: list[tuple[int, int, bytes]] = []
        for row in part:
            self.frontier, made = self.frontier.append(row.hash)
            nodes.extend(made[1:])
        change = StoreChange(
            entries=tuple(part),
            stages=list(self.source.stages(start, stop)),
            vault=self._vault(start, stop),
            nodes=nodes,
        )
        erased = StoreChange(erased=tuple(self._ordered.get(part[-1].seq, ())))
        expected = Head(before.size, part[0].prev)

        def write(transaction: Transaction) -> None:
            if transaction.head() != expected:
                raise LedgerError("somebody else writes to the target, or the source is damaged")
            transaction.apply(change)
            if erased.erased:
                transaction.apply(erased)

        self.target.transact(write)

    def _vault(self, start: int, stop: int) -> list[VaultRow]:
        """The payloads of a range, and an empty row where one was wiped: the mark needs a place."""
        rows = {(row.seq, row.ord): row for row in self.source.vault(start, stop)}
        first, last = (bisect_left(self._wiped, (seq, -1)) for seq in (start, stop))
        for place in self._wiped[first:last]:
            rows.setdefault(place, VaultRow(*place, bytes(SALT_BYTES), b""))
        return [rows[place] for place in sorted(rows)]

    def finish(self) -> None:
        """Copy the signed notes and the index of the answer cache."""
        known = len(self.target.checkpoints())
        notes = [row for row in self.source.checkpoints() if row.size <= self.size]
        self.notes = len(notes)
        cached = tuple(row for row in self.source.cache_rows() if row.changed < self.size)
        edges = tuple(
            edge for row in cached for edge in self.source.edges(row.tenant, row.key)
        )  # fmt: skip
        change = StoreChange(checkpoints=tuple(notes[known:]), cached=cached, edges=edges)
        self.target.transact(lambda transaction: transaction.apply(change))
        self.target.scrub()
