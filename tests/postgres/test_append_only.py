"""What is in the log stays: refused by rights and triggers, and noticed where those were removed."""

from __future__ import annotations

import threading

import pytest
from tests.durability.writers import a_run
from tests.postgres_server import PostgresServer

from firmground.adapters.postgres import PostgresStore
from firmground.errors import LedgerError
from firmground.ledger.audit import audit
from firmground.ledger.ledger import Ledger
from firmground.ledger.store import ErasedRow, StoreChange

LABEL = {"decision": "x"}
ROWS = (
    "UPDATE {s}.entry SET body = 'x' WHERE seq = 0",
    "UPDATE {s}.stage SET body = 'x'",
    "UPDATE {s}.vault SET payload = 'x'",
    "UPDATE {s}.vault SET payload = '', salt = ''",
    "UPDATE {s}.checkpoint SET note = 'x'",
    "UPDATE {s}.migration SET checksum = 'x'",
    "DELETE FROM {s}.entry WHERE seq = 1",
    "DELETE FROM {s}.stage",
    "DELETE FROM {s}.node",
    "DELETE FROM {s}.vault",
    "TRUNCATE {s}.entry CASCADE",
    "TRUNCATE {s}.vault",
    "INSERT INTO {s}.entry SELECT * FROM {s}.entry WHERE seq = 0 "
    "ON CONFLICT (seq) DO UPDATE SET body = 'x'",
    "INSERT INTO {s}.erased VALUES (0, 0, 0)",
    "INSERT INTO {s}.stage VALUES (0, 99, 'x')",
    "INSERT INTO {s}.vault VALUES (0, 99, 'x', 'x')",
    "WITH gone AS (DELETE FROM {s}.entry RETURNING *) SELECT count(*) FROM gone",
    "MERGE INTO {s}.entry AS e USING (SELECT 0 AS seq) AS w ON e.seq = w.seq "
    "WHEN MATCHED THEN DELETE",
)
TABLES = (
    "DROP TABLE {s}.entry CASCADE",
    "ALTER TABLE {s}.entry DISABLE TRIGGER ALL",
    "ALTER TABLE {s}.entry ALTER COLUMN body TYPE text USING ''",
    "DROP TRIGGER entry_no_update ON {s}.entry",
    "CREATE OR REPLACE FUNCTION {s}.refuse_change() RETURNS trigger LANGUAGE plpgsql "
    "AS 'BEGIN RETURN NEW; END'",
    "CREATE RULE quiet AS ON INSERT TO {s}.entry DO INSTEAD NOTHING",
    "SET session_replication_role = replica; DELETE FROM {s}.entry",
    "DROP SCHEMA {s} CASCADE",
)
CHANGED = (
    ("ALTER TABLE {s}.entry DISABLE TRIGGER entry_no_update", "entry_no_update"),
    ("DROP TRIGGER vault_updated ON {s}.vault", "vault_updated"),
    ("ALTER TABLE {s}.entry ENABLE TRIGGER entry_is_next", "entry_is_next"),
    ("CREATE RULE quiet AS ON INSERT TO {s}.entry DO INSTEAD NOTHING", "rule entry.quiet"),
    ("CREATE OR REPLACE FUNCTION {s}.entry_is_next() RETURNS trigger LANGUAGE plpgsql "
     "AS 'BEGIN RETURN NEW; END'", "function entry_is_next"),
    ("ALTER TABLE {s}.entry DROP CONSTRAINT entry_run_key", "entry UNIQUE"),
    ("ALTER TABLE {s}.vault SET UNLOGGED", "table vault ru"),
    ("ALTER TABLE {s}.entry ENABLE ROW LEVEL SECURITY", "row security"),
    ("CREATE TRIGGER swallow BEFORE INSERT ON {s}.stage FOR EACH ROW "
     "EXECUTE FUNCTION suppress_redundant_updates_trigger()", "stage.swallow"),
)  # fmt: skip


@pytest.fixture
def schema(address: str) -> str:
    return address.partition("schema=")[2]


