"""Lay new entries end to end: places, links and tree nodes for a batch, before anything is written.

Pure but for what it is handed: an entry's bytes depend on its place and its predecessor, so they
are made here, in order, once the place is certain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, repeat
from typing import NamedTuple

from firmground.core.merkle import Frontier, frontier_of, leaf_hash
from firmground.errors import LedgerError, RecordNotFound
from firmground.ledger.store import EntryRow, Head, StoreChange, StoreReader, Transaction

_TIME = b'"ts":"'


class RewrittenLogError(LedgerError):
    """What the writer was told is kept is no longer there, or no longer the same."""


class EntryPosition(NamedTuple):
    """Where an entry stands: its number, and the hash and time of the entry before it."""

    seq: int
    prev: bytes
    after: str = ""
    """No entry is dated earlier than the one before it."""


class Acknowledged(NamedTuple):
    """What a writer knows to be kept: the tree, and the hash and time of its last entry."""

    frontier: Frontier
    last: bytes
    time: str

    def require_kept(self, reader: StoreReader) -> None:
        """Compare with what is stored; entries that others added behind it are fine."""
        size = self.frontier.size
        try:
            same = frontier_of(size, reader.node) == self.frontier
        except RecordNotFound:
            same = False
        if not same:
            raise RewrittenLogError(
                f"the log was changed behind its writer: its first {size} entries are not those "
                "that were acknowledged; run an audit"
            )


class PositionedEntry(NamedTuple):
    """An entry that has its place."""

    seq: int
    hash: bytes
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryDraft:
    """An entry that does not know its place yet."""

    type: str
    write: Callable[[EntryPosition], bytes]
    """Gives the entry's exact bytes once its place is known."""
    run: str | None = None
    stages: tuple[bytes, ...] = ()
    vault: tuple[tuple[bytes, bytes], ...] = ()
    """(salt, payload) for each stage."""
    also: Callable[[int], StoreChange] | None = None
    """What else changes with this entry, given its place."""
    subject: str | None = None
    """Whose data the payloads are."""


class BatchLayout:
    """Collects the rows of one batch and hands them to the transaction."""

    def __init__(self, transaction: Transaction, known: Acknowledged | None) -> None:
        self._transaction = transaction
        size, last = transaction.head()
        self._last = last
        if known is not None and (known.frontier.size, known.last) == (size, last):
            self.frontier, self._time = known.frontier, known.time
        else:
            if known is not None:
                known.require_kept(transaction)
            self.frontier = frontier_of(size, transaction.node)
            self._time = _newest_time(transaction, size)
        self._clear()

    @property
    def acknowledged(self) -> Acknowledged:
        """What is kept once everything that was added is written."""
        return Acknowledged(self.frontier, self._last, self._time)

    @property
    def head(self) -> Head:
        """The head of the log once everything that was added is written."""
        return Head(self.frontier.size, self._last)

    def _clear(self) -> None:
        self._entries: list[EntryRow] = []
        # Plain tuples of the same fields: there are sixteen a record, and names cost time to give.
        self._stages: list[tuple[int, int, bytes]] = []
        self._vault: list[tuple[int, int, bytes, bytes]] = []
        self._nodes: list[tuple[int, int, bytes]] = []
        self._also: list[StoreChange] = []
        self._subjects: list[tuple[int, str]] = []

    def add(self, draft: EntryDraft) -> PositionedEntry:
        """Give a draft the next place."""
        seq = self.frontier.size
        body = draft.write(EntryPosition(seq, self._last, self._time))
        also = None if draft.also is None else draft.also(seq)
        value = leaf_hash(body)
        self.frontier, made = self.frontier.append(value)
        self._entries.append(EntryRow(seq, draft.type, draft.run, self._last, value, body))
        if len(made) > 1:
            self._nodes.extend(made[1:])
        self._stages.extend(zip(repeat(seq), count(), draft.stages))
        if draft.vault:
            salts, payloads = zip(*draft.vault, strict=True)
            self._vault.extend(zip(repeat(seq), count(), salts, payloads))
        if also is not None:
            self._also.append(also)
        if draft.subject:
            self._subjects.append((seq, draft.subject))
        self._last = value
        self._time = max(self._time, _time_of(body))
        return PositionedEntry(seq, value, body)

    def flush(self) -> None:
        """Write what was collected."""
        if self._entries:
            self._transaction.apply(
                StoreChange(
                    entries=tuple(self._entries),
                    stages=self._stages,
                    vault=self._vault,
                    nodes=self._nodes,
                    subjects=self._subjects,
                )
            )
        for change in self._also:
            self._transaction.apply(change)
        self._clear()


def _newest_time(reader: StoreReader, size: int) -> str:
    return max((_time_of(row.body) for row in reader.entries(size - 1, size)), default="")


def _time_of(body: bytes) -> str:
    """The time in an entry's bytes; of its keys only ``type`` and ``v`` stand behind it."""
    begin = body.rfind(_TIME) + len(_TIME)
    return body[begin : body.find(b'"', begin)].decode("ascii", "replace")
