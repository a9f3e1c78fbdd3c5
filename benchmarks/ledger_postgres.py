"""What a log in PostgreSQL costs: each figure is a ratio measured in the same run.

Starts a server of its own (Debian's package). ``--large N`` sets the size of the large log.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import random
import resource
import statistics
import time
from pathlib import Path
from typing import Any

from tests.postgres_server import PostgresServer

from benchmarks.ledger import LABEL, a_run, fill, folder, show
from firmground.adapters.postgres import PostgresStore
from firmground.adapters.sqlite import SqliteStore
from firmground.adapters.stores import open_store
from firmground.core.run import Run
from firmground.ledger.audit import audit
from firmground.ledger.ledger import Ledger, RunDetails
from firmground.ledger.log import Log
from firmground.ledger.store import LedgerStore, StoreChange, Transaction

WRITERS = (1, 4, 16)
BATCH = 8
SECONDS = 4.0
BARE = """
DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare;
CREATE TABLE bare.entry (LIKE firmground.entry INCLUDING INDEXES);
CREATE TABLE bare.stage (LIKE firmground.stage INCLUDING INDEXES);
CREATE TABLE bare.vault (LIKE firmground.vault INCLUDING INDEXES);
CREATE TABLE bare.node (LIKE firmground.node INCLUDING INDEXES);
"""


class _Catching:
    """A transaction that keeps what was applied, to be written again by the bare loop."""

    def __init__(self, inner: Transaction, kept: list[StoreChange]) -> None:
        self._inner, self._kept = inner, kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def apply(self, change: StoreChange) -> None:
        self._kept.append(change)
        self._inner.apply(change)


def _a_change(address: str) -> StoreChange:
    """The rows of one batch, as the store is given them."""
    kept: list[StoreChange] = []
    store = PostgresStore.open(address)
    plain = store.transact

    def transact(work: Any) -> Any:
        return plain(lambda transaction: work(_Catching(transaction, kept)))

    store.transact = transact  # type: ignore[method-assign]
    with Ledger(store) as ledger:
        ledger.append(lambda reader: ledger.draft_run(a_run(0), label=LABEL)[0])
        kept.clear()
        ledger.record_all(_runs())
    return kept[-1]


def _runs() -> list[tuple[Run, RunDetails]]:
    return [(a_run(number), {"label": LABEL}) for number in range(BATCH)]


def _ours(address: str, ready: Any, go: Any, done: Any) -> None:
    runs = _runs()
    with Ledger(PostgresStore.open(address)) as ledger:
        ledger.record_all(runs)
        ready.release()
        go.wait()
        number, until = 0, time.monotonic() + SECONDS
        while time.monotonic() < until:
            ledger.record_all(runs)
            number += BATCH
        done.put(number)


def _bare(address: str, change: StoreChange, ready: Any, go: Any, done: Any) -> None:
    asyncio.run(_bare_loop(address, change, ready, go, done))


async def _bare_loop(address: str, change: StoreChange, ready: Any, go: Any, done: Any) -> None:
    """One lock, one look at the last row, the same rows, one commit."""
    import asyncpg

    connection = await asyncpg.connect(address.partition("?")[0])
    tables = (
        ("entry", ("bigint", "text", "text", "bytea", "bytea", "bytea"), change.entries),
        ("stage", ("bigint", "integer", "bytea"), change.stages),
        ("vault", ("bigint", "integer", "bytea", "bytea"), change.vault),
        ("node", ("integer", "bigint", "bytea"), change.nodes),
    )
    ready.release()
    await asyncio.to_thread(go.wait)
    number, until = 0, time.monotonic() + SECONDS
    while time.monotonic() < until:
        await connection.execute("BEGIN")
        await connection.fetch("SELECT pg_advisory_xact_lock(1)")
        found = await connection.fetch("SELECT seq FROM bare.entry ORDER BY seq DESC LIMIT 1")
        start = found[0][0] + 1 if found else 0
        shift = start - change.entries[0].seq
        for name, types, rows in tables:
            columns = [list(column) for column in zip(*rows, strict=True)]
            if name == "node":  # any place that is free
                columns[1] = [start * 64 + at for at in range(len(columns[1]))]
            else:
                columns[0] = [seq + shift for seq in columns[0]]
            if name == "entry":
                columns[2] = [f"{start}-{at}" for at in range(len(columns[2]))]
            marks = ", ".join(f"${at}::{kind}[]" for at, kind in enumerate(types, 1))
            await connection.execute(
                f"INSERT INTO bare.{name} SELECT * FROM unnest({marks})", *columns
            )
        await connection.execute("COMMIT")
        number += len(change.entries)
    done.put(number)
    await connection.close()


def _rate(writers: int, target: Any, *args: Any) -> float:
    """Records a second of so many processes."""
    context = multiprocessing.get_context("fork")
    ready, go, done = context.Semaphore(0), context.Event(), context.Queue()
    children = [
        context.Process(target=target, args=(*args, ready, go, done)) for _ in range(writers)
    ]
    for child in children:
        child.start()
    for _ in children:
        ready.acquire()
    began = time.monotonic()
    go.set()
    total: int = sum(done.get() for _ in children)
    seconds = time.monotonic() - began
    for child in children:
        child.join()
    return total / seconds


def appending(server: PostgresServer) -> None:
    address = server.address()
    change = _a_change(address)
    for writers in WRITERS:
        ratios, rates = [], []
        for _ in range(3):
            server.psql(BARE)
            bare = _rate(writers, _bare, address, change)
            ours = _rate(writers, _ours, address)
            ratios.append(ours / bare)
            rates.append((ours, bare))
        middle = sorted(range(3), key=ratios.__getitem__)[1]
        ours, bare = rates[middle]
        detail = f"{ours:.0f} against {bare:.0f} records a second, {BATCH} handed in at once"
        name = f"appends / bare loop, same rows and commits, {writers} writers"
        show(name, ratios[middle], "aim >= 0.50", detail)


def proving(server: PostgresServer, large: int) -> None:
    logs: dict[int, Log] = {}
    for size in (1_000, large):
        store = PostgresStore.open(server.address(f"proofs{size}"))
        fill(store, size)  # type: ignore[arg-type]
        logs[size] = Log(store)
    chance, costs = random.Random(7), {size: list[float]() for size in logs}
    for _ in range(7):
        for size, log in logs.items():
            places = [chance.randrange(size) for _ in range(60)]
            start = time.perf_counter()
            for seq in places:
                log.inclusion(seq, size)
            costs[size].append((time.perf_counter() - start) / len(places))
    small, big = (statistics.median(costs[size]) for size in logs)
    for log in logs.values():
        log.reader.close()  # type: ignore[attr-defined]
    detail = f"{big * 1e3:.1f} ms against {small * 1e3:.1f} ms"
    show(f"inclusion proof at {large:,} entries / at 1,000", big / small, "aim <= 3.00", detail)


def _audited(where: str, result: Any) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    store = open_store(where, create=False, vault_keys="")
    start = time.perf_counter()
    report = audit(store)
    seconds = time.perf_counter() - start
    assert report.holds, report.problems[:3]
    store.close()
    result.put((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))


def _audit_cost(where: str) -> tuple[float, int]:
    """Seconds and additional kilobytes of an audit, in a process of its own."""
    context = multiprocessing.get_context("fork")
    result = context.Queue()
    child = context.Process(target=_audited, args=(where, result))
    child.start()
    found: tuple[float, int] = result.get()
    child.join()
    return found


def _record(store: LedgerStore, size: int) -> None:
    with Ledger(store) as ledger:
        some = [a_run(number) for number in range(16)]
        runs = [(some[number % 16], {"label": LABEL}) for number in range(size)]
        ledger.record_all(runs)  # type: ignore[arg-type]


def auditing(server: PostgresServer, place: Path, large: int) -> None:
    sizes = (1_000, large)
    costs: dict[tuple[str, int], tuple[float, int]] = {}
    for size in sizes:
        file, address = str(place / f"{size}.sqlite"), server.address(f"audit{size}")
        _record(SqliteStore.open(file), size)
        _record(PostgresStore.open(address), size)
        costs["sqlite", size] = _audit_cost(file)
        costs["postgres", size] = _audit_cost(address)
    for kind in ("sqlite", "postgres"):
        (small, some), (big, more) = (costs[kind, size] for size in sizes)
        ratio = (big / large) / (small / 1_000)
        detail = f"{big / large * 1e6:.0f} µs a record; memory grew by {max(0, more - some)} kB"
        show(f"{kind}: audit of a record, {large:,} runs / 1,000", ratio, "aim <= 1.50", detail)
    ratio = costs["postgres", large][0] / costs["sqlite", large][0]
    show(f"audit of {large:,} runs, PostgreSQL / SQLite", ratio, "", "")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--audited", type=int, default=5_000)
    given = parser.parse_args()
    print(f"{'':<58}{'ratio':>8}")
    server = PostgresServer().start()
    try:
        with folder() as place:
            appending(server)
            proving(server, given.large)
            auditing(server, place, given.audited)
    finally:
        server.remove()


if __name__ == "__main__":
    main()
