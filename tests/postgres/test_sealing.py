"""Sealed payloads: a destroyed key takes them out of every copy, and no proof is touched."""

from __future__ import annotations

import hashlib
import hmac
import itertools
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.durability.writers import a_run
from tests.postgres_server import PostgresServer

import firmground
from firmground.adapters.sqlite.vault_keys import SqliteVaultKeys
from firmground.adapters.stores import open_store
from firmground.cli.main import cli
from firmground.core.run import Stage
from firmground.errors import InputError, LedgerError, RecordErased
from firmground.ledger.audit import audit
from firmground.ledger.copying import copy_log
from firmground.ledger.ledger import Ledger
from firmground.ledger.sealing import SealedStore
from firmground.ledger.signing import CheckpointSigner
from firmground.testing import check_ledger_store

LABEL = {"decision": "x"}
SECRET = "marmalade-secret"


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path, address: str) -> str:
    return address if request.param == "postgres" else str(tmp_path / "log.sqlite")


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    (tmp_path / "keys").mkdir()
    return tmp_path / "keys" / "vault.keys"


def _open(where: str, keys: Path) -> Ledger:
    return Ledger(open_store(where, vault_keys=keys))


def test_a_sealed_store_passes_the_conformance_suite(where: str, keys: Path) -> None:
    check_ledger_store(
        open_store(where, vault_keys=keys), reopen=lambda: open_store(where, vault_keys=keys)
    )


def _files(*folders: Path) -> bytes:
    """Every byte of every file below these folders."""
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return b"\0".join(path.read_bytes() for path in found)


def test_after_an_erasure_no_file_backup_or_wal_can_be_read(
    where: str, keys: Path, tmp_path: Path, server: PostgresServer
) -> None:
    backup = tmp_path / "backup.sqlite"
    with _open(where, keys) as ledger:
        ours = [ledger.record(a_run(SECRET), label=LABEL, subject="customer 7") for _ in range(3)]
        other = ledger.record(a_run("somebody else"), label=LABEL, subject="customer 8")
    source, target = open_store(where, vault_keys=""), open_store(backup, vault_keys="")
    copy_log(source, target)
    source.close()
    target.close()
    holder = SqliteVaultKeys(keys)
    rows = holder._run("SELECT key FROM sealing")
    holder.close()
    with _open(where, keys) as ledger:
        assert isinstance(ledger.store, SealedStore)
        runs = ledger.store.runs_of("customer 7")
        assert runs == tuple(one.run_id for one in ours)
        done = ledger.erase(runs, actor="me", reason="asked")
        assert done.scrubbed
        assert not ledger.store.scrub_pending()
        for run in runs:
            with pytest.raises(RecordErased):
                ledger.run(run).payload(Stage.ANSWER)
        assert ledger.run(other.run_id).payload(Stage.ANSWER) == b"somebody else" * 8
        report = audit(ledger.store)
        assert report.holds, report.problems[:3]
    if where.startswith("postgresql"):
        server.psql("CHECKPOINT")
    everything = _files(tmp_path, server.folder)
    assert SECRET.encode() not in everything
    assert b"somebody else" not in everything  # sealed, too
    destroyed = [row[0] for row in rows[:3]]
    assert [key in everything for key in destroyed] == [False] * 3
    assert rows[3][0] in everything
    again = open_store(backup, vault_keys=keys)
    assert {row.seq for row in again.vault(0, 9)} == {3}, "the backup opens what was not erased"
    again.close()


def test_a_commitment_cannot_be_guessed_once_the_key_is_gone(where: str, keys: Path) -> None:
    with _open(where, keys) as ledger:
        receipt = ledger.record(a_run("4711"), label=LABEL)
        commit = ledger.run(receipt.run_id).stages[0].commit
        stage = ledger.run(receipt.run_id).stages[0].planned.stage
        ledger.erase([receipt.run_id], actor="me", reason="asked")
        raw = list(ledger.store.inner.vault(0, 9))  # type: ignore[attr-defined]
    known = {bytes(32), *(row.salt for row in raw)}
    prefix = b"fg1/payload\0" + str(stage).encode() + b"\0"
    for guess, salt in itertools.product(range(10_000), known):
        payload = f"{guess:04}".encode() * 8
        assert hmac.new(salt, prefix + payload, hashlib.sha256).digest() != commit


