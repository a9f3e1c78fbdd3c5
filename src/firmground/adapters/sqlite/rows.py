"""The statements: rows in as they are, rows out as they went in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from firmground.adapters.sqlite import shape
from firmground.adapters.sqlite.migrations import PLACES
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

if TYPE_CHECKING:
    import apsw

ORDINAL_BITS = 10
_MASK = (1 << ORDINAL_BITS) - 1
_PAGE = 512
_MOST_DEFECTS = 100
_LARGEST = (1 << 63) - 1

# Many rows a statement: SQLite is entered once for all of them. Row by row, the writing thread
# would have to win the interpreter back after each one while other threads compute.
_ROWS_AT_ONCE = (64, 8, 1)

_TEXTS = frozenset({"type", "run", "tenant", "state"})
_COUNTED = (
    ("entry", "seq", PLACES),
    ("stage", "id", _LARGEST),
    ("vault", "id", _LARGEST),
    ("node", "id", _LARGEST),
    ("erased", "id", _LARGEST),
)

ACTS = "SELECT seq FROM entry {} WHERE type = ? AND run IS NULL AND seq > ? ORDER BY seq"
_HASH_BYTES = 32
_Types = tuple[type | tuple[type, ...], ...]
_ENTRY_TYPES: _Types = (int, str, (str, type(None)), bytes, bytes, bytes)
_STAGE_TYPES: _Types = (int, int, bytes)
_VAULT_TYPES: _Types = (int, int, bytes, bytes)
_ERASED_TYPES: _Types = (int, int, int)
_CHECKPOINT_TYPES: _Types = (int, bytes)
_CACHE_TYPES: _Types = (str, bytes, int, str, int)
_R = TypeVar("_R", bound=tuple[Any, ...])

# Rows are overwritten where they stand and stay there. Deleting some would make SQLite move their
# neighbours to other pages, and a copy left behind would survive the neighbour's own erasure.
_WIPE = (
    "UPDATE vault SET salt = zeroblob(length(salt)), payload = zeroblob(length(payload)) "
    "WHERE id = ?"
)
_NOT_WIPED = (
    "SELECT id, salt, payload FROM vault WHERE NOT (salt = zeroblob(length(salt)) "
    "AND payload = zeroblob(length(payload)) "
    "AND EXISTS (SELECT 1 FROM erased WHERE erased.id = vault.id)) AND"
)

IN_THE_INDEX, IN_THE_FILES = 1, 2
"""Where erased bytes may be left: copies on pages of the index, and the write-ahead file."""
_MARK = "INSERT INTO residue VALUES (?) ON CONFLICT DO NOTHING"

_APPENDED = (
    (
        "entries",
        "INSERT INTO entry(seq, type, run, prev, hash, body) VALUES ",
        "(?, ?, ?, ?, ?, ?)",
    ),
    ("stages", "INSERT INTO stage(id, body) VALUES ", "(? << 10 | ?, ?)"),
    ("vault", "INSERT INTO vault(id, salt, payload) VALUES ", "(? << 10 | ?, ?, ?)"),
)
_CHANGED = (
    (
        "checkpoints",
        "INSERT INTO checkpoint(number, size, note) "
        "VALUES ((SELECT coalesce(max(number), -1) + 1 FROM checkpoint), ?, ?)",
    ),
    (
        "cached",
        "INSERT INTO cache(tenant, key, seq, state, changed) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (tenant, key) DO UPDATE "
        "SET seq = excluded.seq, state = excluded.state, changed = excluded.changed",
    ),
    ("burned", "DELETE FROM cache WHERE tenant = ? AND key = ?"),
    ("edges", "INSERT INTO edge(tenant, child, parent) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"),
)


def node_id(level: int, index: int) -> int:
    """Place of a subtree's hash when all hashes are written as soon as they are complete."""
    last = ((index + 1) << level) - 1
    return 2 * last - last.bit_count() + level


