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
from firmground.ledger.store import Change, EntryRow, Head, Transaction


class Place(NamedTuple):
    """Where an entry stands: its number and the hash of the entry before it."""

    seq: int
    prev: bytes


class Placed(NamedTuple):
    """An entry that has its place."""

    seq: int
    hash: bytes
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An entry that does not know its place yet."""

    type: str
    write: Callable[[Place], bytes]
    """Gives the entry's exact bytes once its place is known."""
    run: str | None = None
    stages: tuple[bytes, ...] = ()
    vault: tuple[tuple[bytes, bytes], ...] = ()
    """(salt, payload) for each stage."""
    also: Callable[[int], Change] | None = None
    """What else changes with this entry, given its place."""


class Layout:
    """Collects the rows of one batch and hands them to the transaction."""

    def __init__(self, transaction: Transaction, known: Frontier | None) -> None:
        self._transaction = transaction
        size, last = transaction.head()
        self._last = last
        self.frontier = (
            known
            if known is not None and known.size == size
            else frontier_of(size, transaction.node)
        )
        self._clear()

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
        self._also: list[Change] = []

    def add(self, draft: Draft) -> Placed:
        """Give a draft the next place."""
        seq = self.frontier.size
        body = draft.write(Place(seq, self._last))
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
        self._last = value
        return Placed(seq, value, body)

    def flush(self) -> None:
        """Write what was collected."""
        if self._entries:
            self._transaction.apply(
                Change(
                    entries=tuple(self._entries),
                    stages=self._stages,
                    vault=self._vault,
                    nodes=self._nodes,
                )
            )
        for change in self._also:
            self._transaction.apply(change)
        self._clear()