def test_without_the_keys_payloads_stay_sealed_and_proofs_hold(
    where: str, keys: Path, tmp_path: Path
) -> None:
    signer = CheckpointSigner.create(tmp_path / "log.key", "example.org/log")
    with Ledger(open_store(where, vault_keys=keys), signer=signer) as ledger:
        receipt = ledger.record(a_run(SECRET), label=LABEL)
    with Ledger(open_store(where, vault_keys="")) as ledger:
        with pytest.raises(LedgerError, match="is sealed"):
            ledger.run(receipt.run_id).payload(Stage.ANSWER)
        with pytest.raises(LedgerError, match="is sealed"):
            ledger.erase([receipt.run_id], actor="me", reason="asked")
        report = audit(ledger.store, keys=[signer.verifier])
        assert report.holds
        assert any("payloads are sealed" in line for line in report.unseen)
        assert ledger.export(receipt.run_id, disclose=None)
    with _open(where, keys) as ledger:
        assert not any("sealed" in line for line in audit(ledger.store).unseen)


def test_a_changed_sealed_payload_is_found_by_whoever_has_the_keys(
    keys: Path, address: str, server: PostgresServer
) -> None:
    with _open(address, keys) as ledger:
        ledger.record(a_run(SECRET), label=LABEL)
    schema = address.partition("schema=")[2]
    server.psql(
        f"ALTER TABLE {schema}.vault DISABLE TRIGGER ALL;"
        f"UPDATE {schema}.vault SET payload = payload || 'x' WHERE ord = 1;"
        f"UPDATE {schema}.vault SET salt = sha256('x') WHERE ord = 2;"
        f"ALTER TABLE {schema}.vault ENABLE ALWAYS TRIGGER vault_updated"
    )
    store = open_store(address, create=False, vault_keys=keys)
    wrong = [problem.ordinal for problem in audit(store).problems if problem.part == "vault"]
    assert wrong == [1, 2]
    store.close()


def test_erasing_some_stages_keeps_the_rest_readable_and_says_what_lingers(
    keys: Path, address: str
) -> None:
    with _open(address, keys) as ledger:
        receipt = ledger.record(a_run(SECRET), label=LABEL)
        first = ledger.erase([receipt.run_id], actor="a", reason="b", stages=[Stage.ANSWER])
        assert not first.scrubbed, "the run's key still opens copies of the erased stage"
        assert ledger.run(receipt.run_id).payload(Stage.QUESTION)
        assert ledger.erase([receipt.run_id], actor="a", reason="b").scrubbed


def test_an_erasure_that_dies_before_its_key_is_destroyed_is_finished_at_the_next_opening(
    where: str, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = _open(where, keys)
    receipt = ledger.record(a_run(SECRET), label=LABEL, subject="s")

    def dies(self: SqliteVaultKeys, ids: object) -> None:
        raise LedgerError("the power is gone")

    with monkeypatch.context() as patched:
        patched.setattr(SqliteVaultKeys, "destroy", dies)
        with pytest.raises(LedgerError, match="power"):
            ledger.erase([receipt.run_id], actor="a", reason="b")
    ledger._writer.close()
    ledger.store.close()
    store = open_store(where, vault_keys=keys)
    assert store.scrub_pending()
    with Ledger(store):
        assert not store.scrub_pending()
        assert store.runs_of("s") == ()  # type: ignore[attr-defined]


def test_an_engine_takes_the_subject_from_metadata_and_a_command_erases_it(
    where: str, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRMGROUND_VAULT_KEYS", str(keys))
    with firmground.Engine(judge="lexical", ledger=where) as engine:
        for customer in ("7", "7", "8"):
            engine.check("It rained.", "It rained.", metadata={"subject": customer})
    erase = ["runs", "erase", "--subject", "7", "--yes", "--actor", "me", "--reason", "asked"]
    done = CliRunner().invoke(cli, [*erase, "--ledger", where])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "of 2 runs" in done.output
    again = CliRunner().invoke(cli, [*erase, "--ledger", where])
    assert "no run of this subject" in str(again.exception)
    monkeypatch.delenv("FIRMGROUND_VAULT_KEYS")
    unsealed = CliRunner().invoke(cli, [*erase, "--ledger", where])
    assert isinstance(unsealed.exception, InputError)
    audited = CliRunner().invoke(cli, ["audit", "--ledger", where])
    assert audited.exit_code == 0, audited.output