def apply(connection: apsw.Connection, change: StoreChange) -> None:
    """Write one change inside the transaction that is open."""
    for name, insert, row in _APPENDED:
        _append(connection, insert, row, getattr(change, name))
    nodes = [(node_id(level, index), value) for level, index, value in change.nodes]
    _append(connection, "INSERT INTO node(id, hash) VALUES ", "(?, ?)", nodes)
    for name, sql in _CHANGED:
        rows = getattr(change, name)
        if rows:
            connection.executemany(sql, rows)
    for seq, ordinal, by in change.erased:
        place = seq << ORDINAL_BITS | ordinal
        connection.execute("INSERT INTO erased(id, by) VALUES (?, ?)", (place, by))
        _require_kept(connection, 1)
        connection.execute(_WIPE, (place,))
        _require_kept(connection, 1)
    if change.erased and _knows_residue(connection):
        connection.execute(_MARK, (IN_THE_FILES,))
    for tenant, key in change.burned:
        connection.execute("DELETE FROM edge WHERE tenant = ? AND child = ?", (tenant, key))
    for seq, known in change.forgotten:
        _forget(connection, seq, known)


def _forget(connection: apsw.Connection, seq: int, key: bytes | None) -> None:
    """Take a key out of the index; copies of it on its pages go when the store is scrubbed."""
    listed = connection.execute("SELECT key FROM cache WHERE seq = ?", (seq,)).fetchall()
    connection.execute("DELETE FROM cache WHERE seq = ?", (seq,))
    for each in {row[0] for row in listed} | ({key} if key is not None else set()):
        if not connection.execute("SELECT 1 FROM cache WHERE key = ? LIMIT 1", (each,)).fetchall():
            connection.execute("DELETE FROM edge WHERE parent = ?1 OR child = ?1", (each,))
    if _knows_residue(connection):
        connection.executemany(_MARK, ((IN_THE_INDEX,), (IN_THE_FILES,)))
    else:
        rebuild_index(connection)


def has_residue(connection: apsw.Connection, where: int) -> bool:
    """True while erased bytes may stand in this part of the store."""
    sql = "SELECT 1 FROM residue WHERE number = ?"
    return _knows_residue(connection) and bool(connection.execute(sql, (where,)).fetchall())


def forget_residue(connection: apsw.Connection, where: int) -> None:
    """Take the mark off a part of the store that was cleaned."""
    if _knows_residue(connection):
        connection.execute("DELETE FROM residue WHERE number = ?", (where,))


def _knows_residue(connection: apsw.Connection) -> bool:
    sql = "SELECT 1 FROM sqlite_schema WHERE name = 'residue'"
    return bool(connection.execute(sql).fetchall())


def rebuild_index(connection: apsw.Connection) -> None:
    """Rebuild the tables of the index: emptying a table overwrites all of its pages."""
    for table, columns in (("cache", 5), ("edge", 3)):
        kept = connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608
        connection.execute(f"DELETE FROM {table}")  # noqa: S608
        marks = ", ".join("?" * columns)
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", kept)  # noqa: S608
    forget_residue(connection, IN_THE_INDEX)


def _append(
    connection: apsw.Connection, insert: str, row: str, rows: Sequence[tuple[Any, ...]]
) -> None:
    start = 0
    for size in _ROWS_AT_ONCE:
        sql = insert + ", ".join([row] * size)
        while len(rows) - start >= size:
            values = tuple(chain.from_iterable(rows[start : start + size]))
            connection.execute(sql, values)
            _require_kept(connection, size)
            start += size


def _require_kept(connection: apsw.Connection, rows: int) -> None:
    """A trigger that ignores a row makes no error, only fewer rows."""
    if connection.changes() != rows:
        raise LedgerError(f"of {rows} rows only {connection.changes()} were kept")


def _next_number(table: str, number: Any, first: int, last: int) -> int:
    """Return the number after this one; a row out of order means that the table is damaged."""
    if type(number) is not int or not first <= number <= last:
        raise LedgerError(
            f"the table {table} is damaged: a row numbered {number!r} stands where {first} or a "
            "later one belongs"
        )
    return number + 1


def _typed(table: str, row: _R, types: _Types) -> _R:
    """Return the row if every column has its type; a STRICT table holds no other until damaged."""
    for value, wanted in zip(row, types, strict=True):
        if not isinstance(value, wanted):
            kind = type(value).__name__
            raise LedgerError(f"the table {table} is damaged: row {row[0]!r} holds a {kind}")
    return row


