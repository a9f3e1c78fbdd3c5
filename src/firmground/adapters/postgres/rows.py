"""The statements: rows in as they are, rows out as they went in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from firmground.adapters.postgres.connection import columns, count_in
from firmground.errors import LedgerError, RecordNotFound
from firmground.ledger.store import (
    NO_ENTRY,
    CacheRow,
    CheckpointRow,
    EdgeRow,
    EntryRow,
    ErasedRow,
    Head,
    StageRow,
    StoreChange,
    VaultRow,
)

PAGE = 512
_STATEMENT_BYTES = 16 << 20
_STATEMENT_ROWS = 4_096
_LARGEST = (1 << 63) - 1
_ENTRY = "SELECT seq, type, run, prev, hash, body FROM entry"
_CACHE = "SELECT tenant, key, seq, state, changed FROM cache"
# A row that was wiped is empty and marked; an empty row without a mark is shown, as damage.
_VAULT = (
    "SELECT seq, ord, salt, payload FROM vault AS v WHERE NOT (salt = '' AND payload = '' "
    "AND EXISTS (SELECT 1 FROM erased AS x WHERE x.seq = v.seq AND x.ord = v.ord)) AND"
)
_APPENDED: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("entries", "entry(seq, type, run, prev, hash, body)",
     ("bigint", "text", "text", "bytea", "bytea", "bytea")),
    ("stages", "stage(seq, ord, body)", ("bigint", "integer", "bytea")),
    ("vault", "vault(seq, ord, salt, payload)", ("bigint", "integer", "bytea", "bytea")),
    ("nodes", "node(level, place, hash)", ("integer", "bigint", "bytea")),
    ("erased", "erased(seq, ord, ordered_by)", ("bigint", "integer", "bigint")),
)  # fmt: skip
Run = Callable[..., list[Any]]
"""Runs one statement with its arguments and returns its rows."""
Execute = Callable[..., str]
"""Runs one statement with its arguments and returns the server's word on it."""


def apply(run: Run, execute: Execute, change: StoreChange) -> None:
    """Write one change inside the transaction that is open."""
    if not _append_at_once(run, change):
        for name, table, types in _APPENDED:
            _append(execute, table, types, getattr(change, name))
    for size, note in change.checkpoints:
        sql = "INSERT INTO checkpoint SELECT coalesce(max(number), -1) + 1, $1, $2 FROM checkpoint"
        _require_kept(execute(sql, size, note), 1)
    if change.erased:
        places = [[row.seq for row in change.erased], [row.ord for row in change.erased]]
        sql = (
            "UPDATE vault AS v SET salt = '', payload = '' "
            "FROM unnest($1::bigint[], $2::integer[]) AS gone(seq, ord) "
            "WHERE v.seq = gone.seq AND v.ord = gone.ord"
        )
        _require_kept(execute(sql, *places), len(change.erased))
    _apply_cache(execute, change)


def _apply_cache(execute: Execute, change: StoreChange) -> None:
    for row in change.cached:
        execute(
            "INSERT INTO cache(tenant, key, seq, state, changed) VALUES ($1, $2, $3, $4, $5) "
            "ON CONFLICT (tenant, key) DO UPDATE "
            "SET seq = excluded.seq, state = excluded.state, changed = excluded.changed",
            *row,
        )
    for tenant, key in change.burned:
        execute("DELETE FROM cache WHERE tenant = $1 AND key = $2", tenant, key)
    for tenant, child, parent in change.edges:
        sql = "INSERT INTO edge(tenant, child, parent) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
        execute(sql, tenant, child, parent)
    for tenant, key in change.burned:
        execute("DELETE FROM edge WHERE tenant = $1 AND child = $2", tenant, key)
    for seq, known in change.forgotten:
        execute(
            "WITH gone AS (DELETE FROM cache WHERE seq = $1 RETURNING key), "
            "each AS (SELECT key FROM gone UNION SELECT $2::bytea WHERE $2::bytea IS NOT NULL) "
            "DELETE FROM edge USING each WHERE (parent = each.key OR child = each.key) "
            "AND NOT EXISTS (SELECT 1 FROM cache AS c WHERE c.key = each.key AND c.seq <> $1)",
            seq,
            known,
        )


