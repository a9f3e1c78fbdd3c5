"""History is refused to whoever would change it here, and seen by the audit when done elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.ledger.open_log import LABEL, a_ledger, a_run, a_signer, behind_its_back

from firmground.adapters.sqlite import SqliteStore
from firmground.adapters.sqlite import connection as connection_module
from firmground.adapters.sqlite import rows as rows_module
from firmground.adapters.sqlite.migrations import (
    APPLICATION_ID,
    LOG_TABLES,
    MIGRATIONS,
    migrate,
)
from firmground.core.canon import canonical, parse
from firmground.errors import (
    AppendOnlyViolation,
    FirmgroundError,
    InputError,
    LedgerError,
    LedgerUnavailable,
)
from firmground.ledger.audit import audit
from firmground.ledger.draft import EntryDraft
from firmground.ledger.ledger import Ledger
from firmground.ledger.store import (
    EntryRow,
    ErasedRow,
    NodeRow,
    StageRow,
    StoreChange,
    StoreReader,
    VaultRow,
)

ATTACKS = {
    "update": "UPDATE entry SET body = x'00' WHERE seq = 1",
    "update or replace": "UPDATE OR REPLACE entry SET seq = 0 WHERE seq = 1",
    "delete": "DELETE FROM entry WHERE seq = 1",
    "delete all": "DELETE FROM entry",
    "replace by primary key": "REPLACE INTO entry SELECT seq, type, run, prev, hash, x'00' "
    "FROM entry WHERE seq = 1",
    "replace by unique run": "INSERT OR REPLACE INTO entry SELECT max(seq) + 1, type, "
    "(SELECT run FROM entry WHERE seq = 1), (SELECT hash FROM entry ORDER BY seq DESC LIMIT 1), "
    "randomblob(32), x'00' FROM entry",
    "upsert": "INSERT INTO entry SELECT seq, type, run, prev, hash, x'00' FROM entry WHERE seq = 1 "
    "ON CONFLICT (seq) DO UPDATE SET body = excluded.body",
    "insert far ahead": "INSERT INTO entry VALUES (99, 'x', NULL, zeroblob(32), zeroblob(32), x'')",
    "insert before": "INSERT INTO entry VALUES (-1, 'x', NULL, zeroblob(32), zeroblob(32), x'')",
    "insert with a wrong link": "INSERT INTO entry SELECT max(seq) + 1, 'x', NULL, zeroblob(32), "
    "randomblob(32), x'' FROM entry",
    "replace a stage": "REPLACE INTO stage VALUES (1 << 10, x'00')",
    "replace a node": "REPLACE INTO node SELECT min(id), zeroblob(32) FROM node",
    "replace a payload": "REPLACE INTO vault SELECT min(id), zeroblob(32), x'00' FROM vault",
    "update a payload": "UPDATE vault SET payload = x'00'",
    "delete a payload": "DELETE FROM vault",
    "replace a checkpoint": "REPLACE INTO checkpoint SELECT number, size, x'00' FROM checkpoint",
    "order an erasure": "INSERT INTO erased SELECT min(id), 1 FROM vault",
    "drop table": "DROP TABLE entry",
    "drop trigger": "DROP TRIGGER entry_is_next",
    "drop index": "DROP INDEX entry_acts",
    "alter": "ALTER TABLE entry ADD COLUMN more TEXT",
    "rename": "ALTER TABLE entry RENAME TO other",
    "create trigger": "CREATE TRIGGER t BEFORE INSERT ON entry BEGIN SELECT RAISE(IGNORE); END",
    "create table": "CREATE TABLE other(x)",
    "create view": "CREATE TEMP VIEW entry AS SELECT 1",
    "writable schema": "PRAGMA writable_schema = ON",
    "edit the schema": "UPDATE sqlite_schema SET sql = '' WHERE name = 'entry_is_next'",
    "attach": "ATTACH ':memory:' AS other",
    "triggers off": "PRAGMA recursive_triggers = OFF",
    "sync off": "PRAGMA synchronous = OFF",
    "no secure delete": "PRAGMA secure_delete = OFF",
    "other journal": "PRAGMA journal_mode = DELETE",
    "version": "PRAGMA user_version = 0",
    "vacuum": "VACUUM",
    "reindex": "REINDEX entry_acts",
} | {f"update {t}": f"UPDATE {t} SET rowid = 7" for t in LOG_TABLES} | {
    f"delete from {t}": f"DELETE FROM {t}" for t in LOG_TABLES
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("append_only")
    with a_ledger(folder, signer=a_signer(folder)) as ledger:
        for number in range(5):
            ledger.record(a_run(f"question {number}"), label=LABEL)
    return folder


@pytest.fixture(scope="module")
def store(folder: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(folder / "log.sqlite")
    yield opened
    opened.close()


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("side", ["_writing", "_reading"])
def test_no_statement_changes_history_through_our_connections(
    attack: str, side: str, store: SqliteStore
) -> None:
    connection: apsw.Connection = getattr(store, side)
    before = _fingerprint(connection)
    with pytest.raises(
        apsw.Error, match=r"not authorized|append-only|not be modified|denied|readonly"
    ):
        connection.execute(ATTACKS[attack])
    assert _fingerprint(connection) == before


@pytest.mark.parametrize(
    "attack",
    [
        "update",
        "delete",
        "replace by primary key",
        "replace by unique run",
        "insert far ahead",
        "insert with a wrong link",
        "replace a stage",
        "replace a node",
        "replace a payload",
        "delete a payload",
        "replace a checkpoint",
        "order an erasure",
    ],
)
def test_the_rows_refuse_it_from_any_other_program_too(attack: str, folder: Path) -> None:
    """Another program has no authorizer and, by SQLite's default, no recursive triggers."""
    connection = apsw.Connection(str(folder / "log.sqlite"))
    before = _fingerprint(connection)
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        connection.execute(ATTACKS[attack])
    assert _fingerprint(connection) == before
    connection.close()


