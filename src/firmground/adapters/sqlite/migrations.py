"""The tables, as numbered steps that only go forward.

A step that was applied is never edited: its checksum is kept in the database and compared at every
opening. Steps may add tables and indexes, never rewrite bytes that were hashed.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from firmground.errors import LedgerError

if TYPE_CHECKING:
    import apsw

LOG_TABLES = ("entry", "stage", "node", "checkpoint", "erased", "migration")
"""Tables whose rows are never changed or deleted."""

_TABLES = """
CREATE TABLE migration(number INTEGER PRIMARY KEY, checksum TEXT NOT NULL) STRICT;
CREATE TABLE entry(
    seq INTEGER PRIMARY KEY, type TEXT NOT NULL, run TEXT UNIQUE,
    prev BLOB NOT NULL, hash BLOB NOT NULL, body BLOB NOT NULL
) STRICT;
CREATE INDEX entry_acts ON entry(type) WHERE run IS NULL;
CREATE TABLE stage(id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
CREATE TABLE vault(id INTEGER PRIMARY KEY, salt BLOB NOT NULL, payload BLOB NOT NULL) STRICT;
CREATE TABLE node(id INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT;
CREATE TABLE checkpoint(
    number INTEGER PRIMARY KEY, size INTEGER NOT NULL, note BLOB NOT NULL
) STRICT;
CREATE INDEX checkpoint_size ON checkpoint(size, number);
CREATE TABLE erased(id INTEGER PRIMARY KEY, by INTEGER NOT NULL) STRICT;
CREATE TABLE cache(
    tenant TEXT NOT NULL, key BLOB NOT NULL, seq INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('live', 'failed', 'stale', 'quarantined')),
    changed INTEGER NOT NULL, PRIMARY KEY (tenant, key)
) STRICT;
CREATE TABLE edge(
    tenant TEXT NOT NULL, parent BLOB NOT NULL, child BLOB NOT NULL,
    PRIMARY KEY (tenant, parent, child)
) STRICT, WITHOUT ROWID;
"""

# REPLACE deletes rows without asking a DELETE trigger unless recursive_triggers is on, so each
# INSERT trigger refuses by itself everything that is not the next row.
_GUARDS = """
CREATE TRIGGER entry_is_next BEFORE INSERT ON entry
WHEN NEW.seq <> (SELECT coalesce(max(seq), -1) + 1 FROM entry)
  OR NEW.prev <> coalesce((SELECT hash FROM entry WHERE seq = NEW.seq - 1), zeroblob(32))
  OR EXISTS (SELECT 1 FROM entry WHERE run = NEW.run)
  OR length(NEW.hash) <> 32
BEGIN SELECT RAISE(ABORT, 'append-only: entry is not the next one'); END;
CREATE TRIGGER stage_is_next BEFORE INSERT ON stage
WHEN NEW.id <= (SELECT max(id) FROM stage)
  OR NEW.id >> 10 > coalesce((SELECT max(seq) FROM entry), -1)
BEGIN SELECT RAISE(ABORT, 'append-only: stage is not the next one'); END;
CREATE TRIGGER vault_is_next BEFORE INSERT ON vault
WHEN NEW.id <= (SELECT max(id) FROM vault)
  OR NEW.id >> 10 > coalesce((SELECT max(seq) FROM entry), -1)
BEGIN SELECT RAISE(ABORT, 'append-only: vault row is not the next one'); END;
CREATE TRIGGER node_is_next BEFORE INSERT ON node
WHEN NEW.id <= (SELECT max(id) FROM node) OR length(NEW.hash) <> 32
BEGIN SELECT RAISE(ABORT, 'append-only: node is not the next one'); END;
CREATE TRIGGER checkpoint_is_next BEFORE INSERT ON checkpoint
WHEN NEW.number <> (SELECT coalesce(max(number), -1) + 1 FROM checkpoint)
BEGIN SELECT RAISE(ABORT, 'append-only: checkpoint is not the next one'); END;
CREATE TRIGGER erased_is_new BEFORE INSERT ON erased
WHEN EXISTS (SELECT 1 FROM erased WHERE id = NEW.id)
  OR NEW.by <> (SELECT max(seq) FROM entry)
  OR (SELECT type FROM entry WHERE seq = NEW.by) <> 'erase'
BEGIN SELECT RAISE(ABORT, 'append-only: nothing in the log orders this erasure'); END;
CREATE TRIGGER vault_deleted BEFORE DELETE ON vault
BEGIN SELECT RAISE(ABORT, 'append-only: vault rows are overwritten, never deleted'); END;
CREATE TRIGGER vault_updated BEFORE UPDATE ON vault
WHEN NEW.id <> OLD.id OR NEW.salt <> zeroblob(length(OLD.salt))
  OR NEW.payload <> zeroblob(length(OLD.payload))
  OR NOT EXISTS (SELECT 1 FROM erased WHERE id = OLD.id)
BEGIN SELECT RAISE(ABORT, 'append-only: nothing in the log orders this erasure'); END;
"""

_FROZEN = "".join(
    f"CREATE TRIGGER {table}_{act.lower()}d BEFORE {act} ON {table}\n"
    f"BEGIN SELECT RAISE(ABORT, 'append-only: {table} rows are never {act.lower()}d'); END;\n"
    for table in LOG_TABLES
    for act in ("UPDATE", "DELETE")
)

APPLICATION_ID = 0x66674C67
"""Written into the file's header, to distinguish a log from any other database."""
PLACES = 1 << 53
"""Entries are numbered from 0 to below this; a place beside one must fit into 63 bits."""

_COUNTED_FROM_0 = """
CREATE TRIGGER {0}_is_numbered BEFORE INSERT ON {0} WHEN NEW.{1} < 0 OR NEW.{1} >= {2}
BEGIN SELECT RAISE(ABORT, 'append-only: {0} rows are counted from 0'); END;
"""
_NUMBERED = f"PRAGMA application_id = {APPLICATION_ID};" + "".join(
    _COUNTED_FROM_0.format(*row)
    for row in (
        ("entry", "seq", PLACES),
        ("stage", "id", (1 << 63) - 1),
        ("vault", "id", (1 << 63) - 1),
        ("node", "id", (1 << 63) - 1),
        ("erased", "id", (1 << 63) - 1),
    )
)

# A row that SQLite moved to another page leaves a copy behind. ``residue`` says that a page may
# hold the key of an erased answer, until both tables were rebuilt.
_ERASABLE_KEYS = """
CREATE INDEX cache_by_run ON cache(seq);
CREATE TABLE residue(number INTEGER PRIMARY KEY) STRICT;
"""

# SQLite sets up a program for every trigger of every row: one that asks both questions costs half.
_IN_ONE = """
DROP TRIGGER {0}_is_next;
DROP TRIGGER {0}_is_numbered;
CREATE TRIGGER {0}_is_next BEFORE INSERT ON {0}
WHEN NEW.{1} < 0 OR NEW.{1} >= {2} OR {3}
BEGIN SELECT CASE WHEN NEW.{1} < 0 OR NEW.{1} >= {2}
  THEN RAISE(ABORT, 'append-only: {0} rows are counted from 0')
  ELSE RAISE(ABORT, 'append-only: {0} row is not the next one') END; END;
"""
_BEHIND_LAST = "NEW.id <= (SELECT max(id) FROM {0})"
_OF_AN_ENTRY = "NEW.id >> 10 > coalesce((SELECT max(seq) FROM entry), -1)"
_ONE_GUARD = "".join(
    _IN_ONE.format(table, number, end, " OR ".join(when).format(table))
    for table, number, end, when in (
        (
            "entry",
            "seq",
            PLACES,
            (
                "NEW.seq <> (SELECT coalesce(max(seq), -1) + 1 FROM entry)",
                "NEW.prev <> coalesce("
                "(SELECT hash FROM entry WHERE seq = NEW.seq - 1), zeroblob(32))",
                "EXISTS (SELECT 1 FROM entry WHERE run = NEW.run)",
                "length(NEW.hash) <> 32",
            ),
        ),
        ("stage", "id", (1 << 63) - 1, (_BEHIND_LAST, _OF_AN_ENTRY)),
        ("vault", "id", (1 << 63) - 1, (_BEHIND_LAST, _OF_AN_ENTRY)),
        ("node", "id", (1 << 63) - 1, (_BEHIND_LAST, "length(NEW.hash) <> 32")),
    )
)

MIGRATIONS: tuple[str, ...] = (
    _TABLES + _GUARDS + _FROZEN,
    _NUMBERED,
    _ERASABLE_KEYS,
    _ONE_GUARD,
)


def checksum(sql: str) -> str:
    """Name one step by its text."""
    return hashlib.sha256(sql.encode("utf-8")).hexdigest()


def migrate(connection: apsw.Connection, steps: tuple[str, ...] = MIGRATIONS) -> None:
    """Bring a database to the newest step, or refuse one that other steps have made."""
    if _version(connection) == len(steps):
        _compare(connection, steps)
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = _version(connection)
        _compare(connection, steps[:done] if done <= len(steps) else steps)
        for number in range(done, len(steps)):
            connection.execute(steps[number])
            connection.execute(
                "INSERT INTO migration VALUES (?, ?)", (number + 1, checksum(steps[number]))
            )
        connection.execute(f"PRAGMA user_version = {len(steps)}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def require_known(connection: apsw.Connection) -> None:
    """Refuse tables that other steps have made; nothing is changed."""
    done = _version(connection)
    if done < 1:
        raise LedgerError(f"{connection.filename} does not say which steps made its tables")
    _compare(connection, MIGRATIONS[:done] if done <= len(MIGRATIONS) else MIGRATIONS)


def _version(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))


def _compare(connection: apsw.Connection, steps: tuple[str, ...]) -> None:
    done = _version(connection)
    if done > len(steps):
        raise LedgerError(
            f"{connection.filename} was made by a newer firmground (tables of step {done}, "
            f"this one knows {len(steps)})"
        )
    if done == 0:
        return
    kept = dict(connection.execute("SELECT number, checksum FROM migration"))
    for number, sql in enumerate(steps, start=1):
        if kept.get(number) != checksum(sql):
            raise LedgerError(
                f"{connection.filename}: step {number} of its tables is not the one we know"
            )
