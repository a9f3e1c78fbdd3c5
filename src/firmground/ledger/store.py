"""Where the bytes are kept: the port that a database implements.

The room decides what is written, the store only writes it: rows go in as they are, all of one
change or nothing, and come out as they went in. Nothing here knows what the bytes mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from firmground.ledger.entry import NO_ENTRY, Durability

T = TypeVar("T")

__all__ = [
    "NO_ENTRY",
    "CacheRow",
    "CheckpointRow",
    "Durability",
    "EdgeRow",
    "EntryRow",
    "ErasedRow",
    "Head",
    "LedgerStore",
    "NameLock",
    "NodeRow",
    "StageRow",
    "StoreChange",
    "StoreReader",
    "Transaction",
    "VaultRow",
]


class EntryRow(NamedTuple):
    """One log entry: its place, its exact bytes, and what is needed to find it."""

    seq: int
    type: str
    run: str | None
    """The run id, only on the entry that records the run."""
    prev: bytes
    hash: bytes
    body: bytes


class StageRow(NamedTuple):
    """The exact bytes of one stage leaf."""

    seq: int
    ord: int
    body: bytes


class VaultRow(NamedTuple):
    """What a stage commitment hides; the only thing in a log that can be erased."""

    seq: int
    ord: int
    salt: bytes
    payload: bytes


class NodeRow(NamedTuple):
    """The hash of a complete subtree of two leaves or more."""

    level: int
    place: int
    hash: bytes


class CheckpointRow(NamedTuple):
    """A signed note over the first ``size`` entries; later rows may add cosignatures."""

    size: int
    note: bytes


class ErasedRow(NamedTuple):
    """The order to wipe one vault row for good, given by the erase entry ``by``."""

    seq: int
    ord: int
    by: int


class CacheRow(NamedTuple):
    """Which recorded run answers a key, and whether it may still be served."""

    tenant: str
    key: bytes
    seq: int
    state: str
    changed: int
    """The entry that gave the row this state."""


class EdgeRow(NamedTuple):
    """A cached answer that another cached answer was made from."""

    tenant: str
    child: bytes
    parent: bytes


class Head(NamedTuple):
    """Where the next entry goes and what it must name as its predecessor."""

    size: int
    last: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreChange:
    """What one transaction adds: all of it, or nothing."""

    entries: tuple[EntryRow, ...] = ()
    stages: Sequence[StageRow | tuple[int, int, bytes]] = ()
    vault: Sequence[VaultRow | tuple[int, int, bytes, bytes]] = ()
    nodes: Sequence[NodeRow | tuple[int, int, bytes]] = ()
    checkpoints: tuple[CheckpointRow, ...] = ()
    erased: tuple[ErasedRow, ...] = ()
    """Vault rows to wipe in the same breath."""
    cached: tuple[CacheRow, ...] = ()
    """Cache rows to add or to give another state."""
    burned: tuple[tuple[str, bytes], ...] = ()
    """(tenant, key) of cache rows to remove."""
    forgotten: tuple[tuple[int, bytes | None], ...] = ()
    """(run's place, cache key): once the store is scrubbed no byte of the key may be left.

    Without a key, whatever the index holds for this run goes.
    """
    edges: tuple[EdgeRow, ...] = ()
    subjects: Sequence[tuple[int, str]] = ()
    """(place, whose data its payloads are), for a store that seals payloads; others pass it by."""


class StoreReader(Protocol):
    """Reads what was written."""

    def head(self) -> Head:
        """Return the size of the log and the hash of its last entry."""
        ...

    def entries(self, start: int, stop: int) -> Iterator[EntryRow]:
        """Yield the entries with start <= seq < stop, in order; missing ones are left out."""
        ...

    def stages(self, start: int, stop: int) -> Iterator[StageRow]:
        """Yield the stage leaves of the entries with start <= seq < stop, in order."""
        ...

    def vault(self, start: int, stop: int) -> Iterator[VaultRow]:
        """Yield the vault rows of such entries that were not erased, in order."""
        ...

    def defects(self) -> tuple[str, ...]:
        """Report defects of the store itself: its schema, and rows that cannot exist."""
        ...

    def scrub_pending(self) -> bool:
        """True while bytes that were ordered to be erased may still stand somewhere in the store.

        It survives the death of the process, from the erasure's commit until ``scrub`` succeeds.
        """
        ...

    def erased(self) -> Iterator[ErasedRow]:
        """Yield the marks of wiped vault rows, in order."""
        ...

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of the complete subtree over leaves [index << level, ...)."""
        ...

    def node_count(self) -> int:
        """Return how many nodes of level 1 and above are stored."""
        ...

    def find_run(self, run: str) -> int | None:
        """Return the place of the entry that records this run."""
        ...

    def runs_beginning(self, start: str, limit: int) -> tuple[str, ...]:
        """Return the first few run ids that begin with this text, without looking at others."""
        ...

    def runs(self, before: int, limit: int) -> tuple[EntryRow, ...]:
        """Return the newest runs with seq < before, newest first."""
        ...

    def acts(self, type: str, *, after: int = -1) -> tuple[int, ...]:
        """Return the places behind ``after`` of all entries of one type that is not a run."""
        ...

    def checkpoints(self, *, newest: int | None = None) -> tuple[CheckpointRow, ...]:
        """Return all signed notes by size, then in the order they came; or only the last few."""
        ...

    def cache_row(self, tenant: str, key: bytes) -> CacheRow | None:
        """Return the cache row of one key of one tenant."""
        ...

    def cache_rows(self, tenant: str | None = None) -> tuple[CacheRow, ...]:
        """Return all cache rows, or those of one tenant, in the order they were recorded."""
        ...

    def edges(self, tenant: str, parent: bytes) -> tuple[EdgeRow, ...]:
        """Return which cached answers were made from this one."""
        ...


class Transaction(StoreReader, Protocol):
    """Reads and writes in an exclusive transaction."""

    def apply(self, change: StoreChange) -> None:
        """Write the change; it becomes visible and durable when the transaction ends well."""
        ...


class NameLock(Protocol):
    """A name that is held until it is released."""

    def release(self) -> None:
        """Let the next one have it."""
        ...


class LedgerStore(StoreReader, Protocol):
    """Keeps a log. Errors are LedgerUnavailable when nothing was acknowledged.

    >>> import tempfile
    >>> from firmground.testing import check_ledger_store, store_in
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_ledger_store(store_in(folder))
    """

    @property
    def durability(self) -> Durability:
        """What a change survives once ``transact`` has returned."""
        ...

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` alone among all writers of this log and keep its changes, or none."""
        ...

    def flush(self) -> None:
        """Make everything visible survive the loss of power."""
        ...

    def scrub(self) -> bool:
        """Remove erased bytes from every file of the store; False while a reader holds them."""
        ...

    def claim(self, name: bytes, *, wait: bool) -> NameLock | None:
        """Hold a name exclusively among all processes that open this store.

        None when it is held and the caller does not wait. A process that dies releases its names.
        """
        ...

    def close(self) -> None:
        """Give everything back."""
        ...
