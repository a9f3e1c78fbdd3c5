"""Opening a log in PostgreSQL: by address, from every command, without a surprise."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.durability.writers import a_run
from tests.postgres_server import PostgresServer

import firmground
from firmground.adapters.ledger_address import is_address, without_password
from firmground.adapters.postgres import PostgresStore, migrations, parse_target
from firmground.adapters.stores import open_store
from firmground.errors import FirmgroundError, InputError, LedgerError, RecordNotFound
from firmground.ledger.ledger import Ledger

LABEL = {"decision": "x"}


def _firmground(*argv: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "firmground", *argv],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_commands_take_an_address_as_option_and_from_the_environment(
    tmp_path: Path, address: str
) -> None:
    check = ("check", "--judge", "lexical", "--answer", "It rained.", "-e", "text:It rained.")
    done = _firmground(*check, "--ledger", address)
    assert done.returncode == 0, done.stderr
    assert _firmground(*check, FIRMGROUND_LEDGER=address).returncode == 0
    listed = json.loads(_firmground("runs", "list", "--json", FIRMGROUND_LEDGER=address).stdout)
    assert len(listed) == 2
    audited = _firmground("audit", "--ledger", address, "--json")
    assert json.loads(audited.stdout)["holds"], audited.stdout
    key = tmp_path / "log.key"
    assert _firmground("keys", "new", "example.org/log", "--out", str(key)).returncode == 0
    signed = _firmground("checkpoint", "--ledger", address, "--signer", str(key))
    assert signed.returncode == 0, signed.stderr
    run = listed[0]["run"]
    again = _firmground("decide", run, "--policy", "strict", "--ledger", address)
    assert again.returncode in (0, 1), again.stderr


def test_an_engine_and_a_settings_file_take_an_address(tmp_path: Path, address: str) -> None:
    with firmground.Engine(judge="lexical", ledger=address) as engine:
        result = engine.check("It rained.", "It rained.")
        assert result.receipt is not None
        assert result.receipt.seq == 0
    (tmp_path / "firmground.toml").write_text(
        f'[judge]\nuse = "lexical"\n[ledger]\nfile = "{address}"\n'
    )
    with firmground.Engine(tmp_path / "firmground.toml") as engine:
        result = engine.check("It rained.", "It rained.")
        assert result.receipt is not None
        assert result.receipt.seq == 1


def test_reading_makes_nothing(server: PostgresServer, address: str) -> None:
    with pytest.raises(RecordNotFound, match="no log in the schema"):
        open_store(address, create=False)
    schema = address.partition("schema=")[2]
    assert server.psql(f"SELECT to_regnamespace('{schema}') IS NULL") == "t"


def test_a_schema_of_somebody_else_is_left_alone(server: PostgresServer, address: str) -> None:
    schema = address.partition("schema=")[2]
    server.psql(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.orders(id int)")
    for create in (True, False):
        with pytest.raises(LedgerError, match="is not a log's"):
            PostgresStore.open(address, create=create)
    assert (
        server.psql(f"SELECT count(*) FROM pg_class WHERE relnamespace = '{schema}'::regnamespace")
        == "1"
    )


def test_a_log_of_an_older_version_is_read_as_it_is_and_brought_on_when_written(
    address: str, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(PostgresStore.open(address)) as ledger:
        ledger.record(a_run("old"), label=LABEL)
    schema = address.partition("schema=")[2]
    more = (*migrations.MIGRATIONS, "CREATE TABLE later(id integer)")
    monkeypatch.setattr(migrations.migrate, "__defaults__", (more,))
    monkeypatch.setattr(migrations.require_known, "__defaults__", (more,))
    store = PostgresStore.open(address, create=False)
    assert store.head().size == 1
    store.close()
    assert server.psql(f"SELECT count(*) FROM {schema}.migration") == "1"
    with pytest.raises(LedgerError, match="not ours: table later"):
        PostgresStore.open(address)  # the added table is not one that we compare with here
    assert server.psql(f"SELECT count(*) FROM {schema}.migration") == "2"
    monkeypatch.undo()
    with pytest.raises(LedgerError, match="newer firmground"):
        PostgresStore.open(address)
    with pytest.raises(LedgerError, match="newer firmground"):
        PostgresStore.open(address, create=False)


def test_a_step_with_another_text_is_refused(address: str, server: PostgresServer) -> None:
    PostgresStore.open(address).close()
    schema = address.partition("schema=")[2]
    server.psql(
        f"ALTER TABLE {schema}.migration DISABLE TRIGGER ALL;"
        f"UPDATE {schema}.migration SET checksum = 'x'"
    )
    with pytest.raises(LedgerError, match="not the one we know"):
        PostgresStore.open(address)


def test_a_server_that_does_not_sync_is_refused(address: str, server: PostgresServer) -> None:
    server.psql("ALTER SYSTEM SET fsync = off")
    server.psql("SELECT pg_reload_conf(), pg_sleep(0.3)")
    try:
        with pytest.raises(LedgerError, match="fsync = off"):
            PostgresStore.open(address)
        weak = PostgresStore.open(address, durability="process")
        assert "the server runs with fsync = off" in weak.defects()
        weak.close()
    finally:
        server.psql("ALTER SYSTEM RESET fsync")
        server.psql("SELECT pg_reload_conf(), pg_sleep(0.3)")


def test_weaker_durability_is_written_in_every_entry_and_flushed_by_a_checkpoint(
    address: str,
) -> None:
    with Ledger(PostgresStore.open(address, durability="process")) as ledger:
        receipt = ledger.record(a_run("x"), label=LABEL)
        assert str(receipt.durability) == "process"
        ledger.store.flush()
    with Ledger(PostgresStore.open(address)) as ledger:
        assert str(ledger.record(a_run("x"), label=LABEL).durability) == "full"


def test_no_message_shows_the_password(server: PostgresServer) -> None:
    secret = "hunter2secret"
    for address in (
        f"postgresql://owner:{secret}@127.0.0.1:1/postgres",
        f"postgresql://owner:{secret}@127.0.0.1:{server.port}/nobody",
        f"postgresql://owner@127.0.0.1:1/postgres?password={secret}",
        f"postgresql://owner:{secret}@127.0.0.1:{server.port}/postgres?schema=BAD",
    ):
        with pytest.raises(FirmgroundError) as caught:
            open_store(address)
        assert secret not in str(caught.value)
        assert secret not in without_password(address)


@pytest.mark.parametrize(
    "bad", ["schema=X", "schema=pg_log", "schema=a%3Bb", "read=both", "timeout=0"]
)
def test_a_wrong_option_of_an_address_is_named(bad: str) -> None:
    with pytest.raises(InputError, match=bad.partition("=")[0]):
        parse_target(f"postgresql://u@h/db?{bad}")


def test_a_path_is_no_address() -> None:
    assert not is_address(Path("postgresql:/x"))
    assert not is_address("runs.sqlite")
    assert is_address("postgres://u@h/db")


@pytest.fixture
def replica(server: PostgresServer) -> Iterator[PostgresServer]:
    """A standby that follows the server of these tests."""
    made = PostgresServer(initdb=("none",))
    made.program(
        "pg_basebackup", "-h", str(server.folder), "-p", str(server.port), "-U", "owner",
        "-D", str(made.data), "-R", "-X", "stream", "--no-sync", "-c", "fast",
    )  # fmt: skip
    yield made.start()
    made.remove()


def test_readers_may_ask_a_standby_and_writers_find_the_primary(
    server: PostgresServer, replica: PostgresServer, address: str
) -> None:
    schema = address.partition("schema=")[2]
    hosts = f"127.0.0.1:{replica.port},127.0.0.1:{server.port}"
    both = f"postgresql://owner@{hosts}/postgres?schema={schema}"
    with Ledger(open_store(both)) as ledger:
        receipts = [ledger.record(a_run(str(number)), label=LABEL) for number in range(20)]
        server.psql("SELECT pg_switch_wal()")
    reader = PostgresStore.open(both + "&read=replica", create=False)
    assert reader._run("SELECT pg_is_in_recovery()")[0][0] is True
    _until(lambda: reader.head().size == 20)
    assert reader.find_run(receipts[7].run_id) == 7
    assert reader.defects() == ()
    reader.close()


def _until(true: object) -> None:
    import time

    until = time.monotonic() + 60
    while not true():  # type: ignore[operator]
        assert time.monotonic() < until
        time.sleep(0.05)
