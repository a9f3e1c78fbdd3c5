"""One writer thread: many callers submit, a batch is committed at once, then each is notified.

While one batch is being synced the next one gathers, so one sync serves many records. No caller is
told "recorded" before the commit has returned. A full queue, a full disk, a broken disk and a
closed log all raise ``LedgerUnavailable``; after the cause has gone, writing goes on.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from firmground.errors import FirmgroundError, LedgerError, LedgerUnavailable
from firmground.ledger.draft import (
    Acknowledged,
    BatchLayout,
    EntryDraft,
    PositionedEntry,
    RewrittenLogError,
)
from firmground.ledger.store import LedgerStore, StoreReader, Transaction

QUEUE = 2_000
BATCH = 1_000

Decide: TypeAlias = Callable[[StoreReader], EntryDraft]
Outcome: TypeAlias = "PositionedEntry | FirmgroundError"


class _Job(NamedTuple):
    work: EntryDraft | Decide
    future: Future[PositionedEntry] | asyncio.Future[PositionedEntry]


class Writer:
    """Owns the writing side of a store; safe to use from any thread of this process."""

    def __init__(
        self,
        store: LedgerStore,
        *,
        capacity: int = QUEUE,
        largest_batch: int = BATCH,
        told: Callable[[int], None] = lambda size: None,
    ) -> None:
        self._store = store
        self._capacity = capacity
        self._largest_batch = largest_batch
        self._told = told
        self._kept: Acknowledged | None = None
        self._jobs: deque[_Job] = deque()
        self._ready = threading.Condition()
        self._stopped_because = ""
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._loop, name="firmground-writer", daemon=True)
        self._thread.start()

    def submit(self, work: EntryDraft | Decide) -> Future[PositionedEntry]:
        """Submit an entry, or a decision to be taken in an exclusive transaction."""
        future: Future[PositionedEntry] = Future()
        self._queue(_Job(work, future))
        return future

    def submit_task(self, work: EntryDraft | Decide) -> asyncio.Future[PositionedEntry]:
        """The same for the running event loop, which is woken once for a whole batch."""
        future: asyncio.Future[PositionedEntry] = asyncio.get_running_loop().create_future()
        self._queue(_Job(work, future))
        return future

    def _queue(self, job: _Job) -> None:
        with self._ready:
            self._require_open()
            if len(self._jobs) >= self._capacity:
                raise LedgerUnavailable(
                    f"{len(self._jobs)} records are waiting to be written, which is the limit"
                )
            self._jobs.append(job)
            self._ready.notify()

    @property
    def waiting(self) -> int:
        """How many records are handed in and not yet taken up."""
        return len(self._jobs)

    def require_kept(self) -> None:
        """Compare what this writer acknowledged with what is stored now."""
        if self._kept is not None:
            self._kept.require_kept(self._store)

    def stop(self, because: str) -> None:
        """Accept nothing more; what is queued is still written."""
        with self._ready:
            self._stopped_because = self._stopped_because or because
            self._ready.notify()

    def close(self) -> None:
        """Write what is queued, then end the thread."""
        self.stop("the log is closed")
        if os.getpid() == self._process:
            self._thread.join()

    def _require_open(self) -> None:
        if self._stopped_because:
            raise LedgerUnavailable(self._stopped_because)
        if os.getpid() != self._process or not self._thread.is_alive():
            raise LedgerUnavailable("this process has no writer for the log; open the log here")

    def _loop(self) -> None:
        try:
            while jobs := self._take():
                self._write(jobs)
        finally:
            self.stop("the writer has ended")
            ended = LedgerUnavailable(self._stopped_because)
            _tell_all([(job, ended) for job in self._jobs])

    def _take(self) -> list[_Job]:
        with self._ready:
            while not self._jobs and not self._stopped_because:
                self._ready.wait()
            number = min(len(self._jobs), self._largest_batch)
            return [self._jobs.popleft() for _ in range(number)]

    def _write(self, jobs: list[_Job]) -> None:
        try:
            outcomes, kept = self._store.transact(lambda transaction: self._lay(transaction, jobs))
        except RewrittenLogError as error:
            self.stop(str(error))
            _tell_all([(job, error) for job in jobs])
            return
        except Exception as error:  # noqa: BLE001 - a store is other people's code: tell, go on
            self._failed(jobs, error)
            return
        self._kept = kept
        self._told(kept.frontier.size)
        _tell_all(list(zip(jobs, outcomes, strict=True)))

    def _failed(self, jobs: list[_Job], error: Exception) -> None:
        """One record that cannot be written must not take its neighbours with it."""
        if len(jobs) > 1 and not isinstance(error, LedgerUnavailable):
            for job in jobs:
                self._write([job])
            return
        reason = error if isinstance(error, FirmgroundError) else LedgerUnavailable(str(error))
        _tell_all([(job, reason) for job in jobs])

    def _lay(
        self, transaction: Transaction, jobs: list[_Job]
    ) -> tuple[list[Outcome], Acknowledged]:
        layout = BatchLayout(transaction, self._kept)
        outcomes = [_place(layout, transaction, job.work) for job in jobs]
        layout.flush()
        if transaction.head() != layout.head:
            raise LedgerError("the store took the entries and does not have them; none is kept")
        return outcomes, layout.acknowledged


def _place(layout: BatchLayout, transaction: Transaction, work: EntryDraft | Decide) -> Outcome:
    if not isinstance(work, EntryDraft):
        layout.flush()  # when this fails, the whole batch has failed, not this one decision
    try:
        return layout.add(work if isinstance(work, EntryDraft) else work(transaction))
    except FirmgroundError as error:
        return error


def _tell_all(told: list[tuple[_Job, Outcome]]) -> None:
    """Tell threads one by one, and each event loop once for all its tasks."""
    loops: dict[
        asyncio.AbstractEventLoop, list[tuple[asyncio.Future[PositionedEntry], Outcome]]
    ] = {}
    for (_, future), outcome in told:
        if isinstance(future, asyncio.Future):
            loops.setdefault(future.get_loop(), []).append((future, outcome))
        elif future.set_running_or_notify_cancel():
            _settle(future, outcome)
    for loop, tasks in loops.items():
        with suppress(RuntimeError):  # the loop was closed: no caller is left to notify
            loop.call_soon_threadsafe(_settle_tasks, tasks)


def _settle_tasks(tasks: list[tuple[asyncio.Future[PositionedEntry], Outcome]]) -> None:
    for future, outcome in tasks:
        if not future.done():
            _settle(future, outcome)


def _settle(
    future: Future[PositionedEntry] | asyncio.Future[PositionedEntry], outcome: Outcome
) -> None:
    if isinstance(outcome, FirmgroundError):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