def _append_at_once(run: Run, change: StoreChange) -> bool:
    """Append the rows of all tables by one statement; False where they are too many for that."""
    wanted = [(t, k, rows) for name, t, k in _APPENDED if (rows := getattr(change, name))]
    several = len(wanted) > 1 and not change.erased
    if not several or any(len(list(_parts(rows))) > 1 for _, _, rows in wanted):
        return False
    inserts, counts, values = [], [], list[list[Any]]()
    for number, (table, types, rows) in enumerate(wanted):
        first = len(values) + 1
        marks = ", ".join(f"${first + at}::{kind}[]" for at, kind in enumerate(types))
        inserts.append(
            f"t{number} AS (INSERT INTO {table} SELECT * FROM unnest({marks}) RETURNING 1)"  # noqa: S608
        )
        counts.append(f"(SELECT count(*) FROM t{number})")  # noqa: S608
        values += columns(rows, len(types))
    found = run(f"WITH {', '.join(inserts)} SELECT {', '.join(counts)}", *values)
    for kept, (_, _, rows) in zip(found[0], wanted, strict=True):
        _require_kept(f"INSERT 0 {kept}", len(rows))
    return True


def _append(
    execute: Execute, table: str, types: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    marks = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(types, 1))
    sql = f"INSERT INTO {table} SELECT * FROM unnest({marks})"  # noqa: S608 - names of ours
    for part in _parts(rows):
        _require_kept(execute(sql, *columns(part, len(types))), len(part))