def _fingerprint(connection: apsw.Connection) -> list[object]:
    shape = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
    rows = [connection.execute(f"SELECT * FROM {t}").fetchall() for t in (*LOG_TABLES, "vault")]
    return [shape, rows]


@pytest.mark.parametrize(
    "change",
    [
        StoreChange(entries=(EntryRow(1, "x", None, bytes(32), bytes(32), b"again"),)),
        StoreChange(entries=(EntryRow(9, "x", None, bytes(32), bytes(32), b"ahead"),)),
        StoreChange(stages=(StageRow(1, 0, b"again"),)),
        StoreChange(stages=(StageRow(77, 0, b"of nothing"),)),
        StoreChange(vault=(VaultRow(1, 0, bytes(32), b"again"),)),
        StoreChange(nodes=(NodeRow(1, 0, bytes(32)),)),
        StoreChange(erased=(ErasedRow(1, 0, 1),)),
    ],
)
def test_the_port_refuses_rows_that_are_not_the_next_ones(
    change: StoreChange, store: SqliteStore
) -> None:
    before = _fingerprint(store._writing)
    with pytest.raises(AppendOnlyViolation):
        store.transact(lambda transaction: transaction.apply(change))
    assert _fingerprint(store._writing) == before


EDITED = "CAST(replace(CAST(body AS TEXT), 'proceed', 'abstain') AS BLOB)"
RESIZED = "CAST(replace(CAST(note AS TEXT), x'0a360a', x'0a350a') AS BLOB)"
OFFLINE = {
    "edit": (
        f"UPDATE entry SET body = {EDITED} WHERE seq = 2",
        "entry 2",
    ),
    "edit with its hash": (
        f"UPDATE entry SET body = {EDITED}, hash = zeroblob(32) WHERE seq = 2",
        "entry 2",
    ),
    "delete": ("DELETE FROM entry WHERE seq = 2", "entry 2"),
    "delete the last": ("DELETE FROM entry WHERE seq = 5", "checkpoint 6"),
    "delete the first": ("DELETE FROM entry WHERE seq = 0", "entry 0"),
    "replace": (
        "REPLACE INTO entry SELECT 3, type, NULL, prev, hash, body FROM entry WHERE seq = 2",
        "entry 3",
    ),
    "insert": (
        "INSERT INTO entry SELECT 6, type, NULL, hash, randomblob(32), body FROM entry "
        "WHERE seq = 5",
        "entry 6",
    ),
    "swap": (
        "UPDATE entry SET body = (SELECT e.body FROM entry e WHERE e.seq = 5 - entry.seq) "
        "WHERE seq IN (2, 3)",
        "entry 2",
    ),
    "column type": ("UPDATE entry SET type = 'other' WHERE seq = 2", "entry 2"),
    "column run": ("UPDATE entry SET run = 'other' WHERE seq = 2", "entry 2"),
    "stage": ("UPDATE stage SET body = x'00' WHERE id = (2 << 10) + 3", "stage 2"),
    "stage gone": ("DELETE FROM stage WHERE id = (2 << 10) + 3", "stage 2 stage 3"),
    "stage too many": ("INSERT INTO stage VALUES ((2 << 10) + 8, x'00')", "stage 2 stage 8"),
    "stage of nothing": ("INSERT INTO stage VALUES (99 << 10, x'00')", "stage 99"),
    "payload": ("UPDATE vault SET payload = x'00' WHERE id = (2 << 10) + 3", "vault 2 stage 3"),
    "salt": ("UPDATE vault SET salt = x'00' WHERE id = (2 << 10) + 3", "vault 2 stage 3"),
    "payload gone": ("DELETE FROM vault WHERE id = (2 << 10) + 3", "vault 2 stage 3"),
    "payload too many": (
        "INSERT INTO vault VALUES ((2 << 10) + 8, x'00', x'00')",
        "vault 2 stage 8",
    ),
    "node": ("UPDATE node SET hash = zeroblob(32) WHERE id = (SELECT min(id) FROM node)", "node 1"),
    "node gone": ("DELETE FROM node WHERE id = (SELECT min(id) FROM node)", "node 1"),
    "node too many": ("INSERT INTO node VALUES (9999, zeroblob(32))", "node 6"),
    "checkpoint": (
        f"UPDATE checkpoint SET note = {RESIZED}",
        "checkpoint 6",
    ),
    "checkpoint size": ("UPDATE checkpoint SET size = 5", "checkpoint 5"),
    "checkpoint gone bad": ("UPDATE checkpoint SET note = x'00'", "checkpoint 6"),
    "type of broken letters": (
        "UPDATE entry SET type = CAST(x'72ff' AS TEXT) WHERE seq = 2",
        "entry 2",
    ),
    "run of broken letters": (
        "UPDATE entry SET run = CAST(x'72ff' AS TEXT) WHERE seq = 2",
        "entry 2",
    ),
    "stage beyond all entries": ("INSERT INTO stage VALUES (1 << 62, x'00')", f"stage {1 << 52}"),
    "payload beyond all entries": (
        "INSERT INTO vault VALUES (1 << 62, zeroblob(32), x'00')",
        f"vault {1 << 52}",
    ),
}


