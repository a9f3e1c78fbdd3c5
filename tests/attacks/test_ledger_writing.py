"""Breaks between the moment a record is acknowledged and its checkpoint: each was possible once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner
from tests.ledger.open_log import LABEL, a_ledger, a_run, a_signer, behind_its_back

from firmground.adapters.sqlite import SqliteStore
from firmground.cli.main import cli
from firmground.core.merkle import leaf_hash
from firmground.errors import LedgerError, SignerRefused
from firmground.ledger.audit import audit
from firmground.ledger.draft import EntryPosition
from firmground.ledger.ledger import Ledger
from firmground.ledger.receipt import read_receipt


def rewrite_last_entry(folder: Path) -> None:
    """Change the newest entry so that its hash fits again; it completes no tree node."""
    path = folder / "log.sqlite"
    connection = apsw.Connection(str(path))
    newest = "SELECT seq, body FROM entry ORDER BY seq DESC LIMIT 1"
    seq: Any
    body: Any
    ((seq, body),) = connection.execute(newest).fetchall()
    connection.close()
    assert seq % 2 == 0
    other = body.replace(b"proceed", b"abstain")
    assert other != body
    behind_its_back(
        path,
        f"UPDATE entry SET body = x'{other.hex()}', hash = x'{leaf_hash(other).hex()}' "
        f"WHERE seq = {seq}",
    )


def drop_last_entry(folder: Path) -> None:
    behind_its_back(
        folder / "log.sqlite",
        "DELETE FROM vault WHERE id >> 10 = (SELECT max(seq) FROM entry)",
        "DELETE FROM stage WHERE id >> 10 = (SELECT max(seq) FROM entry)",
        "DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)",
    )


def two_runs(folder: Path) -> Ledger:
    """Entries 0 (the key), 1 and 2; the first two are signed, the third is acknowledged only."""
    ledger = a_ledger(folder, signer=a_signer(folder))
    ledger.record(a_run("one"), label=LABEL)
    ledger.checkpoint()
    ledger.record(a_run("two"), label=LABEL)
    return ledger


def test_an_acknowledged_record_that_was_rewritten_is_not_signed(tmp_path: Path) -> None:
    ledger = two_runs(tmp_path)
    rewrite_last_entry(tmp_path)
    with pytest.raises(SignerRefused, match="acknowledged"):
        ledger.checkpoint()
    with pytest.raises(SignerRefused):
        ledger.close()


def test_nothing_is_appended_behind_an_acknowledged_record_that_was_rewritten(
    tmp_path: Path,
) -> None:
    ledger = two_runs(tmp_path)
    rewrite_last_entry(tmp_path)
    for _ in range(2):
        with pytest.raises(LedgerError, match="changed"):
            ledger.record(a_run("three"), label=LABEL)
    assert ledger.size() == 3
    with pytest.raises(SignerRefused):
        ledger.close()


def test_an_acknowledged_record_that_was_cut_off_is_noticed(tmp_path: Path) -> None:
    ledger = two_runs(tmp_path)
    drop_last_entry(tmp_path)
    with pytest.raises(LedgerError, match="changed"):
        ledger.record(a_run("three"), label=LABEL)
    with pytest.raises(SignerRefused):
        ledger.close()


def test_a_record_that_another_process_added_is_no_rewrite(tmp_path: Path) -> None:
    with two_runs(tmp_path) as ledger:
        with a_ledger(tmp_path) as other:
            other.record(a_run("elsewhere"), label=LABEL)
        ledger.record(a_run("three"), label=LABEL)
        ledger.checkpoint()
        assert audit(ledger.reader).holds


def test_a_receipt_is_signed_and_holds_its_log_to_the_entry(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        receipt = ledger.record(a_run("one"), label=LABEL)
        ledger.record(a_run("two"), label=LABEL)
    key = a_signer(tmp_path).verifier
    read = read_receipt(receipt.note, keys=[key])
    assert (read.seq, read.entry_hash, read.run_id) == (
        receipt.seq,
        receipt.entry_hash,
        receipt.run_id,
    )
    for wrong in (receipt.note.replace("\n1\n", "\n2\n"), receipt.note + "x", ""):
        with pytest.raises(ValueError, match="receipt"):
            read_receipt(wrong, keys=[key])


def test_an_owner_who_rewrites_an_acknowledged_record_is_caught_by_its_receipt(
    tmp_path: Path,
) -> None:
    """The record was acknowledged, no checkpoint was seen outside, and the owner has the key."""
    with two_runs(tmp_path) as ledger:
        newest = ledger.reader.runs(1 << 40, 1)[0].run or ""
        receipt = ledger.sign_receipt(ledger.receipt(newest))
        ledger._notary = None  # killed before the next checkpoint
    (tmp_path / "receipt.txt").write_text(receipt.note)
    rewrite_last_entry(tmp_path)
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        assert audit(ledger.reader).holds
        report = audit(ledger.reader, receipts=[receipt.note])
        assert any("receipt" in problem.detail for problem in report.problems)
    command = ["audit", "--ledger", str(tmp_path / "log.sqlite")]
    runner = CliRunner()
    assert runner.invoke(cli, command).exit_code == 0
    told = runner.invoke(cli, [*command, "--receipt", str(tmp_path / "receipt.txt")])
    assert told.exit_code == 1
    assert "receipt" in told.output


def test_a_clock_that_goes_back_dates_no_entry_before_an_earlier_one(tmp_path: Path) -> None:
    times = iter([datetime(2026, 5, 5, tzinfo=UTC) - timedelta(days=n) for n in range(60)])
    store = SqliteStore.open(tmp_path / "log.sqlite")
    with Ledger(store, clock=lambda: next(times)) as ledger:
        for number in range(3):
            ledger.record(a_run(f"{number}"), label=LABEL)
    store = SqliteStore.open(tmp_path / "log.sqlite")
    with Ledger(store, clock=lambda: next(times)) as ledger:
        ledger.record(a_run("after a restart"), label=LABEL)
        dated = [ledger.entry(seq).ts for seq in range(4)]
        assert dated == sorted(dated)
        assert not any("went back" in line for line in audit(ledger.reader).unseen)


def test_an_audit_says_that_the_clock_of_a_log_went_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([datetime(2026, 5, 5, tzinfo=UTC) - timedelta(days=n) for n in range(60)])
    monkeypatch.setattr(EntryPosition, "after", "")
    with Ledger(SqliteStore.open(tmp_path / "a.sqlite"), clock=lambda: next(times)) as ledger:
        for number in range(3):
            ledger.record(a_run(f"{number}"), label=LABEL)
        report = audit(ledger.reader)
    assert report.holds
    assert any("went back" in line for line in report.unseen)


def test_the_command_line_gives_out_a_receipt(tmp_path: Path) -> None:
    two_runs(tmp_path).close()
    with a_ledger(tmp_path) as ledger:
        newest = ledger.reader.runs(1 << 40, 1)[0].run or ""
    out = tmp_path / "receipt.txt"
    places = ["--ledger", str(tmp_path / "log.sqlite"), "--signer", str(tmp_path / "log.key")]
    told = CliRunner().invoke(cli, ["runs", "receipt", newest, *places, "--out", str(out)])
    assert told.exit_code == 0, told.output
    read = read_receipt(out.read_bytes(), keys=[a_signer(tmp_path).verifier])
    assert read.run_id == newest