def _parts(rows: Sequence[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Cut rows into statements that no server finds too large."""
    start = size = 0
    for number, row in enumerate(rows):
        weight = sum(len(value) for value in row if isinstance(value, bytes))
        full = size + weight > _STATEMENT_BYTES or number - start >= _STATEMENT_ROWS
        if full and number > start:
            yield rows[start:number]
            start, size = number, 0
        size += weight
    if start < len(rows):
        yield rows[start:]


def _require_kept(status: str, rows: int) -> None:
    """A rule or trigger that swallows a row makes no error, only fewer rows."""
    if count_in(status) != rows:
        raise LedgerError(f"of {rows} rows only {count_in(status)} were kept")


class PostgresRows(ABC):
    """Reads rows; how a statement is run (and locked) is the subclass's business."""

    @abstractmethod
    def _run(self, sql: str, *args: Any) -> list[Any]: ...

    def head(self) -> Head:
        """Return the size of the log and the hash of its last entry."""
        found = self._run("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1")
        return Head(found[0][0] + 1, found[0][1]) if found else Head(0, NO_ENTRY)

    def entries(self, start: int, stop: int) -> Iterator[EntryRow]:
        """Yield the entries of a range, in order."""
        sql = f"{_ENTRY} WHERE seq >= $1 AND seq < $2 ORDER BY seq LIMIT {PAGE}"
        while start < stop and (rows := self._run(sql, start, min(stop, _LARGEST))):
            yield from (EntryRow(*row) for row in rows)
            start = rows[-1][0] + 1

    def stages(self, start: int, stop: int) -> Iterator[StageRow]:
        """Yield the stage leaves of a range of entries, in order."""
        for row in self._by_place("SELECT seq, ord, body FROM stage WHERE", start, stop):
            yield StageRow(*row)

    def vault(self, start: int, stop: int) -> Iterator[VaultRow]:
        """Yield the vault rows of a range of entries, in order."""
        for row in self._by_place(_VAULT, start, stop):
            yield VaultRow(*row)

    def scrub_pending(self) -> bool:
        """True once a payload was wiped: older row versions, the WAL and standbys may have it."""
        return bool(self._run("SELECT 1 FROM erased LIMIT 1"))

    def erased(self) -> Iterator[ErasedRow]:
        """Yield the marks of wiped vault rows, in order."""
        for row in self._by_place("SELECT seq, ord, ordered_by FROM erased WHERE", 0, _LARGEST):
            yield ErasedRow(*row)

    def _by_place(self, select: str, start: int, stop: int) -> Iterator[Any]:
        sql = f"{select} (seq, ord) > ($1, $2) AND seq < $3 ORDER BY seq, ord LIMIT {PAGE}"
        place, stop = (start, -1), min(stop, _LARGEST)
        while place[0] < stop and (rows := self._run(sql, *place, stop)):
            yield from rows
            place = (rows[-1][0], rows[-1][1])

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree."""
        if level == 0:
            found = self._run("SELECT hash FROM entry WHERE seq = $1", index)
        else:
            found = self._run("SELECT hash FROM node WHERE level = $1 AND place = $2", level, index)
        if not found:
            raise RecordNotFound(f"the log holds no tree node at level {level}, index {index}")
        value: bytes = found[0][0]
        return value

    def node_count(self) -> int:
        """Return how many nodes of level 1 and above are stored."""
        return int(self._run("SELECT count(*) FROM node")[0][0])

    def find_run(self, run: str) -> int | None:
        """Return the place of the entry that records this run."""
        found = self._run("SELECT seq FROM entry WHERE run = $1", run)
        return found[0][0] if found else None

    def runs_beginning(self, start: str, limit: int) -> tuple[str, ...]:
        """Return the first few run ids that begin with this text, by a range of the index."""
        sql = "SELECT run FROM entry WHERE run >= $1 AND run < $2 ORDER BY run LIMIT $3"
        return tuple(row[0] for row in self._run(sql, start, start + "\U0010ffff", limit))

    def runs(self, before: int, limit: int) -> tuple[EntryRow, ...]:
        """Return the newest runs below a place, newest first."""
        sql = f"{_ENTRY} WHERE run IS NOT NULL AND seq < $1 ORDER BY seq DESC LIMIT $2"
        return tuple(EntryRow(*row) for row in self._run(sql, before, limit))

    def acts(self, type: str, *, after: int = -1) -> tuple[int, ...]:
        """Return the places behind ``after`` of all entries of one type that is not a run."""
        sql = "SELECT seq FROM entry WHERE type = $1 AND run IS NULL AND seq > $2 ORDER BY seq"
        return tuple(row[0] for row in self._run(sql, type, after))

    def checkpoints(self, *, newest: int | None = None) -> tuple[CheckpointRow, ...]:
        """Return the signed notes, smallest size first, each size in the order they came."""
        sql = "SELECT size, note FROM checkpoint ORDER BY size DESC, number DESC LIMIT $1"
        return tuple(CheckpointRow(*row) for row in reversed(self._run(sql, newest)))

    def cache_row(self, tenant: str, key: bytes) -> CacheRow | None:
        """Return the cache row of one key of one tenant."""
        found = self._run(f"{_CACHE} WHERE tenant = $1 AND key = $2", tenant, key)
        return CacheRow(*found[0]) if found else None

    def cache_rows(self, tenant: str | None = None) -> tuple[CacheRow, ...]:
        """Return cache rows in the order they were recorded."""
        sql = f"{_CACHE} WHERE $1::text IS NULL OR tenant = $1 ORDER BY seq, tenant, key"
        return tuple(CacheRow(*row) for row in self._run(sql, tenant))

    def edges(self, tenant: str, parent: bytes) -> tuple[EdgeRow, ...]:
        """Return which cached answers were made from this one."""
        sql = (
            "SELECT tenant, child, parent FROM edge WHERE tenant = $1 AND parent = $2 "
            "ORDER BY child"
        )
        return tuple(EdgeRow(*row) for row in self._run(sql, tenant, parent))
