"""Breaks of erasure in the ledger: each was possible once."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from tests.ledger.open_log import LABEL, a_ledger, a_run

from firmground import Engine
from firmground.adapters.sqlite import SqliteStore
from firmground.core.canon import Value, canonical
from firmground.core.evidence import Evidence
from firmground.core.run import AttemptReason, Node, Run, Shape, Stage, stage_plan
from firmground.ledger.audit import audit
from firmground.ledger.log import Log
from firmground.pipeline.record import listed
from firmground.pipeline.resume import recorded_evidence

SECRET = "the patient is called Quentin Zymurgy"


def in_the_files(folder: Path, text: str = SECRET) -> list[str]:
    return [path.name for path in folder.glob("log.sqlite*") if text.encode() in path.read_bytes()]


def killed_between_commit_and_scrub(folder: Path) -> None:
    child = os.fork()
    if child == 0:
        ledger = a_ledger(folder)
        run = ledger.record(a_run(SECRET), label=LABEL).run_id
        ledger.store.scrub = lambda: os._exit(9)  # type: ignore[method-assign]
        ledger.erase([run], actor="me", reason="asked to")
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_an_erasure_killed_between_commit_and_scrub_is_finished_at_the_next_open(
    tmp_path: Path,
) -> None:
    killed_between_commit_and_scrub(tmp_path)
    assert in_the_files(tmp_path), "the killed process left nothing, so nothing is tested"
    with a_ledger(tmp_path) as ledger:
        assert in_the_files(tmp_path) == []
        assert not ledger.store.scrub_pending()


def test_an_erasure_that_is_not_finished_is_said_by_the_audit(tmp_path: Path) -> None:
    killed_between_commit_and_scrub(tmp_path)
    store = SqliteStore.open(tmp_path / "log.sqlite", create=False)
    report = audit(store)
    store.close()
    assert report.holds
    assert any("erasure is not finished" in line for line in report.unseen)
    a_ledger(tmp_path).close()
    store = SqliteStore.open(tmp_path / "log.sqlite", create=False)
    report = audit(store)
    store.close()
    assert not any("erasure is not finished" in line for line in report.unseen)


def test_an_erasure_that_a_reader_held_up_is_finished_at_the_next_open(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        run = ledger.record(a_run(SECRET), label=LABEL).run_id
        reader = SqliteStore.open(tmp_path / "log.sqlite", create=False, busy_seconds=0.1)
        reading = reader._reading.execute("SELECT * FROM entry")
        next(reading)
        ledger.store._writing.set_busy_timeout(100)  # type: ignore[attr-defined]
        assert not ledger.erase([run], actor="me", reason="asked to").scrubbed
        assert ledger.store.scrub_pending()
        del reading
        reader.close()
        assert ledger.store.scrub()
        assert not ledger.store.scrub_pending()
        assert in_the_files(tmp_path) == []


@pytest.mark.parametrize("mode", ["prose", "pointer"])
def test_no_stage_without_the_text_holds_a_hash_of_the_evidence(tmp_path: Path, mode: str) -> None:
    """A short text can be guessed, and the guess confirmed by an unsalted hash of it."""
    text = "Blood type: AB negative."
    ledger = tmp_path / "log.sqlite"
    with Engine(judge="lexical", ledger=ledger) as engine:
        answer = text if mode == "prose" else f"{text} [E1]"
        result = engine.check(answer, text, mode=mode)
        assert result.receipt is not None
        run = result.receipt.run_id
    guess = hashlib.sha256(text.encode()).hexdigest()
    store = SqliteStore.open(ledger, create=False)
    stored = Log(store).run(run)
    store.close()
    for kept in stored.stages:
        payload = kept.payload or b""
        assert guess.encode() not in payload, kept.planned.stage
    assert recorded_evidence(stored, 0)[0].text == text


def test_a_record_with_hashes_of_its_evidence_is_still_read(tmp_path: Path) -> None:
    """Records of older versions name their evidence by its hash."""
    piece = Evidence(text="It rained.")
    with a_ledger(tmp_path) as ledger:
        old = record_with_hashes(piece)
        run = ledger.record(old, label=LABEL).run_id
        assert recorded_evidence(ledger.run(run), 0) == (piece,)


def record_with_hashes(piece: Evidence) -> Run:
    payloads: dict[Stage, Value] = {
        Stage.RETRIEVAL: {"given": True, "evidence": [listed(piece)]},
        Stage.CONTEXT: {"texts": [piece.text]},
    }
    nodes = tuple(
        Node(stage=p.stage, attempt=0, payload=canonical(payloads.get(p.stage, {})))
        for p in stage_plan(shape=Shape.QUOTE, preflight=False)
    )
    return Run(shape=Shape.QUOTE, preflight=False, attempts=(AttemptReason.FIRST,), nodes=nodes)