@pytest.fixture
def ledger(address: str) -> Ledger:
    store = PostgresStore.open(address)
    store.grant("writer", writes=True)
    store.grant("reader", writes=False)
    made = Ledger(store)
    for text in ("one", "two", "three"):
        made.record(a_run(text), label=LABEL)
    return made


def test_no_statement_of_any_role_changes_a_row(
    server: PostgresServer, ledger: Ledger, schema: str
) -> None:
    for user in ("writer", "reader", "owner"):
        for sql in ROWS:
            with pytest.raises(AssertionError, match=r"append-only|permission denied|violates"):
                server.psql(sql.format(s=schema), user=user)
    assert audit(ledger.store).holds
    ledger.close()


def test_a_role_that_may_append_cannot_change_tables_or_triggers(
    server: PostgresServer, ledger: Ledger, schema: str
) -> None:
    for sql in TABLES:
        with pytest.raises(AssertionError, match=r"must be owner|permission denied"):
            server.psql(sql.format(s=schema), user="writer")
    assert audit(ledger.store).holds
    ledger.close()


@pytest.mark.parametrize(("sql", "named"), CHANGED)
def test_a_changed_table_is_named_and_not_written_any_more(
    sql: str, named: str, server: PostgresServer, ledger: Ledger, schema: str
) -> None:
    server.psql(sql.format(s=schema))
    assert any(named in defect for defect in ledger.store.defects()), ledger.store.defects()
    with pytest.raises(LedgerError, match="must not be written"):
        ledger.record(a_run("four"), label=LABEL)
    assert not audit(ledger.store).holds
    ledger.close()


def test_a_role_with_too_many_rights_is_named(
    server: PostgresServer, ledger: Ledger, schema: str
) -> None:
    server.psql(f"GRANT DELETE ON {schema}.entry TO writer")
    assert ledger.store.defects() == ("the role writer has the right to DELETE entry",)
    ledger.close()


@pytest.mark.parametrize(
    ("sql", "part"),
    [
        ("UPDATE {s}.entry SET body = body || 'x' WHERE seq = 1", "entry"),
        ("DELETE FROM {s}.entry WHERE seq = 1", "entry"),
        ("DELETE FROM {s}.stage WHERE seq = 1 AND ord = 2", "stage"),
        ("UPDATE {s}.vault SET payload = 'y' WHERE seq = 1 AND ord = 2", "vault"),
        ("DELETE FROM {s}.vault WHERE seq = 1 AND ord = 2", "vault"),
        ("UPDATE {s}.vault SET payload = '', salt = '' WHERE seq = 1 AND ord = 2", "vault"),
        ("UPDATE {s}.node SET hash = decode(repeat('01', 32), 'hex')", "node"),
        ("DELETE FROM {s}.node", "node"),
    ],
)
def test_what_an_owner_changes_behind_the_triggers_is_found_by_an_audit(
    sql: str, part: str, server: PostgresServer, ledger: Ledger, schema: str
) -> None:
    table = sql.split("{s}.")[1].split()[0]
    server.psql(
        f"ALTER TABLE {schema}.{table} DISABLE TRIGGER ALL; {sql.format(s=schema)};"
        f"ALTER TABLE {schema}.{table} ENABLE TRIGGER ALL"
    )
    report = audit(ledger.store)
    assert part in {str(problem.part) for problem in report.problems}
    ledger.close()


def test_the_store_itself_erases_nothing_that_the_log_did_not_order(ledger: Ledger) -> None:
    change = StoreChange(erased=(ErasedRow(0, 0, 2),))
    with pytest.raises(LedgerError, match="nothing in the log orders"):
        ledger.store.transact(lambda transaction: transaction.apply(change))
    assert audit(ledger.store).holds
    ledger.close()


def test_many_who_open_a_new_log_at_once_make_it_once(address: str) -> None:
    opened: list[PostgresStore] = []
    failed: list[Exception] = []

    def work() -> None:
        try:
            opened.append(PostgresStore.open(address))
        except Exception as error:  # noqa: BLE001 - shown by the assertion
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert [store.defects() for store in opened] == [()] * 8
    for store in opened:
        store.close()
