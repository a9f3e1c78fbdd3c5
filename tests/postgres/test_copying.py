"""A log moves between stores with every proof intact; a backup says what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.durability.writers import a_run
from tests.postgres_server import PostgresServer

from firmground.adapters.postgres import PostgresStore
from firmground.adapters.sqlite import SqliteStore
from firmground.adapters.stores import open_store
from firmground.cli.main import cli
from firmground.core.run import Stage
from firmground.errors import LedgerError
from firmground.ledger import copying
from firmground.ledger.audit import audit
from firmground.ledger.cache import AnswerCache
from firmground.ledger.cache_key import Tenant
from firmground.ledger.copying import copy_log
from firmground.ledger.ledger import Ledger
from firmground.ledger.signing import CheckpointSigner
from firmground.ledger.store import LedgerStore

LABEL = {"decision": "x"}


def _fill(store: LedgerStore, key: Path, runs: int = 30) -> str:
    """Write runs, erasures, checkpoints and a cached answer; return a run id."""
    signer = CheckpointSigner.open(key) if key.exists() else CheckpointSigner.create(key, "a.org/b")
    with Ledger(store, signer=signer) as ledger:
        receipts = [ledger.record(a_run(f"run {number}"), label=LABEL) for number in range(runs)]
        ledger.checkpoint()
        ids = [one.run_id for one in receipts]
        ledger.erase(ids[2:4], actor="me", reason="asked", stages=[Stage.ANSWER])
        ledger.erase([ids[3]], actor="me", reason="asked")
        cache = AnswerCache(ledger, Tenant(name="t", key=bytes(32)))
        cache.put(b"k" * 32, a_run("cached"), label=LABEL)
        cache.put(b"l" * 32, a_run("cached too"), label=LABEL, made_from=[b"k" * 32])
        return ids[0]


def _same(one: LedgerStore, other: LedgerStore) -> None:
    size = one.head().size
    assert other.head() == one.head()
    for name in ("entries", "stages", "vault"):
        assert list(getattr(other, name)(0, size)) == list(getattr(one, name)(0, size))
    assert list(other.erased()) == list(one.erased())
    assert other.checkpoints() == one.checkpoints()
    assert other.cache_rows() == one.cache_rows()
    assert other.edges("t", b"k" * 32) == one.edges("t", b"k" * 32) != ()
    assert other.node_count() == one.node_count()


@pytest.mark.parametrize(
    "way", ["sqlite to postgres", "postgres to sqlite", "postgres to postgres"]
)
def test_a_copy_holds_the_same_bytes(way: str, tmp_path: Path, address: str) -> None:
    places = {
        "sqlite": str(tmp_path / "log.sqlite"),
        "postgres": address,
    }
    first, _, second = way.partition(" to ")
    source_at = places[first]
    target_at = places[second] if first != second else address + "b"
    _fill(open_store(source_at), tmp_path / "log.key")
    source, target = open_store(source_at, create=False), open_store(target_at)
    report = copy_log(source, target)
    _same(source, target)
    key = CheckpointSigner.open(tmp_path / "log.key").verifier
    audited = audit(target, keys=[key])
    assert audited.holds, audited.problems[:3]
    assert (audited.size, audited.root) == (report.size, report.root)
    source.close()
    target.close()


def test_an_interrupted_copy_goes_on_and_follows_a_log_that_grows(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "ENTRIES_AT_ONCE", 4)
    path = tmp_path / "log.sqlite"
    _fill(SqliteStore.open(path), tmp_path / "log.key")

    class StopError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done > 12:
            raise StopError

    source, target = SqliteStore.open(path), PostgresStore.open(address)
    with pytest.raises(StopError):
        copy_log(source, target, progress=stop)
    found = target.head().size
    assert 0 < found < source.head().size
    assert copy_log(source, target).found == found
    _same(source, target)
    _fill(SqliteStore.open(path), tmp_path / "log.key", runs=5)
    copy_log(source, target)
    _same(source, target)
    source.close()
    target.close()


def test_a_target_that_holds_something_else_is_refused(tmp_path: Path, address: str) -> None:
    source, target = SqliteStore.open(tmp_path / "log.sqlite"), PostgresStore.open(address)
    for store in (source, target):
        ledger = Ledger(store)
        ledger.record(a_run("different each time"), label=LABEL)
        ledger._writer.close()
    with pytest.raises(LedgerError, match="not a beginning"):
        copy_log(source, target)
    assert target.head().size == 1
    source.close()
    target.close()


def _run(*argv: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in argv])


def test_a_backup_is_restored_and_verified_against_the_newest_checkpoint(
    tmp_path: Path, address: str, server: PostgresServer
) -> None:
    key, backup = tmp_path / "log.key", tmp_path / "monday.sqlite"
    run = _fill(PostgresStore.open(address), key)
    made = _run("ledger", "backup", address, backup)
    assert made.exit_code == 0, made.output
    noted = tmp_path / "monday.sqlite.checkpoint"
    restored = address + "_restored"
    done = _run("ledger", "restore", backup, restored, "--kept", noted)
    assert done.exit_code == 0, done.output
    with Ledger(open_store(restored, create=False)) as ledger:
        assert ledger.run(run).payload(Stage.ANSWER) == b"run 0" * 8
    assert _run("ledger", "backup", address, backup).exit_code != 0  # never over a file


def test_an_older_backup_names_what_is_missing_and_restores_nothing_by_itself(
    tmp_path: Path, address: str
) -> None:
    key, backup = tmp_path / "log.key", tmp_path / "old.sqlite"
    _fill(PostgresStore.open(address), key)
    assert _run("ledger", "backup", address, backup).exit_code == 0
    old = PostgresStore.open(address, create=False)
    size = old.head().size
    old.close()
    _fill(PostgresStore.open(address), key, runs=7)
    newest = tmp_path / "newest.checkpoint"
    assert _run("checkpoint", "--ledger", address, "--out", newest).exit_code == 0
    target = tmp_path / "target.sqlite"
    done = _run("ledger", "restore", backup, target, "--kept", newest)
    assert done.exit_code == 1
    assert f"entries {size} to " in done.output
    assert "nothing was restored" in done.output
    assert not target.exists()
    forced = _run("ledger", "restore", backup, target, "--kept", newest, "--incomplete", "--json")
    assert forced.exit_code == 1
    assert json.loads(forced.output)["copied"]["size"] == size
    assert "needs the newest checkpoint" in str(_run("ledger", "restore", backup, target).exception)


def test_init_makes_a_log_and_grants_rights(address: str) -> None:
    done = _run("ledger", "init", address, "--writer", "writer", "--reader", "reader")
    assert done.exit_code == 0, done.output
    with Ledger(PostgresStore.open(address.replace("owner@", "writer@"))) as ledger:
        ledger.record(a_run("x"), label=LABEL)
    reading = PostgresStore.open(address.replace("owner@", "reader@"), create=False)
    assert reading.head().size == 1
    with pytest.raises(LedgerError, match="permission denied"):
        reading.transact(lambda transaction: transaction.head())
    reading.close()


def test_a_command_copies_from_a_file_to_a_server(tmp_path: Path, address: str) -> None:
    path = tmp_path / "log.sqlite"
    _fill(SqliteStore.open(path), tmp_path / "log.key")
    done = _run("ledger", "copy", path, address)
    assert done.exit_code == 0, done.output
    assert "HOLDS" in done.output
    assert "same log" in str(_run("ledger", "copy", path, path).exception)
