"""An incremental audit reads what is new and is not fooled about what is old."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.ledger.open_log import LABEL, ORIGIN, a_ledger, a_run, a_signer, behind_its_back

from firmground.adapters.sqlite import SqliteStore
from firmground.adapters.sqlite.rows import node_id
from firmground.cli.main import cli
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.audit import audit
from firmground.ledger.audit_report import AuditReport
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.signing import read_key_file


def a_log(folder: Path) -> tuple[str, int]:
    """A log with a checkpoint in its middle; return that and its size."""
    with a_ledger(folder, signer=a_signer(folder)) as ledger:
        runs = [ledger.record(a_run(f"old {n}"), label=LABEL).run_id for n in range(7)]
        ledger.erase(runs[:1], actor="me", reason="asked to")
        note = ledger.checkpoint()
        for n in range(6):
            runs.append(ledger.record(a_run(f"new {n}"), label=LABEL).run_id)
        ledger.erase([runs[1], runs[-1]], actor="me", reason="asked to")
        ledger.rotate(a_signer(folder, "second"))
    return note, checkpoints.parse(note)[0].size


def audited(folder: Path, since: str, **options: object) -> AuditReport:
    store = SqliteStore.open(folder / "log.sqlite", create=False)
    try:
        return audit(store, since=since, **options)  # type: ignore[arg-type]
    finally:
        store.close()


def test_an_incremental_audit_reads_only_what_follows_the_checkpoint(tmp_path: Path) -> None:
    note, size = a_log(tmp_path)
    read: list[int] = []
    report = audited(tmp_path, note, progress=lambda done, total: read.append(done))
    assert report.holds, report.problems
    assert min(read) == size + 1
    assert any(f"{size} entries before" in line for line in report.unseen)
    for name in ("log", "second"):
        assert audited(tmp_path, note, keys=[a_signer(tmp_path, name).verifier]).holds


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET body = x'7b7d' WHERE seq = 12",
        "UPDATE entry SET hash = zeroblob(32) WHERE seq = 8",
        f"UPDATE node SET hash = zeroblob(32) WHERE id = {node_id(3, 0)}",
        "DELETE FROM vault WHERE id >> 10 = 11",
        "DELETE FROM entry WHERE seq > 12",
    ],
)
def test_an_incremental_audit_finds_what_was_changed(tmp_path: Path, change: str) -> None:
    note, _ = a_log(tmp_path)
    behind_its_back(tmp_path / "log.sqlite", change)
    assert not audited(tmp_path, note).holds


def test_a_checkpoint_of_another_history_is_refused(tmp_path: Path) -> None:
    _, size = a_log(tmp_path)
    stated = Checkpoint(origin=ORIGIN, size=size, root=bytes(32))
    other = checkpoints.sign(stated, [read_key_file(tmp_path / "log.key")])
    report = audited(tmp_path, other)
    assert any("audited before" in problem.detail for problem in report.problems)
    longer = Checkpoint(origin=ORIGIN, size=size + 900, root=bytes(32))
    cut = checkpoints.sign(longer, [read_key_file(tmp_path / "log.key")])
    assert not audited(tmp_path, cut).holds


def test_a_checkpoint_that_nobody_signed_is_no_beginning(tmp_path: Path) -> None:
    note, size = a_log(tmp_path)
    forged = note.replace(f"\n{size}\n", f"\n{size - 1}\n")
    assert not audited(tmp_path, forged).holds


def test_the_command_line_audits_since_a_checkpoint(tmp_path: Path) -> None:
    note, _ = a_log(tmp_path)
    (tmp_path / "kept.txt").write_text(note)
    place = ["--ledger", str(tmp_path / "log.sqlite"), "--since", str(tmp_path / "kept.txt")]
    told = CliRunner().invoke(cli, ["audit", *place])
    assert told.exit_code == 0, told.output
    assert "were not read" in told.output
