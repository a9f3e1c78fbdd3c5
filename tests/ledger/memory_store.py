"""A store as somebody else would write it: everything in dictionaries, for one process."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from firmground.errors import AppendOnlyViolation, RecordNotFound
from firmground.ledger.store import (
    NO_ENTRY,
    CacheRow,
    CheckpointRow,
    Durability,
    EdgeRow,
    EntryRow,
    ErasedRow,
    Head,
    StageRow,
    StoreChange,
    Transaction,
    VaultRow,
)

T = TypeVar("T")


@dataclass
class Tables:
    """What is kept."""

    entries: list[EntryRow] = field(default_factory=list)
    stages: list[StageRow] = field(default_factory=list)
    vault: list[VaultRow] = field(default_factory=list)
    nodes: dict[tuple[int, int], bytes] = field(default_factory=dict)
    notes: list[CheckpointRow] = field(default_factory=list)
    erased: list[ErasedRow] = field(default_factory=list)
    cache: dict[tuple[str, bytes], CacheRow] = field(default_factory=dict)
    edges: set[EdgeRow] = field(default_factory=set)
    lock: Any = field(default_factory=threading.RLock)
    claims: dict[bytes, threading.Lock] = field(default_factory=dict)

    def __deepcopy__(self, memo: object) -> Tables:
        mine = {k: v if k in ("lock", "claims") else copy.copy(v) for k, v in vars(self).items()}
        return Tables(**mine)


class MemoryReader:
    """Reads the tables; all of ``Reader``."""

    def __init__(self, tables: Tables) -> None:
        self.t = tables

    def head(self) -> Head:
        rows = self.t.entries
        return Head(len(rows), rows[-1].hash if rows else NO_ENTRY)

    def entries(self, start: int, stop: int) -> Iterator[EntryRow]:
        yield from self.t.entries[start : max(start, stop)]

    def stages(self, start: int, stop: int) -> Iterator[StageRow]:
        yield from [row for row in self.t.stages if start <= row.seq < stop]

    def vault(self, start: int, stop: int) -> Iterator[VaultRow]:
        yield from [row for row in self.t.vault if start <= row.seq < stop]

    def defects(self) -> tuple[str, ...]:
        return ()

    def scrub_pending(self) -> bool:
        return False

    def erased(self) -> Iterator[ErasedRow]:
        yield from sorted(self.t.erased)

    def node(self, level: int, index: int) -> bytes:
        rows = self.t.entries
        found = (
            (rows[index].hash if index < len(rows) else None)
            if level == 0
            else self.t.nodes.get((level, index))
        )
        if found is None:
            raise RecordNotFound(f"no node {level}, {index}")
        return found

    def node_count(self) -> int:
        return len(self.t.nodes)

    def find_run(self, run: str) -> int | None:
        return next((row.seq for row in self.t.entries if row.run == run), None)

    def runs_beginning(self, start: str, limit: int) -> tuple[str, ...]:
        names = (row.run for row in self.t.entries if row.run is not None)
        return tuple(sorted((n for n in names if n.startswith(start)), key=str.encode)[:limit])

    def runs(self, before: int, limit: int) -> tuple[EntryRow, ...]:
        rows = [r for r in reversed(self.t.entries) if r.run is not None and r.seq < before]
        return tuple(rows[:limit])

    def acts(self, type: str, *, after: int = -1) -> tuple[int, ...]:
        return tuple(
            r.seq for r in self.t.entries if r.type == type and r.run is None and r.seq > after
        )

    def checkpoints(self, *, newest: int | None = None) -> tuple[CheckpointRow, ...]:
        rows = sorted(self.t.notes, key=lambda row: row.size)
        return tuple(rows if newest is None else rows[-newest:])

    def cache_row(self, tenant: str, key: bytes) -> CacheRow | None:
        return self.t.cache.get((tenant, key))

    def cache_rows(self, tenant: str | None = None) -> tuple[CacheRow, ...]:
        rows = sorted(self.t.cache.values(), key=lambda r: (r.seq, r.tenant, r.key))
        return tuple(row for row in rows if tenant in (None, row.tenant))

    def edges(self, tenant: str, parent: bytes) -> tuple[EdgeRow, ...]:
        return tuple(sorted(e for e in self.t.edges if (e.tenant, e.parent) == (tenant, parent)))


class _Open(MemoryReader):
    def apply(self, change: StoreChange) -> None:
        t = self.t
        for row in change.entries:
            if (row.seq, row.prev) != self.head() or (
                row.run and self.find_run(row.run) is not None
            ):
                raise AppendOnlyViolation(f"entry {row.seq} is not the next one")
            t.entries.append(row)
        t.stages += [StageRow(*row) for row in change.stages]
        t.vault += [VaultRow(*row) for row in change.vault]
        t.nodes.update({(level, place): value for level, place, value in change.nodes})
        t.notes += change.checkpoints
        t.erased += change.erased
        gone = {(row.seq, row.ord) for row in change.erased}
        t.vault = [row for row in t.vault if (row.seq, row.ord) not in gone]
        t.cache.update({(row.tenant, row.key): row for row in change.cached})
        t.edges.update(change.edges)
        for each in change.burned:
            t.cache.pop(each, None)
        for seq, key in change.forgotten:
            keys = {row.key for row in t.cache.values() if row.seq == seq} | {key}
            t.cache = {k: row for k, row in t.cache.items() if row.seq != seq}
            t.edges = {e for e in t.edges if keys.isdisjoint((e.child, e.parent))}


class _Held:
    def __init__(self, lock: threading.Lock) -> None:
        self.lock: threading.Lock | None = lock

    def release(self) -> None:
        lock, self.lock = self.lock, None
        if lock is not None:
            lock.release()


class MemoryStore(MemoryReader):
    """A log in memory; ``MemoryStore(other.box)`` opens the same one again."""

    durability = Durability.PROCESS

    def __init__(self, box: list[Tables] | None = None) -> None:
        self.box = [Tables()] if box is None else box

    @property
    def t(self) -> Tables:  # type: ignore[override]
        return self.box[0]

    def transact(self, work: Callable[[Transaction], T]) -> T:
        with self.t.lock:
            draft = copy.deepcopy(self.t)
            result = work(_Open(draft))
            self.box[0] = draft
            return result

    def flush(self) -> None:
        pass

    def scrub(self) -> bool:
        return True

    def claim(self, name: bytes, *, wait: bool) -> _Held | None:
        lock = self.t.claims.setdefault(name, threading.Lock())
        return _Held(lock) if lock.acquire(blocking=wait) else None

    def close(self) -> None:
        pass