@pytest.mark.parametrize("attack", OFFLINE)
def test_a_change_made_behind_the_log_is_found_and_named(
    attack: str, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "log.sqlite"
    copy.write_bytes((folder / "log.sqlite").read_bytes())
    statement, named = OFFLINE[attack]
    behind_its_back(copy, statement)
    store = SqliteStore.open(copy)
    report = audit(store)
    store.close()
    assert not report.holds
    assert any(str(problem).startswith(named) for problem in report.problems), report.problems


def test_an_untouched_log_holds(folder: Path, store: SqliteStore) -> None:
    report = audit(store, keys=[a_signer(folder).verifier])
    assert report.holds
    assert (report.size, report.runs, report.stages, report.payloads) == (6, 5, 40, 40)
    assert report.checkpoints == 1


def test_tables_made_by_other_steps_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    SqliteStore.open(path).close()
    behind_its_back(path, "UPDATE migration SET checksum = 'other'")
    with pytest.raises(LedgerError, match="step 1 of its tables"):
        SqliteStore.open(path)


def test_tables_of_a_newer_firmground_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    SqliteStore.open(path).close()
    behind_its_back(path, "PRAGMA user_version = 9")
    with pytest.raises(LedgerError, match="newer firmground"):
        SqliteStore.open(path)


def test_a_step_is_applied_once_and_forward_only(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "log.sqlite"))
    migrate(connection)
    migrate(connection)
    more = (*MIGRATIONS, "CREATE TABLE later(x INTEGER) STRICT;")
    migrate(connection, more)
    assert connection.pragma("user_version") == len(more)
    with pytest.raises(LedgerError, match="newer firmground"):
        migrate(connection)
    connection.close()


