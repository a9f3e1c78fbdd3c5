"""Conformance suite for ledger stores: what a database must promise to keep a log.

>>> import tempfile
>>> from firmground.testing import check_ledger_store, store_in
>>> with tempfile.TemporaryDirectory() as folder:
...     check_ledger_store(store_in(folder), reopen=lambda: store_in(folder))
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from firmground.core.merkle import frontier_of, leaf_hash
from firmground.core.run import AttemptReason, Node, Run, Shape, Stage, stage_plan
from firmground.errors import LedgerError, RecordErased, RecordNotFound
from firmground.ledger.audit import audit
from firmground.ledger.entry import parse_entry
from firmground.ledger.ledger import Ledger
from firmground.ledger.replay import LogPart
from firmground.ledger.store import (
    NO_ENTRY,
    CacheRow,
    CheckpointRow,
    EdgeRow,
    EntryRow,
    Head,
    LedgerStore,
    StoreChange,
    Transaction,
)

_THREADS, _EACH = 4, 5
_ENDING = "-0000-7000-8000-000000000000"
# In the order of their bytes; a collation that passes over hyphens has another one.
_RUNS = (
    *(f"{start}{_ENDING}" for start in ("09999999", "9aaaaaaa", "a0000000")),
    "a0000000-0001-7000-8000-000000000000",
    *(f"{start}{_ENDING}" for start in ("a0000001", "a1000000", "b0000000")),
)
_SECOND = f"d0000000{_ENDING}"
_BYTES = bytes(range(256))


def check_ledger_store(
    store: LedgerStore, *, reopen: Callable[[], LedgerStore] | None = None
) -> None:
    """Check an empty, open ``LedgerStore``; it is filled, and closed at the end.

    ``reopen`` opens the same log once more, as another process would: then it is checked as well
    that writers exclude each other, that names are claimed by one alone, and that everything is
    there after a close.
    """
    _check_empty(store)
    log = Ledger(store)
    try:
        _check_runs(log)
        _check_ranges(store)
        _check_tree(store)
        _check_places(store)
        _check_all_or_nothing(store)
        _check_checkpoints(store)
        _check_erasure(log)
        _check_cache(store)
        _check_threads(log)
        if reopen is not None:
            _check_second(store, reopen())
        assert not store.defects(), f"the store names defects: {store.defects()}"
        found = [one for one in audit(store).problems if one.part is not LogPart.CHECKPOINT]
        assert not found, f"an audit finds: {found[:3]}"
        store.flush()
        scrubbed = store.scrub()
        assert store.scrub_pending() is not scrubbed, "erased bytes are pending until scrubbed"
        size = store.head().size
    finally:
        log.close()
    store.close()  # closing twice is fine
    if reopen is not None:
        again = reopen()
        assert again.head().size == size, "everything is there after a close"
        again.close()


def _check_empty(store: LedgerStore) -> None:
    assert store.head() == Head(size=0, last=NO_ENTRY), "an empty store begins at 0"
    assert store.find_run("nobody") is None, "a run that was never kept is not found"
    assert store.runs(1 << 53, 10) == (), "an empty store lists no runs"
    assert store.checkpoints() == (), "an empty store has no checkpoints"
    assert store.cache_rows() == (), "an empty store has no cache rows"
    assert list(store.erased()) == [], "nothing is erased in an empty store"
    assert store.node_count() == 0, "an empty store has no tree nodes"
    for level in (0, 1):
        try:
            store.node(level, 0)
        except RecordNotFound:
            continue
        raise AssertionError("a tree node that is not there raises RecordNotFound")


def _check_runs(log: Ledger) -> None:
    payloads = (b"", _BYTES, b"x" * (1 << 20), "é\U0001f600".encode(), b"0", b"one", b"two")
    for number, (name, payload) in enumerate(zip(_RUNS, payloads, strict=True)):
        receipt = log.record(a_run(payload), run_id=name, label={"decision": name})
        assert receipt.seq == number, "entries are numbered in the order written"
        kept = log.run(name)
        assert dict(kept.body.label)["decision"] == name, "an entry is read as it was written"
        assert kept.payload(Stage.ANSWER) == payload, "payloads are read byte for byte"
        assert log.store.find_run(name) == number, "a run is found by its id"
    store, size = log.store, len(_RUNS)
    assert store.head().size == size, "the head counts the entries"
    listed = [row.run for row in store.runs(size, 3)]
    assert listed == list(reversed(_RUNS))[:3], "runs are listed newest first"
    assert [row.run for row in store.runs(2, 9)] == [_RUNS[1], _RUNS[0]], "before is exclusive"
    assert store.runs_beginning("a000000", 9) == _RUNS[2:5], "beginnings go by bytes"
    assert store.runs_beginning("a", 3) == _RUNS[2:5], "no more are returned than asked for"
    assert store.runs_beginning("", 2) == _RUNS[:2], "run ids are ordered by their bytes"
    for odd in ("a%", "A", "zz", "a0000000_"):
        assert store.runs_beginning(odd, 9) == (), f"no run begins with {odd}"


def _check_ranges(store: LedgerStore) -> None:
    size = store.head().size
    rows = list(store.entries(0, 1 << 53))
    assert [row.seq for row in rows] == list(range(size)), "entries come in order, each once"
    assert all(leaf_hash(row.body) == row.hash for row in rows), "bodies are the bytes hashed"
    assert list(store.entries(2, 4)) == rows[2:4], "a range ends before its stop"
    for start, stop in ((3, 3), (4, 3), (size, size + 5)):
        assert list(store.entries(start, stop)) == [], f"entries({start}, {stop}) is empty"
    for name, found in (("stages", store.stages(1, 3)), ("vault", store.vault(1, 3))):
        places = [(row.seq, row.ord) for row in found]
        assert places == sorted(places), f"{name} come in order"
        assert {seq for seq, _ in places} == {1, 2}, f"{name} of a range are those of its entries"


def _check_tree(store: LedgerStore) -> None:
    size = store.head().size
    assert store.node_count() == size - size.bit_count(), "each complete subtree is stored once"
    frontier = frontier_of(0, store.node)
    for row in store.entries(0, size):
        frontier, made = frontier.append(row.hash)
        for level, index, value in made:
            assert store.node(level, index) == value, f"node({level}, {index}) is as written"
    assert frontier_of(size, store.node).root() == frontier.root(), "nodes give the tree's root"


def _check_places(store: LedgerStore) -> None:
    """A place is given once: what does not follow the last entry is refused."""
    size, last = store.head()
    body = next(store.entries(0, 1)).body
    wrong = (
        ("an entry on a taken place", EntryRow(size - 1, "hook", None, last, b"\1" * 32, body)),
        ("an entry behind a gap", EntryRow(size + 1, "hook", None, last, b"\1" * 32, body)),
        ("an entry that names another predecessor",
         EntryRow(size, "hook", None, b"\2" * 32, b"\1" * 32, body)),
        ("a second entry for a run", EntryRow(size, "run", _RUNS[0], last, b"\1" * 32, body)),
    )  # fmt: skip
    for what, row in wrong:
        with suppress(LedgerError):
            store.transact(_applies(StoreChange(entries=(row,))))
            raise AssertionError(f"{what} must be refused")
        assert store.head() == Head(size, last), f"{what} leaves nothing behind"


def _applies(change: StoreChange) -> Callable[[Transaction], None]:
    return lambda transaction: transaction.apply(change)


class _Stop(Exception):  # noqa: N818 - ends a transaction on purpose
    pass


def _check_all_or_nothing(store: LedgerStore) -> None:
    before = store.head()
    row = CheckpointRow(size=1, note=b"never kept")

    def fails(transaction: Transaction) -> None:
        transaction.apply(
            StoreChange(checkpoints=(row,), cached=(CacheRow("t", b"k", 0, "live", 0),))
        )
        assert transaction.checkpoints() == (row,), "a transaction reads what it wrote"
        assert not store.checkpoints(), "nobody else sees a transaction before it ends"
        raise _Stop

    try:
        store.transact(fails)
    except _Stop:
        pass
    else:
        raise AssertionError("an error of the work must reach the caller")
    assert store.head() == before, "a transaction that fails leaves the head as it was"
    assert not store.checkpoints(), "a transaction that fails leaves nothing behind"
    assert store.cache_row("t", b"k") is None, "a transaction that fails leaves nothing behind"
    assert store.transact(lambda _: 7) == 7, "transact returns what the work returned"


def _check_checkpoints(store: LedgerStore) -> None:
    rows = (
        CheckpointRow(1, b"note a"),
        CheckpointRow(3, b"note \xff"),
        CheckpointRow(3, b"note c"),
    )
    for row in rows:
        store.transact(_applies(StoreChange(checkpoints=(row,))))
    assert store.checkpoints() == rows, "notes come by size, then in the order they came"
    assert store.checkpoints(newest=1) == rows[2:], "the newest note is the last one"
    assert store.checkpoints(newest=2) == rows[1:], "the newest notes come in order"


def _check_erasure(log: Ledger) -> None:
    log.erase([_RUNS[1]], actor="conformance", reason="test", stages=[Stage.ANSWER])
    try:
        log.run(_RUNS[1]).payload(Stage.ANSWER)
    except RecordErased:
        pass
    else:
        raise AssertionError("an erased payload cannot be read")
    by = log.store.head().size - 1
    marks = list(log.store.erased())
    assert {(mark.seq, mark.by) for mark in marks} == {(1, by)}, "erasures are marked"
    assert parse_entry(log.row(by).body).body.type == "erase", "an erasure is an entry"
    assert log.store.acts("erase") == (by,), "acts are found by their type"
    assert log.store.acts("erase", after=by) == (), "acts(after=) is exclusive"
    assert log.store.acts("run") == (), "a run is no act"
    assert log.run(_RUNS[0]).payload(Stage.ANSWER) == b"", "other payloads stay"
    left = {row.ord for row in log.store.vault(1, 2)}
    assert left.isdisjoint(mark.ord for mark in marks), "a wiped row is not read any more"


def _check_cache(store: LedgerStore) -> None:
    rows = tuple(
        CacheRow(tenant, key, seq, "live", seq)
        for tenant, key, seq in (("a", _BYTES, 0), ("B", b"\0", 2), ("é", b"k", 1))
    )
    edge = EdgeRow("a", b"child", _BYTES)
    store.transact(_applies(StoreChange(cached=rows, edges=(edge, edge))))
    assert store.cache_rows() == (rows[0], rows[2], rows[1]), "cache rows come by entry"
    assert store.cache_rows("é") == (rows[2],), "cache rows of a tenant are its own"
    assert store.cache_row("a", _BYTES) == rows[0], "a cache row is found by tenant and key"
    assert store.cache_row("A", _BYTES) is None, "tenants are told apart by every letter"
    assert store.edges("a", _BYTES) == (edge,), "an edge is kept once"
    stale = rows[0]._replace(state="stale", changed=3)
    store.transact(_applies(StoreChange(cached=(stale,), burned=(("B", b"\0"),))))
    assert store.cache_row("a", _BYTES) == stale, "a cache row takes another state"
    assert store.cache_row("B", b"\0") is None, "a burned row is gone"
    store.transact(_applies(StoreChange(forgotten=((0, _BYTES), (1, None)))))
    assert store.cache_rows() == (), "a forgotten run has no cache row"
    assert store.edges("a", _BYTES) == (), "a forgotten key has no edges"


def _check_threads(log: Ledger) -> None:
    before, seen = log.size(), list[int]()

    def write(name: int) -> None:
        for number in range(_EACH):
            run = a_run(b"thread")
            receipt = log.record(
                run, run_id=f"c00000{name}{number}{_ENDING}", label={"decision": "x"}
            )
            seen.append(receipt.seq)

    threads = [threading.Thread(target=write, args=(name,)) for name in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = list(range(before, before + _THREADS * _EACH))
    assert sorted(seen) == wanted, "each thread's records get places of their own"
    _check_chain(log.store)


def _check_chain(store: LedgerStore) -> None:
    last = NO_ENTRY
    for number, row in enumerate(store.entries(0, store.head().size)):
        assert (row.seq, row.prev) == (number, last), f"entry {number} follows the one before"
        last = row.hash


def _check_second(store: LedgerStore, other: LedgerStore) -> None:
    """Two who opened one log: writers take turns, a name has one holder."""
    inside, size = threading.Event(), store.head().size
    assert other.head() == store.head(), "every reader of the log sees all of it"

    def slowly(transaction: Transaction) -> int:
        inside.set()
        assert not done.wait(0.3), "two transactions run at once"
        return transaction.head().size

    done = threading.Event()

    def second() -> None:
        inside.wait(30)
        other.transact(lambda transaction: transaction.head())
        done.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert store.transact(slowly) == size, "a transaction reads the log it found"
    thread.join(60)
    assert done.is_set(), "the next writer gets its turn"
    held = store.claim(b"name", wait=True)
    assert held is not None, "a name that nobody holds is given"
    assert other.claim(b"name", wait=False) is None, "a name that is held is not given again"
    assert store.claim(b"name", wait=False) is None, "not to its holder's own process either"
    free = other.claim(b"other name", wait=False)
    assert free is not None, "another name is free"
    free.release()
    held.release()
    held.release()
    again = other.claim(b"name", wait=True)
    assert again is not None, "a released name is given again"
    again.release()
    with Ledger(other) as log:  # closes it
        log.record(a_run(b"second"), run_id=_SECOND, label={"decision": "x"})
    assert store.find_run(_SECOND) == size, "what another opener wrote is seen"
    _check_chain(store)


def a_run(payload: bytes) -> Run:
    """Return a run whose every stage holds this payload."""
    plan = stage_plan(shape=Shape.QUOTE, preflight=False, attempts=(AttemptReason.FIRST,))
    nodes = tuple(Node(stage=one.stage, attempt=one.attempt, payload=payload) for one in plan)
    return Run(shape=Shape.QUOTE, preflight=False, attempts=(AttemptReason.FIRST,), nodes=nodes)
