"""Nobody is told "recorded" before it is, and nobody waits for a neighbour's mistake."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from tests.ledger.open_log import LABEL, a_ledger, a_run

from firmground.adapters.sqlite import SqliteStore
from firmground.errors import AppendOnlyViolation, InputError, LedgerUnavailable
from firmground.ledger.audit import audit
from firmground.ledger.draft import EntryDraft, EntryPosition
from firmground.ledger.store import StoreChange, StoreReader, Transaction
from firmground.ledger.writer import Writer

T = TypeVar("T")


class SlowStore(SqliteStore):
    """A store whose commits wait until they are let through, or fail as they are told."""

    gate: threading.Event
    entered: threading.Event
    error: Exception | None
    batches: list[int]

    def transact(self, work: Callable[[Transaction], T]) -> T:
        before = self.head().size
        self.entered.set()
        self.gate.wait()
        if self.error is not None:
            raise self.error
        result = super().transact(work)
        self.batches.append(self.head().size - before)
        return result


@pytest.fixture
def store(tmp_path: Path) -> SlowStore:
    opened = SlowStore.open(tmp_path / "log.sqlite")
    assert isinstance(opened, SlowStore)
    opened.gate, opened.entered = threading.Event(), threading.Event()
    opened.error, opened.batches = None, []
    opened.gate.set()
    return opened


def _draft(text: str = "x", *, run: str | None = None) -> EntryDraft:
    return EntryDraft(type="test", write=lambda place: f"{text} {place.seq}".encode(), run=run)


def test_nothing_is_acknowledged_before_the_commit_returns(store: SlowStore) -> None:
    store.gate.clear()
    writer = Writer(store)
    future = writer.submit(_draft())
    store.entered.wait()
    assert not future.done()
    assert store.head().size == 0
    store.gate.set()
    assert future.result().seq == 0
    writer.close()
    store.close()


def test_what_gathers_while_the_disk_works_is_committed_at_once(store: SlowStore) -> None:
    store.gate.clear()
    writer = Writer(store)
    futures = [writer.submit(_draft())]
    store.entered.wait()
    futures += [writer.submit(_draft()) for _ in range(100)]
    store.gate.set()
    assert [future.result().seq for future in futures] == list(range(101))
    assert store.batches == [1, 100]
    writer.close()
    store.close()


def test_a_full_queue_says_no_at_once_and_takes_again_later(store: SlowStore) -> None:
    store.gate.clear()
    writer = Writer(store, capacity=3)
    first = writer.submit(_draft())
    store.entered.wait()
    queued = [writer.submit(_draft()) for _ in range(3)]
    with pytest.raises(LedgerUnavailable, match="3 records are waiting"):
        writer.submit(_draft())
    store.gate.set()
    assert [future.result().seq for future in (first, *queued)] == [0, 1, 2, 3]
    assert writer.submit(_draft()).result().seq == 4
    writer.close()
    store.close()


def test_a_disk_that_says_no_is_never_called_recorded_and_is_used_again_later(
    store: SlowStore,
) -> None:
    writer = Writer(store)
    store.error = LedgerUnavailable("disk full")
    refused = [writer.submit(_draft()) for _ in range(5)]
    for future in refused:
        with pytest.raises(LedgerUnavailable, match="disk full"):
            future.result()
    store.error = None
    assert writer.submit(_draft()).result().seq == 0
    writer.close()
    store.close()


def test_a_store_that_breaks_in_an_unknown_way_is_unavailable_too(store: SlowStore) -> None:
    writer = Writer(store)
    store.error = OSError("the cable is out")
    with pytest.raises(LedgerUnavailable, match="the cable is out"):
        writer.submit(_draft()).result()
    store.error = None
    assert writer.submit(_draft()).result().seq == 0
    writer.close()
    store.close()


def test_one_bad_record_does_not_take_its_neighbours_with_it(store: SlowStore) -> None:
    store.gate.clear()
    writer = Writer(store)
    writer.submit(_draft(run="a"))
    store.entered.wait()
    good = [writer.submit(_draft(run="b"))]
    twice = writer.submit(_draft(run="a"))
    good.append(writer.submit(_draft(run="c")))
    store.gate.set()
    with pytest.raises(AppendOnlyViolation):
        twice.result()
    assert [future.result().seq for future in good] == [1, 2]
    writer.close()
    store.close()


def test_an_entry_that_cannot_be_written_leaves_no_hole(store: SlowStore) -> None:
    def impossible(place: EntryPosition) -> bytes:
        raise InputError("no such field")

    writer = Writer(store)
    bad = writer.submit(EntryDraft(type="test", write=impossible))
    good = writer.submit(_draft())
    with pytest.raises(InputError):
        bad.result()
    assert good.result().seq == 0
    writer.close()
    store.close()


def test_a_decision_sees_everything_that_came_before_it(store: SlowStore) -> None:
    seen: list[int] = []

    def decide(reader: StoreReader) -> EntryDraft:
        seen.append(reader.head().size)
        return _draft()

    store.gate.clear()
    writer = Writer(store)
    writer.submit(_draft())
    store.entered.wait()
    futures = [writer.submit(_draft()), writer.submit(decide), writer.submit(decide)]
    store.gate.set()
    assert [future.result().seq for future in futures] == [1, 2, 3]
    assert seen == [2, 3]
    assert store.batches == [1, 3]
    writer.close()
    store.close()


def test_closing_writes_what_is_queued_and_then_says_no(store: SlowStore) -> None:
    store.gate.clear()
    writer = Writer(store)
    futures = [writer.submit(_draft()) for _ in range(50)]
    threading.Timer(0.05, store.gate.set).start()
    writer.close()
    assert [future.result().seq for future in futures] == list(range(50))
    with pytest.raises(LedgerUnavailable, match="closed"):
        writer.submit(_draft())
    store.close()


def test_an_entry_and_what_changes_with_it_are_kept_together_or_not_at_all(
    store: SlowStore,
) -> None:
    def also(seq: int) -> StoreChange:
        return StoreChange(burned=((1, 2, 3),))  # type: ignore[arg-type]

    writer = Writer(store)
    bad = writer.submit(EntryDraft(type="test", write=lambda place: b"x", also=also))
    with pytest.raises(LedgerUnavailable):
        bad.result()
    assert store.head().size == 0
    assert writer.submit(_draft()).result().seq == 0
    writer.close()
    store.close()


def test_sixty_four_threads_leave_one_unbroken_log(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        seqs: list[int] = []

        def work(name: int) -> None:
            for number in range(5):
                receipt = ledger.record(a_run(f"{name}/{number}"), label=LABEL)
                seqs.append(receipt.seq)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seqs) == list(range(320))
        assert audit(ledger.reader).holds