def test_a_step_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "log.sqlite"))
    with pytest.raises(apsw.SQLError):
        migrate(connection, (MIGRATIONS[0], "CREATE TABLE half(x); NO SUCH STATEMENT;"))
    assert connection.pragma("user_version") == 0
    assert connection.execute("SELECT count(*) FROM sqlite_schema").get == 0
    connection.close()


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(LedgerError, match=r"log\.sqlite"):
        SqliteStore.open(path)


def test_a_log_taken_for_one_refuses_everybody_else(tmp_path: Path) -> None:
    alone = SqliteStore.open(tmp_path / "log.sqlite", sharing="one")
    for sharing in ("one", "many"):
        with pytest.raises(LedgerUnavailable, match="locked"):
            SqliteStore.open(tmp_path / "log.sqlite", sharing=sharing, busy_seconds=0.01)
    alone.close()
    SqliteStore.open(tmp_path / "log.sqlite").close()


def test_everybody_who_opens_a_new_log_at_once_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite may say "locked" without letting anybody wait while a file becomes a WAL database."""
    refusals = iter([True, True, False, True, False])
    set_up = connection_module._set_up

    def crowded(*args: Any, **named: Any) -> None:
        if next(refusals):
            raise apsw.BusyError("database is locked")
        set_up(*args, **named)

    monkeypatch.setattr(connection_module, "_set_up", crowded)
    SqliteStore.open(tmp_path / "log.sqlite").close()
    assert next(refusals, None) is None


PLANTED = {
    "a trigger that swallows runs": (
        "CREATE TRIGGER zz BEFORE INSERT ON entry WHEN NEW.type = 'run' "
        "BEGIN SELECT RAISE(IGNORE); END",
        "the trigger zz on entry is not ours",
    ),
    "a trigger that swallows payloads": (
        "CREATE TRIGGER zz BEFORE INSERT ON vault BEGIN SELECT RAISE(IGNORE); END",
        "the trigger zz on vault is not ours",
    ),
    "a dropped guard": ("DROP TRIGGER entry_updated", "the trigger entry_updated is missing"),
    "a dropped index": ("DROP INDEX checkpoint_size", "the index checkpoint_size is missing"),
    "a guard that guards nothing": (
        "DROP TRIGGER entry_updated; CREATE TRIGGER entry_updated BEFORE UPDATE ON entry "
        "BEGIN SELECT 1; END",
        "the trigger entry_updated was changed",
    ),
    "a foreign table": ("CREATE TABLE zz(x)", "the table zz on zz is not ours"),
}


def _copy(folder: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "log.sqlite"
    copy.write_bytes((folder / "log.sqlite").read_bytes())
    return copy


def _from_outside(path: Path, sql: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


@pytest.mark.parametrize("attack", PLANTED)
def test_tables_that_somebody_changed_are_named_and_never_written(
    attack: str, folder: Path, tmp_path: Path
) -> None:
    path = _copy(folder, tmp_path)
    sql, named = PLANTED[attack]
    _from_outside(path, sql)
    with pytest.raises(LedgerError, match=named):
        SqliteStore.open(path)
    with Ledger(SqliteStore.open(path, create=False)) as ledger:
        assert f"tables: changed: {named}" in map(str, audit(ledger.reader).problems)
        with pytest.raises(LedgerError, match=named):
            ledger.record(a_run(), label=LABEL)
        assert ledger.size() == 6


@pytest.mark.parametrize("attack", PLANTED)
def test_tables_changed_under_an_open_log_are_never_written(
    attack: str, folder: Path, tmp_path: Path
) -> None:
    path = _copy(folder, tmp_path)
    with Ledger(SqliteStore.open(path)) as ledger:
        ledger.record(a_run(), label=LABEL)
        _from_outside(path, PLANTED[attack][0])
        with pytest.raises(LedgerError, match=PLANTED[attack][1]):
            ledger.record(a_run(), label=LABEL)


@pytest.mark.parametrize("table", ["entry", "stage", "vault", "node"])
@pytest.mark.parametrize("decided", [False, True])
def test_rows_that_the_database_swallows_are_not_acknowledged(
    table: str, decided: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if nobody had compared the tables: fewer rows than were written are an error."""
    monkeypatch.setattr(SqliteStore, "_require_our_tables", lambda self: None)
    with a_ledger(tmp_path) as ledger:
        ledger.record(a_run(), label=LABEL)
        _from_outside(
            tmp_path / "log.sqlite",
            f"CREATE TRIGGER zz BEFORE INSERT ON {table} BEGIN SELECT RAISE(IGNORE); END",
        )
        draft, _ = ledger.draft_run(a_run(), label=LABEL)
        with pytest.raises(LedgerError, match="were kept"):
            ledger.append((lambda reader: draft) if decided else draft)
        assert ledger.size() == 1


