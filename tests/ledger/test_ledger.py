"""A run that was recorded can be proved to somebody who trusts nothing but a key."""

from __future__ import annotations

import asyncio
import re
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ledger.open_log import LABEL, NEVER, ORIGIN, a_ledger, a_run, a_signer

from firmground.adapters.sqlite import SqliteStore, open_ledger
from firmground.core.merkle import verify_consistency, verify_inclusion
from firmground.core.run import AttemptReason, Shape, Stage
from firmground.errors import (
    AppendOnlyViolation,
    InputError,
    LedgerUnavailable,
    RecordErased,
    RecordNotFound,
)
from firmground.ledger.audit import audit
from firmground.ledger.bundle import verify_bundle
from firmground.ledger.checkpointer import Checkpointer, CheckpointPolicy
from firmground.ledger.entry import Durability, KeyEntry, RunEntry, parse_entry
from firmground.ledger.ids import uuid7
from firmground.ledger.ledger import Ledger
from firmground.ledger.receipt import RecordPersistence

SHAPES = [
    a_run(shape=Shape.QUOTE, preflight=False),
    a_run(shape=Shape.QUOTE, preflight=True),
    a_run(shape=Shape.POINTER, preflight=False),
    a_run(shape=Shape.POINTER, preflight=True),
    a_run(shape=Shape.REJECT),
    a_run(attempts=(AttemptReason.FIRST, AttemptReason.REGENERATE, AttemptReason.REPLAN)),
]


@pytest.mark.parametrize("run", SHAPES, ids=lambda run: f"{run.shape}-{len(run.nodes)}")
def test_every_shape_of_run_is_recorded_exported_and_verified(run: object, tmp_path: Path) -> None:
    assert isinstance(run, type(SHAPES[0]))
    signer = a_signer(tmp_path)
    with a_ledger(tmp_path, signer=signer) as ledger:
        receipt = ledger.record(run, label=LABEL)
        bundle = ledger.export(receipt.run_id, disclose=None)
        report = verify_bundle(bundle.data, keys=[signer.verifier])
        assert report.reasons == ()
        assert report.verified is not None
        shown = [item.payload for item in report.verified.disclosed]
        assert shown == [node.payload for node in run.nodes]
        assert audit(ledger.reader).holds