class SqliteRows(ABC):
    """Reads rows; how a statement is run (and locked) is the subclass's business."""

    @abstractmethod
    def _run(self, sql: str, args: tuple[Any, ...] = ()) -> list[Any]: ...

    def _texts(self, sql: str, args: tuple[Any, ...]) -> list[Any]:
        """Run a statement that reads texts; what is not UTF-8 comes out marked, never as it was."""
        try:
            return self._run(sql, args)
        except (UnicodeDecodeError, LedgerError) as error:
            if not isinstance(error.__cause__ or error, UnicodeDecodeError):
                raise
        columns, rest = sql.removeprefix("SELECT ").split(" FROM ", 1)
        names = columns.split(", ")
        raw = ", ".join(f"CAST({name} AS BLOB)" if name in _TEXTS else name for name in names)
        return [
            tuple(
                value.decode("utf-8", "replace") if name in _TEXTS and value is not None else value
                for name, value in zip(names, row, strict=True)
            )
            for row in self._run(f"SELECT {raw} FROM {rest}", args)  # noqa: S608
        ]

    def head(self) -> Head:
        """Return the size of the log and the hash of its last entry."""
        sql = "SELECT seq, hash FROM entry WHERE seq >= 0 ORDER BY seq DESC LIMIT 1"
        found = self._run(sql)
        if not found:
            return Head(0, NO_ENTRY)
        _typed("entry", found[0], (int, bytes))
        return Head(found[0][0] + 1, found[0][1])

    def entries(self, start: int, stop: int) -> Iterator[EntryRow]:
        """Yield the entries of a range, in order."""
        sql = (
            "SELECT seq, type, run, prev, hash, body FROM entry "
            "WHERE seq >= ? AND seq <= ? ORDER BY seq LIMIT ?"
        )
        start, last = max(start, 0), min(stop - 1, _LARGEST)
        while start <= last and (rows := self._texts(sql, (start, last, _PAGE))):
            for row in rows:
                start = _next_number("entry", row[0], start, last)
                yield _typed("entry", EntryRow(*row), _ENTRY_TYPES)

    def stages(self, start: int, stop: int) -> Iterator[StageRow]:
        """Yield the stage leaves of a range of entries, in order."""
        rows = self._by_place("stage", "SELECT id, body FROM stage WHERE", start, stop)
        for place, body in rows:
            row = StageRow(place >> ORDINAL_BITS, place & _MASK, body)
            yield _typed("stage", row, _STAGE_TYPES)

    def vault(self, start: int, stop: int) -> Iterator[VaultRow]:
        """Yield the vault rows of a range of entries, in order."""
        for place, *kept in self._by_place("vault", _NOT_WIPED, start, stop):
            row = VaultRow(place >> ORDINAL_BITS, place & _MASK, *kept)
            yield _typed("vault", row, _VAULT_TYPES)

    def _by_place(self, table: str, select: str, start: int, stop: int) -> Iterator[Any]:
        sql = f"{select} id >= ? AND id <= ? ORDER BY id LIMIT ?"
        first, last = max(start, 0) << ORDINAL_BITS, min((stop << ORDINAL_BITS) - 1, _LARGEST)
        while first <= last and (rows := self._run(sql, (first, last, _PAGE))):
            for row in rows:
                first = _next_number(table, row[0], first, last)
                yield row

    def defects(self) -> tuple[str, ...]:
        """Name tables and triggers that are not as they were made, and rows out of all count."""
        schema = shape.found(self._run(shape.SCHEMA))
        steps = int(self._run("PRAGMA user_version")[0][0])
        told = list(shape.differences(schema, shape.made(steps)))
        checked = [str(row[0]) for row in self._run(f"PRAGMA integrity_check({_MOST_DEFECTS})")]
        told += [line for line in checked if line != "ok"]
        for table, number, end in _COUNTED:
            sql = f"SELECT {number} FROM {table} WHERE {number} < 0 OR {number} >= ? LIMIT 100"  # noqa: S608
            places = [row[0] for row in self._run(sql, (end,))]
            told += [f"a row of {table} has the number {place}" for place in places]
        return tuple(told)

    def scrub_pending(self) -> bool:
        """True from an erasure's commit until its bytes have left every file."""
        if not self._run("SELECT 1 FROM sqlite_schema WHERE name = 'residue'"):
            return False
        return bool(self._run("SELECT 1 FROM residue LIMIT 1"))

    def erased(self) -> Iterator[ErasedRow]:
        """Yield the marks of wiped vault rows, in order."""
        sql = "SELECT id, by FROM erased WHERE id >= ? ORDER BY id LIMIT ?"
        first = 0
        while first <= _LARGEST and (rows := self._run(sql, (first, _PAGE))):
            for place, by in rows:
                first = _next_number("erased", place, first, _LARGEST)
                row = ErasedRow(place >> ORDINAL_BITS, place & _MASK, by)
                yield _typed("erased", row, _ERASED_TYPES)

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of a complete subtree."""
        if level == 0:
            found = self._run("SELECT hash FROM entry WHERE seq = ?", (index,))
        else:
            found = self._run("SELECT hash FROM node WHERE id = ?", (node_id(level, index),))
        if not found:
            raise RecordNotFound(f"the log holds no tree node at level {level}, index {index}")
        if not isinstance(found[0][0], bytes) or len(found[0][0]) != _HASH_BYTES:
            raise LedgerError(f"the tree node at level {level}, index {index} holds no hash")
        return found[0][0]

    def node_count(self) -> int:
        """Return how many nodes of level 1 and above are stored."""
        return int(self._run("SELECT count(*) FROM node")[0][0])

    def find_run(self, run: str) -> int | None:
        """Return the place of the entry that records this run."""
        found = self._run("SELECT seq FROM entry WHERE run = ? AND seq >= 0", (run,))
        return found[0][0] if found else None

    def runs_beginning(self, start: str, limit: int) -> tuple[str, ...]:
        """Return the first few run ids that begin with this text, by a range of the index."""
        sql = (
            "SELECT run FROM entry WHERE run >= ?1 AND run < ?2 AND seq >= 0 ORDER BY run LIMIT ?3"
        )
        return tuple(row[0] for row in self._run(sql, (start, start + "\U0010ffff", limit)))

    def runs(self, before: int, limit: int) -> tuple[EntryRow, ...]:
        """Return the newest runs below a place, newest first."""
        sql = (
            "SELECT seq, type, run, prev, hash, body FROM entry "
            "WHERE run IS NOT NULL AND seq >= 0 AND seq < ? ORDER BY seq DESC LIMIT ?"
        )
        found = (EntryRow(*row) for row in self._texts(sql, (before, limit)))
        return tuple(_typed("entry", row, _ENTRY_TYPES) for row in found)

    def acts(self, type: str, *, after: int = -1) -> tuple[int, ...]:
        """Return the places behind ``after`` of all entries of one type that is not a run."""
        # Left alone SQLite takes the index over run ids, whose rows without a run are all acts.
        args = (type, max(after, -1))
        try:
            found = self._run(ACTS.format("INDEXED BY entry_acts"), args)
        except Exception as error:
            if "no such index" not in str(error):
                raise
            found = self._run(ACTS.format(""), args)  # a damaged log, which an audit describes
        return tuple(row[0] for row in found)

    def checkpoints(self, *, newest: int | None = None) -> tuple[CheckpointRow, ...]:
        """Return the signed notes, smallest size first, each size in the order they came."""
        sql = "SELECT size, note FROM checkpoint ORDER BY size DESC, number DESC LIMIT ?"
        found = self._run(sql, (-1 if newest is None else newest,))
        rows = (CheckpointRow(*row) for row in reversed(found))
        return tuple(_typed("checkpoint", row, _CHECKPOINT_TYPES) for row in rows)

    def cache_row(self, tenant: str, key: bytes) -> CacheRow | None:
        """Return the cache row of one key of one tenant."""
        sql = "SELECT tenant, key, seq, state, changed FROM cache WHERE tenant = ? AND key = ?"
        found = self._texts(sql, (tenant, key))
        return _typed("cache", CacheRow(*found[0]), _CACHE_TYPES) if found else None

    def cache_rows(self, tenant: str | None = None) -> tuple[CacheRow, ...]:
        """Return cache rows in the order they were recorded."""
        sql = (
            "SELECT tenant, key, seq, state, changed FROM cache "
            "WHERE ?1 IS NULL OR tenant = ?1 ORDER BY seq, tenant, key"
        )
        rows = (CacheRow(*row) for row in self._texts(sql, (tenant,)))
        return tuple(_typed("cache", row, _CACHE_TYPES) for row in rows)

    def edges(self, tenant: str, parent: bytes) -> tuple[EdgeRow, ...]:
        """Return which cached answers were made from this one."""
        sql = (
            "SELECT tenant, child, parent FROM edge WHERE tenant = ? AND parent = ? ORDER BY child"
        )
        return tuple(EdgeRow(*row) for row in self._run(sql, (tenant, parent)))