def test_an_entry_that_the_store_does_not_have_is_not_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_ledger(tmp_path) as ledger:
        ledger.record(a_run(), label=LABEL)
        monkeypatch.setattr(rows_module, "apply", lambda connection, change: None)
        with pytest.raises(LedgerError, match="does not have them"):
            ledger.record(a_run(), label=LABEL)
        monkeypatch.undo()
        assert ledger.record(a_run(), label=LABEL).seq == 1


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("entry", "({n}, 'run', 'forged', zeroblob(32), zeroblob(32), x'00')"),
        ("stage", "({n}, x'00')"),
        ("vault", "({n}, zeroblob(32), x'00')"),
        ("node", "({n}, zeroblob(32))"),
        ("erased", "({n}, 1)"),
    ],
)
@pytest.mark.parametrize("number", [-1, -1024, (1 << 63) - 1])
def test_a_row_out_of_all_count_is_reported_and_never_read(
    table: str, values: str, number: int, folder: Path, tmp_path: Path
) -> None:
    path = _copy(folder, tmp_path)
    sql = f"INSERT INTO {table} VALUES {values.format(n=number)}"
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        _from_outside(path, sql)
    behind_its_back(path, sql)
    store = SqliteStore.open(path)
    report = audit(store)
    assert f"tables: changed: a row of {table} has the number {number}" in map(str, report.problems)
    if number < 0:
        assert store.head().size == 6
        assert store.find_run("forged") is None
        assert [row.seq for row in store.entries(-9, 9)] == list(range(6))
        assert all(row.seq >= 0 for row in store.stages(-9, 9))
        assert all(row.seq >= 0 for row in store.vault(-9, 9))
        assert "forged" not in [row.run for row in store.runs(9, 99)]
    store.close()


def test_a_key_planted_before_the_first_entry_is_nobodys(folder: Path, tmp_path: Path) -> None:
    path = _copy(folder, tmp_path)
    behind_its_back(
        path, "INSERT INTO entry SELECT -1, type, NULL, prev, hash, body FROM entry WHERE seq = 0"
    )
    store = SqliteStore.open(path)
    assert store.acts("key") == (0,)
    assert not audit(store).holds
    store.close()


def test_opening_what_is_no_log_makes_none(tmp_path: Path) -> None:
    empty, foreign, absent = (tmp_path / name for name in ("empty", "foreign", "absent"))
    empty.write_bytes(b"")
    _from_outside(foreign, "CREATE TABLE theirs(x); INSERT INTO theirs VALUES (1)")
    before = foreign.read_bytes()
    with pytest.raises(LedgerError, match="is empty"):
        SqliteStore.open(empty, create=False)
    for create in (False, True):
        with pytest.raises(LedgerError, match="another program's database"):
            SqliteStore.open(foreign, create=create)
    with pytest.raises(LedgerError, match="no such log"):
        SqliteStore.open(absent, create=False)
    assert empty.read_bytes() == b""
    assert foreign.read_bytes() == before
    assert not absent.exists()