def test_only_what_is_asked_for_is_disclosed(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    with a_ledger(tmp_path, signer=signer) as ledger:
        receipt = ledger.record(a_run("a secret"), label=LABEL)
        closed = ledger.export(receipt.run_id)
        opened = ledger.export(receipt.run_id, disclose=(Stage.ANSWER,))
    assert b"a secret" not in closed.data
    assert [item.payload for item in opened.disclosed] == [b"a secret/answer/0"]
    for bundle in (closed, opened):
        assert verify_bundle(bundle.data, keys=[signer.verifier]).valid


def test_an_export_names_a_stage_the_run_does_not_have(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        receipt = ledger.record(a_run(), label=LABEL)
        with pytest.raises(RecordNotFound, match="render"):
            ledger.export(receipt.run_id, disclose=(Stage.RENDER,))
        with pytest.raises(RecordNotFound, match="no run"):
            ledger.export("no such run")


def test_a_receipt_says_how_far_a_record_is_kept(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        receipt = ledger.record(a_run(), label=LABEL)
        assert (receipt.kept, receipt.checkpoint_size) == (RecordPersistence.DURABLE, None)
        ledger.checkpoint()
        later = ledger.receipt(receipt.run_id)
        assert (later.kept, later.checkpoint_size) == (
            RecordPersistence.CHECKPOINTED,
            receipt.seq + 1,
        )


def test_less_than_full_durability_has_to_be_chosen_and_stands_in_every_entry(
    tmp_path: Path,
) -> None:
    with a_ledger(tmp_path) as ledger:
        ledger.record(a_run(), label=LABEL)
        assert {ledger.entry(seq).durability for seq in range(ledger.size())} == {Durability.FULL}
    with open_ledger(
        tmp_path / "weak.sqlite",
        signer=a_signer(tmp_path),
        durability="process",
        policy=NEVER,
    ) as weak:
        receipt = weak.record(a_run(), label=LABEL)
        assert receipt.kept is RecordPersistence.ACCEPTED
        assert {weak.entry(seq).durability for seq in range(2)} == {Durability.PROCESS}


def test_a_checkpoint_is_signed_at_the_latest_when_the_log_is_closed(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        for _ in range(3):
            ledger.record(a_run(), label=LABEL)
        assert ledger.newest_checkpoint() is None
    store = SqliteStore.open(tmp_path / "log.sqlite")
    assert [row.size for row in store.checkpoints()] == [4]
    store.close()


@pytest.mark.parametrize(
    ("unsigned", "waited", "wait"),
    [(0, 99.0, None), (1, 0.25, 0.75), (999, 0.5, 0.5), (1000, 0.0, 0.0), (1, 1.5, 0.0)],
)
def test_a_checkpoint_is_due_after_a_second_or_a_thousand_entries(
    unsigned: int, waited: float, wait: float | None
) -> None:
    assert CheckpointPolicy().wait(unsigned=unsigned, waited=waited) == wait


def test_the_background_signer_signs_when_enough_has_come(tmp_path: Path) -> None:
    policy = CheckpointPolicy(entries=5, seconds=86_400.0)
    with a_ledger(tmp_path, signer=a_signer(tmp_path), policy=policy) as ledger:
        for _ in range(20):
            ledger.record(a_run(), label=LABEL)
    store = SqliteStore.open(tmp_path / "log.sqlite")
    sizes = [row.size for row in store.checkpoints()]
    store.close()
    assert len(sizes) >= 2
    assert sizes[-1] == 21


def test_the_background_signer_tries_again_after_a_failure() -> None:
    import threading

    tries: list[int] = []
    done = threading.Event()

    def sign() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise LedgerUnavailable("disk full")
        done.set()
        return 1

    checkpointer = Checkpointer(
        policy=CheckpointPolicy(entries=1, seconds=0.001),
        sign=sign,
        refused=lambda error: None,
        signed=0,
    )
    checkpointer.told(1)
    assert done.wait(10)
    checkpointer.close()
    assert len(tries) == 3


def test_the_first_entry_names_the_key(tmp_path: Path) -> None:
    signer = a_signer(tmp_path)
    with a_ledger(tmp_path, signer=signer) as ledger:
        body = ledger.entry(0).body
        assert isinstance(body, KeyEntry)
        assert body.key == str(signer.verifier)
        assert ledger.keyring(ORIGIN).current() == signer.verifier
    with a_ledger(tmp_path, signer=signer) as again:
        assert again.size() == 1


def test_a_run_id_is_used_once(tmp_path: Path) -> None:
    name = str(uuid.uuid4())
    with a_ledger(tmp_path) as ledger:
        ledger.record(a_run(), label=LABEL, run_id=name)
        with pytest.raises(AppendOnlyViolation):
            ledger.record(a_run(), label=LABEL, run_id=name)
        assert ledger.size() == 1


def test_a_label_is_required(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger, pytest.raises(InputError, match="label"):
        ledger.record(a_run(), label={})


def test_tasks_record_without_holding_each_other_up(tmp_path: Path) -> None:
    async def main(ledger: Ledger) -> list[int]:
        made = await asyncio.gather(
            *(ledger.arecord(a_run(str(number)), label=LABEL) for number in range(50))
        )
        return [receipt.seq for receipt in made]

    with a_ledger(tmp_path) as ledger:
        assert sorted(asyncio.run(main(ledger))) == list(range(50))


def test_a_cancelled_task_does_not_stop_the_others(tmp_path: Path) -> None:
    async def main(ledger: Ledger) -> None:
        tasks = [asyncio.create_task(ledger.arecord(a_run(str(n)), label=LABEL)) for n in range(10)]
        await asyncio.sleep(0)
        tasks[3].cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(each, asyncio.CancelledError) for each in done) == 1

    with a_ledger(tmp_path) as ledger:
        asyncio.run(main(ledger))
        assert audit(ledger.reader).holds


@settings(max_examples=25, deadline=None)
@given(size=st.integers(1, 130), data=st.data())
def test_proofs_hold_between_any_two_sizes(
    size: int, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from firmground.ledger.log import Log

    store = SqliteStore.open(tmp_path_factory.mktemp("proofs") / "log.sqlite")
    _fill(store, size)
    log = Log(store)
    old = data.draw(st.integers(0, size))
    new = data.draw(st.integers(old, size))
    assert verify_consistency(
        old=old,
        new=new,
        old_root=log.root(old),
        new_root=log.root(new),
        path=log.consistency(old, new),
    )
    seq = data.draw(st.integers(0, size - 1))
    assert verify_inclusion(
        leaf=log.row(seq).hash,
        index=seq,
        size=size,
        path=log.inclusion(seq, size),
        root=log.root(size),
    )
    store.close()


def _fill(store: SqliteStore, size: int) -> None:
    from firmground.ledger.draft import EntryDraft
    from firmground.ledger.writer import Writer

    writer = Writer(store, largest_batch=7)
    futures = [
        writer.submit(EntryDraft(type="test", write=lambda place: b"%d" % place.seq))
        for _ in range(size)
    ]
    assert [future.result().seq for future in futures] == list(range(size))
    writer.close()


def test_a_proof_needs_a_number_of_reads_that_grows_with_the_logarithm(tmp_path: Path) -> None:
    from firmground.core.merkle import inclusion_path

    store = SqliteStore.open(tmp_path / "log.sqlite")
    _fill(store, 1000)
    reads: list[int] = []

    def counting(level: int, index: int) -> bytes:
        reads.append(1)
        return store.node(level, index)

    worst = 0
    for seq in range(0, 1000, 37):
        reads.clear()
        inclusion_path(seq, 1000, counting)
        worst = max(worst, len(reads))
    assert worst <= 2 * (1000).bit_length()
    store.close()


def test_run_ids_sort_by_time_and_are_of_version_seven() -> None:
    moment = datetime(2026, 11, 16, tzinfo=UTC)
    made = [uuid7(moment + timedelta(milliseconds=number)) for number in range(100)]
    assert made == sorted(made)
    assert len(set(made)) == 100
    assert all(uuid.UUID(each).version == 7 for each in made)
    assert all(uuid.UUID(each).variant == uuid.RFC_4122 for each in made)


def test_a_clock_that_jumps_back_breaks_nothing(tmp_path: Path) -> None:
    times = iter([datetime(2026, 11, 16, tzinfo=UTC) - timedelta(days=n) for n in range(100)])
    store = SqliteStore.open(tmp_path / "log.sqlite")
    with Ledger(store, signer=a_signer(tmp_path), policy=NEVER, clock=lambda: next(times)) as log:
        for _ in range(10):
            log.record(a_run(), label=LABEL)
            log.checkpoint()
        assert audit(log.reader).holds


def test_a_receipt_never_promises_more_than_the_entry_was_written_with(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with Ledger(SqliteStore.open(path, durability="process")) as weak:
        run_id = weak.record(a_run(), label=LABEL).run_id
    with Ledger(SqliteStore.open(path)) as full:
        receipt = full.receipt(run_id)
        assert (receipt.kept, receipt.durability) == (
            RecordPersistence.ACCEPTED,
            Durability.PROCESS,
        )


def test_what_a_run_said_can_be_read_back(tmp_path: Path) -> None:
    attempts = (AttemptReason.FIRST, AttemptReason.REGENERATE)
    with a_ledger(tmp_path) as ledger:
        receipt = ledger.record(a_run("hello", attempts=attempts), label=LABEL)
        stored = ledger.run(receipt.run_id)
        assert stored.payload(Stage.ANSWER) == b"hello/answer/1"
        assert stored.payload(Stage.ANSWER, attempt=0) == b"hello/answer/0"
        ledger.erase([receipt.run_id], actor="test", reason="asked", stages=(Stage.ANSWER,))
        with pytest.raises(RecordErased):
            ledger.run(receipt.run_id).payload(Stage.ANSWER)
        assert ledger.run(receipt.run_id).payload(Stage.QUESTION) == b"hello/question/0"


def test_a_fork_of_the_process_is_refused_in_words(tmp_path: Path) -> None:
    import os

    with a_ledger(tmp_path) as ledger:
        ledger._writer._process = os.getpid() + 1
        with pytest.raises(LedgerUnavailable, match="open the log here"):
            ledger.record(a_run(), label=LABEL)
        ledger._writer._process = os.getpid()


def test_entries_hold_the_time_and_no_payload(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        receipt = ledger.record(a_run("a secret"), label=LABEL)
        row = ledger.row(receipt.seq)
        entry = parse_entry(row.body)
        assert isinstance(entry.body, RunEntry)
        assert re.match(r"\d{4}-\d\d-\d\dT", entry.ts)
        leaves = b"".join(stage.body for stage in ledger.reader.stages(0, 1))
        assert b"secret" not in row.body + leaves
