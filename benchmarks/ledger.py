"""What proof costs: each figure is a ratio to the bare work, measured in the same run.

Ratios survive a slow or busy machine; seconds do not. Where both sides are measured more than once
they take turns, and the median counts.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import apsw

from firmground.adapters.sqlite import SqliteStore
from firmground.core.merkle import Frontier, leaf_hash
from firmground.core.run import AttemptReason, Node, Run, Shape, Stage, stage_plan
from firmground.ledger.bundle import verify_bundle
from firmground.ledger.draft import EntryDraft, EntryPosition
from firmground.ledger.ledger import Ledger
from firmground.ledger.log import Log
from firmground.ledger.signing import CheckpointSigner
from firmground.ledger.store import EntryRow, NodeRow, StoreChange, Transaction

T = TypeVar("T")

LABEL = {"audit_mode": "STRICT", "step": "proceed"}
PAYLOAD = 256
PRODUCERS = 64
RECORDS = 3_200
SMALL, LARGE = 1_000, 1_000_000


def a_run(seed: int) -> Run:
    chance = random.Random(seed)
    plan = stage_plan(shape=Shape.QUOTE, preflight=True)
    nodes = tuple(
        Node(stage=p.stage, attempt=p.attempt, payload=chance.randbytes(PAYLOAD)) for p in plan
    )
    return Run(shape=Shape.QUOTE, preflight=True, attempts=(AttemptReason.FIRST,), nodes=nodes)


def show(what: str, ratio: float, aim: str, detail: str) -> None:
    print(f"{what:<58}{ratio:>8.2f}   {aim:<14}{detail}", flush=True)


def cpu(work: Callable[[], object], times: int) -> float:
    """CPU seconds for one call, the median over five rounds."""
    rounds = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(times):
            work()
        rounds.append((time.process_time() - start) / times)
    return statistics.median(rounds)


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="firmground-bench-") as name:
        yield Path(name)


def building() -> None:
    with folder() as place, Ledger(SqliteStore.open(place / "log.sqlite")) as ledger:
        run = a_run(0)
        first, _ = ledger.draft_run(run, label=LABEL)
        blobs = [first.write(EntryPosition(1, bytes(range(32)))), *first.stages]
        blobs += [salt + payload for salt, payload in first.vault]

        def record() -> None:
            draft, _ = ledger.draft_run(run, label=LABEL)
            draft.write(EntryPosition(1, bytes(range(32))))

        ours = cpu(record, 500)
        bare = cpu(lambda: [hashlib.sha256(blob).digest() for blob in blobs], 2_000)
    detail = f"{ours * 1e6:.0f} µs against {bare * 1e6:.0f} µs of CPU"
    show("build an 8-stage record / hash the same bytes", ours / bare, "", detail)


class Watching(SqliteStore):
    """A store that remembers how large its batches were."""

    batches: list[int]

    def transact(self, work: Callable[[Transaction], T]) -> T:
        before = self._writing.execute("SELECT coalesce(max(seq), -1) + 1 FROM entry").get
        result = super().transact(work)
        after = self._writing.execute("SELECT coalesce(max(seq), -1) + 1 FROM entry").get
        self.batches.append(after - before)
        return result


Took = tuple[float, float]
"""(seconds on the clock, seconds of CPU)"""


def stopwatch() -> Callable[[], Took]:
    wall, used = time.perf_counter(), time.process_time()
    return lambda: (time.perf_counter() - wall, time.process_time() - used)


def append_ours(path: Path, runs: list[Run], *, sealed: bool) -> tuple[Took, list[int]]:
    """What it takes all producers to have everything acknowledged, and in which batches."""
    store = Watching.open(path)
    assert isinstance(store, Watching)
    store.batches = []

    async def produce(ledger: Ledger, mine: Sequence[Run | EntryDraft]) -> None:
        for each in mine:
            if isinstance(each, EntryDraft):
                await ledger.append_task(each)
            else:
                await ledger.arecord(each, label=LABEL)

    async def everybody(ledger: Ledger, work: Sequence[Run | EntryDraft]) -> None:
        await asyncio.gather(*(produce(ledger, work[n::PRODUCERS]) for n in range(PRODUCERS)))

    with Ledger(store) as ledger:
        work = [ledger.draft_run(run, label=LABEL)[0] for run in runs] if sealed else runs
        took = stopwatch()
        asyncio.run(everybody(ledger, work))
        return took(), store.batches


TABLES = {
    "entry": "seq, type, run, prev, hash, body",
    "stage": "id, body",
    "vault": "id, salt, payload",
    "node": "id, hash",
}


def append_bare(path: Path, source: Path, batches: list[int]) -> Took:
    """What it takes one plain loop to insert the same blobs in the same batches."""
    old = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
    rows = {t: old.execute(f"SELECT {c} FROM {t} ORDER BY 1").fetchall() for t, c in TABLES.items()}
    old.close()
    parts = [_cut(rows, *edges) for edges in _edges(batches)]
    new = apsw.Connection(str(path))
    new.execute("PRAGMA journal_mode = WAL")
    new.execute("PRAGMA synchronous = FULL")
    for table, columns in TABLES.items():
        names = columns.split(", ", 1)
        new.execute(f"CREATE TABLE {table}({names[0]} INTEGER PRIMARY KEY, {names[1]})")
    took = stopwatch()
    for part in parts:
        new.execute("BEGIN IMMEDIATE")
        for table, chunk in part.items():
            marks = ", ".join("?" * len(TABLES[table].split(", ")))
            new.executemany(f"INSERT INTO {table} VALUES ({marks})", chunk)
        new.execute("COMMIT")
    spent = took()
    new.close()
    return spent


def _edges(batches: list[int]) -> Iterator[tuple[int, int]]:
    start = 0
    for size in filter(None, batches):
        yield start, start + size
        start += size


def _cut(
    rows: dict[str, list[tuple[object, ...]]], start: int, end: int
) -> dict[str, list[tuple[object, ...]]]:
    def between(table: str, low: int, high: int) -> list[tuple[object, ...]]:
        return [row for row in rows[table] if low <= int(str(row[0])) < high]

    return {
        "entry": between("entry", start, end),
        "stage": between("stage", start << 10, end << 10),
        "vault": between("vault", start << 10, end << 10),
        "node": between("node", 2 * start - start.bit_count(), 2 * end - end.bit_count()),
    }


def appending(*, sealed: bool) -> None:
    runs = [a_run(number) for number in range(RECORDS)]
    ours, bare, sizes = [], [], []
    with folder() as place:
        for number in range(5):
            path = place / f"ours{number}.sqlite"
            took, batches = append_ours(path, runs, sealed=sealed)
            ours.append(took)
            sizes += batches
            bare.append(append_bare(place / f"bare{number}.sqlite", path, batches))
            path.unlink()
    ratio = statistics.median(b[0] / o[0] for b, o in zip(bare, ours, strict=True))
    (wall, used), (plain_wall, plain_used) = (
        tuple(statistics.median(column) / RECORDS for column in zip(*side, strict=True))
        for side in (ours, bare)
    )
    detail = (
        f"{1 / wall:.0f}/s against {1 / plain_wall:.0f}/s ({used * 1e6:.0f} µs against "
        f"{plain_used * 1e6:.0f} µs of CPU), {PRODUCERS} producers, "
        f"{statistics.mean(sizes):.0f} records a commit"
    )
    if sealed:
        show("durable appends / bare loop, same blobs and batches", ratio, "aim >= 0.60", detail)
    else:
        show("  the same with sealing inside the measurement", ratio, "", detail)


def fill(store: SqliteStore, size: int) -> None:
    """The bulk path: real rows, chained and with every tree node, 20,000 entries a commit.

    The entries are short texts instead of records; proofs depend on the tree alone.
    """
    frontier, last = Frontier(), bytes(32)
    for start in range(0, size, 20_000):
        entries, nodes = [], []
        for seq in range(start, min(size, start + 20_000)):
            body = b"entry %d" % seq
            value = leaf_hash(body)
            entries.append(EntryRow(seq, "bulk", None, last, value, body))
            frontier, made = frontier.append(value)
            nodes += [NodeRow(*node) for node in made[1:]]
            last = value
        change = StoreChange(entries=tuple(entries), nodes=tuple(nodes))
        store.transact(lambda transaction, change=change: transaction.apply(change))  # type: ignore[misc]


def proving() -> None:
    with folder() as place:
        logs = {}
        for size in (SMALL, LARGE):
            store = SqliteStore.open(place / f"{size}.sqlite")
            fill(store, size)
            logs[size] = Log(store)
        chance = random.Random(7)
        costs: dict[int, list[float]] = {SMALL: [], LARGE: []}
        for _ in range(9):  # in turns, so that a busy moment meets both
            for size, log in logs.items():
                places = [chance.randrange(size) for _ in range(200)]
                start = time.process_time()
                for seq in places:
                    log.inclusion(seq, size)
                costs[size].append((time.process_time() - start) / len(places))
        small, large = (statistics.median(costs[size]) for size in (SMALL, LARGE))
        for log in logs.values():
            log.reader.close()  # type: ignore[attr-defined]
    detail = f"{large * 1e6:.0f} µs against {small * 1e6:.0f} µs of CPU"
    show("inclusion proof at 1,000,000 entries / at 1,000", large / small, "aim <= 3.00", detail)


def verifying() -> None:
    with folder() as place:
        signer = CheckpointSigner.create(place / "log.key", "example.org/log")
        with Ledger(SqliteStore.open(place / "log.sqlite"), signer=signer) as ledger:
            receipts = [ledger.record(a_run(n), label=LABEL) for n in range(100)]
            bundle = ledger.export(receipts[50].run_id, disclose=tuple(Stage)[:1]).data
        key = signer.verifier
        message = b"DSSEv1 message"
        signature = signer.sign(message)
        assert verify_bundle(bundle, keys=[key]).valid
        ours = cpu(lambda: verify_bundle(bundle, keys=[key]), 200)
        bare = cpu(lambda: key.verify(message, signature), 500)
    detail = f"{ours * 1e6:.0f} µs against {bare * 1e6:.0f} µs of CPU; it checks two signatures"
    show("verify a bundle / verify one Ed25519 signature", ours / bare, "", detail)


def main() -> None:
    print(f"{'':<58}{'ratio':>8}")
    building()
    appending(sealed=True)
    appending(sealed=False)
    proving()
    verifying()


if __name__ == "__main__":
    main()