def test_a_log_of_an_earlier_step_is_read_as_it_is_and_migrated_only_for_writing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    migrate(connection, MIGRATIONS[:1])
    connection.close()
    store = SqliteStore.open(path, create=False)
    assert audit(store).holds
    store.close()
    for create, version in ((False, 1), (True, len(MIGRATIONS))):
        store = SqliteStore.open(path, create=create)
        assert store._reading.execute("PRAGMA user_version").get == version
        assert audit(store).holds
        store.close()
    connection = apsw.Connection(str(path))
    assert connection.pragma("application_id") == APPLICATION_ID
    connection.close()


def test_an_audit_counts_what_no_signature_protects(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    with a_ledger(tmp_path, signer=signer) as ledger:
        ledger.record(a_run(), label=LABEL)
        ledger.checkpoint()
        assert not any("stand above" in line for line in audit(ledger.reader).unseen)
        ledger.record(a_run(), label=LABEL)
        ledger.record(a_run(), label=LABEL)
        told = [line for line in audit(ledger.reader).unseen if "stand above" in line]
        assert told[0].startswith("2 entries, from 2 on,")
    behind_its_back(tmp_path / "log.sqlite", "DELETE FROM checkpoint")
    store = SqliteStore.open(tmp_path / "log.sqlite")
    alone, keyed = audit(store), audit(store, keys=[signer.verifier])
    store.close()
    assert any(line.startswith("4 entries, from 0 on,") for line in alone.unseen)
    assert [str(problem) for problem in keyed.problems] == [
        "checkpoint: missing: the log has entries and no checkpoint that a given key has signed"
    ]


def test_a_key_entry_that_names_no_key_does_not_end_the_audit(folder: Path, tmp_path: Path) -> None:
    path = _copy(folder, tmp_path)
    store = SqliteStore.open(path)
    document = parse(next(store.entries(0, 1)).body)
    store.close()
    forged = canonical({**document, "key": "x"})
    behind_its_back(path, f"UPDATE entry SET body = x'{forged.hex()}' WHERE seq = 0")
    store = SqliteStore.open(path)
    problems = list(map(str, audit(store).problems))
    store.close()
    assert any(problem.startswith("key 0: changed") for problem in problems)


def test_a_batch_whose_rows_were_swallowed_acknowledges_none_of_its_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are written before each decision; what fails there is not the decision's alone."""
    monkeypatch.setattr(SqliteStore, "_require_our_tables", lambda self: None)
    with a_ledger(tmp_path) as ledger:
        ledger.record(a_run(), label=LABEL)
        plant = "CREATE TRIGGER zz BEFORE INSERT ON vault BEGIN SELECT RAISE(IGNORE); END"
        _from_outside(tmp_path / "log.sqlite", plant)
        inside, go = threading.Event(), threading.Event()

        def hold(reader: StoreReader) -> EntryDraft:
            inside.set()
            go.wait(10)
            raise InputError("nothing to write")

        held = ledger.submit(hold)
        inside.wait(10)
        first, second = (ledger.draft_run(a_run(), label=LABEL)[0] for _ in range(2))
        batch = [ledger.submit(first), ledger.submit(lambda reader: second)]
        go.set()
        assert isinstance(held.exception(10), InputError)
        assert all(isinstance(future.exception(10), LedgerError) for future in batch)
        assert ledger.size() == 1


def test_no_blob_is_written_in_place_through_our_connections(
    folder: Path, store: SqliteStore
) -> None:
    """Incremental writing asks neither the authorizer nor a trigger."""
    blobs = (("entry", "body", 1), ("stage", "body", 1 << 10), ("vault", "payload", 1 << 10))
    for connection in (store._writing, store._reading):
        for table, column, place in blobs:
            with pytest.raises(AppendOnlyViolation, match="in place"):
                connection.blob_open("main", table, column, place, True)
            with pytest.raises(AppendOnlyViolation, match="in place"):
                connection.blob_open("main", table, column, place, writeable=True)
            connection.blob_open("main", table, column, place, False).close()
        with pytest.raises(AppendOnlyViolation, match="another database"):
            connection.backup("main", apsw.Connection(":memory:"), "main")
        with pytest.raises(AppendOnlyViolation, match="another database"):
            connection.deserialize("main", b"")
    with pytest.raises(apsw.ReadOnlyError):
        apsw.Connection.blob_open(store._reading, "main", "entry", "body", 0, True).write(b"x")
    with pytest.raises(apsw.ReadOnlyError):
        store._reading.execute("INSERT INTO erased(id, by) VALUES (0, 0)")
    assert audit(store).holds


@pytest.mark.parametrize(
    ("table", "column", "part"),
    [("entry", "body", "entry"), ("stage", "body", "stage"), ("vault", "payload", "vault")],
)
def test_a_blob_written_in_place_by_another_program_is_found(
    table: str, column: str, part: str, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "log.sqlite"
    copy.write_bytes((folder / "log.sqlite").read_bytes())
    other = apsw.Connection(str(copy))
    place = other.execute(f"SELECT min({'seq' if table == 'entry' else 'id'}) FROM {table}").get
    with other.blob_open("main", table, column, place, True) as blob:
        blob.write(b"X")
    other.close()
    store = SqliteStore.open(copy)
    assert part in {str(problem.part) for problem in audit(store).problems}
    store.close()


@pytest.mark.parametrize("act", ["UPDATE {} SET rowid = rowid", "DELETE FROM {}"])
@pytest.mark.parametrize("table", LOG_TABLES)
def test_rows_of_every_table_of_the_log_refuse_another_program(
    table: str, act: str, tmp_path: Path
) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        run_id = ledger.record(a_run(), label=LABEL).run_id
        ledger.erase([run_id], actor="dpo", reason="asked")
    other = apsw.Connection(str(tmp_path / "log.sqlite"))
    assert other.execute(f"SELECT count(*) FROM {table}").get > 0
    with pytest.raises(apsw.ConstraintError, match=f"{table} rows are never"):
        other.execute(act.format(table))
    other.close()


LAST = "(SELECT max(seq) FROM entry)"
NEXT = "INSERT INTO entry SELECT max(seq) + 1, 'x', NULL, {}, {}, x'' FROM entry"
LINK = "(SELECT hash FROM entry ORDER BY seq DESC LIMIT 1)"
WIPED = "(SELECT min(id) FROM erased)"
KEPT = "(SELECT min(id) FROM vault WHERE id NOT IN (SELECT id FROM erased))"
REFUSED_BY = {
    "entry_is_next": (
        f"INSERT INTO entry VALUES (99, 'x', NULL, {LINK}, zeroblob(32), x'')",
        f"INSERT INTO entry VALUES (-1, 'x', NULL, {LINK}, zeroblob(32), x'')",
        NEXT.format("zeroblob(32)", "zeroblob(32)"),
        NEXT.format(LINK, "zeroblob(31)"),
        f"REPLACE INTO entry SELECT {LAST} + 1, 'run', run, {LINK}, zeroblob(32), x'' FROM entry "
        "WHERE run IS NOT NULL LIMIT 1",
    ),
    "entry_updated": ("UPDATE entry SET type = 'x' WHERE seq = 1",),
    "entry_deleted": ("DELETE FROM entry WHERE seq = 1",),
    "stage_is_next": (
        "REPLACE INTO stage VALUES (1 << 10, x'00')",
        "INSERT INTO stage VALUES (1 << 10 | 500, x'00')",
        f"INSERT INTO stage VALUES ({LAST} + 1 << 10, x'00')",
    ),
    "stage_updated": ("UPDATE stage SET body = x'00'",),
    "stage_deleted": ("DELETE FROM stage",),
    "vault_is_next": (
        f"REPLACE INTO vault VALUES ({KEPT}, zeroblob(32), x'00')",
        "INSERT INTO vault VALUES (1 << 10 | 500, zeroblob(32), x'00')",
        f"INSERT INTO vault VALUES ({LAST} + 1 << 10, zeroblob(32), x'00')",
    ),
    "vault_updated": (
        "UPDATE vault SET salt = zeroblob(32), payload = zeroblob(length(payload)) "
        f"WHERE id = {KEPT}",
        f"UPDATE vault SET salt = randomblob(32) WHERE id = {WIPED}",
        f"UPDATE vault SET payload = x'00ff' WHERE id = {WIPED}",
        f"UPDATE vault SET id = {LAST} << 10 WHERE id = {WIPED}",
    ),
    "vault_deleted": (f"DELETE FROM vault WHERE id = {WIPED}",),
    "node_is_next": (
        "REPLACE INTO node SELECT min(id), zeroblob(32) FROM node",
        "INSERT INTO node SELECT max(id) + 1, zeroblob(31) FROM node",
        "INSERT INTO node VALUES ((1 << 62) + ((1 << 62) - 1), zeroblob(32))",
    ),
    "node_updated": ("UPDATE node SET hash = zeroblob(32)",),
    "node_deleted": ("DELETE FROM node",),
    "checkpoint_is_next": (
        "REPLACE INTO checkpoint SELECT number, size, x'00' FROM checkpoint",
        "INSERT INTO checkpoint VALUES (99, 1, x'00')",
    ),
    "checkpoint_updated": ("UPDATE checkpoint SET note = x'00'",),
    "checkpoint_deleted": ("DELETE FROM checkpoint",),
    "erased_is_new": (
        f"REPLACE INTO erased VALUES ({WIPED}, {LAST})",
        f"INSERT INTO erased VALUES ({KEPT}, {LAST} - 1)",
        f"{NEXT.format(LINK, 'zeroblob(32)')}; INSERT INTO erased VALUES ({KEPT}, {LAST})",
    ),
    "erased_is_numbered": (
        f"INSERT INTO erased VALUES (-1, {LAST})",
        f"INSERT INTO erased VALUES ((1 << 62) + ((1 << 62) - 1), {LAST})",
    ),
    "erased_updated": ("UPDATE erased SET by = 1",),
    "erased_deleted": ("DELETE FROM erased",),
    "migration_updated": ("UPDATE migration SET checksum = ''",),
    "migration_deleted": ("DELETE FROM migration",),
}


@pytest.fixture(scope="module")
def wiped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    """Another program at a log whose last entry is an erasure."""
    folder = tmp_path_factory.mktemp("wiped")
    with a_ledger(folder, signer=a_signer(folder)) as ledger:
        runs = [ledger.record(a_run(f"question {n}"), label=LABEL).run_id for n in range(3)]
        ledger.erase(runs[:2], actor="dpo", reason="asked")
    connection = apsw.Connection(str(folder / "log.sqlite"))
    yield connection
    connection.close()


@pytest.mark.parametrize("trigger", REFUSED_BY)
def test_every_guard_alone_refuses_what_nothing_else_does(
    trigger: str, wiped: apsw.Connection
) -> None:
    for statement in REFUSED_BY[trigger]:
        wiped.execute("BEGIN")
        try:
            with pytest.raises(apsw.ConstraintError, match="append-only"):
                wiped.execute(statement)
            wiped.execute(f"DROP TRIGGER {trigger}; {statement}")
            assert wiped.changes() > 0, statement
        finally:
            wiped.execute("ROLLBACK")


def test_every_guard_has_a_statement_that_needs_it(wiped: apsw.Connection) -> None:
    rows = wiped.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    assert {row[0] for row in rows} == set(REFUSED_BY)


def test_steps_named_in_broken_letters_are_an_error_of_ours(folder: Path, tmp_path: Path) -> None:
    path = _copy(folder, tmp_path)
    behind_its_back(path, "UPDATE migration SET checksum = CAST(x'ff' AS TEXT)")
    with pytest.raises(LedgerError, match="not UTF-8"):
        SqliteStore.open(path)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE checkpoint SET note = x'ffff'", "not UTF-8"),
        ("UPDATE checkpoint SET size = 1 << 60", f"kept under {1 << 60}, while the log has 6"),
        ("UPDATE checkpoint SET size = 5", "kept under 5"),
    ],
)
def test_a_checkpoint_that_speaks_of_another_log_proves_nothing(
    damage: str, said: str, folder: Path, tmp_path: Path
) -> None:
    path = _copy(folder, tmp_path)
    behind_its_back(path, damage)
    with Ledger(SqliteStore.open(path)) as ledger, pytest.raises(FirmgroundError, match=said):
        ledger.proof(2)
