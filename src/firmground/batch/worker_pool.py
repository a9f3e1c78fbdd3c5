"""Several processes that work ahead while results come out in order."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from itertools import chain, islice
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")

_ROWS_AT_ONCE = 8
_BYTES_AT_ONCE = 256 << 10
_SMALL = 8
"""Up to so many items no process is started: starting one costs more than it saves."""


def cores() -> int:
    """How many processes can really run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def side_by_side(
    items: Iterator[Item],
    work: Callable[[Item], Result],
    *,
    workers: int,
    weigh: Callable[[Item], int],
    died: Callable[[Item], Result],
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its result, in order, while several processes work ahead.

    ``work`` must be importable by name. ``died`` stands in for the result of an item that kills
    the process working on it. Few items are worked on here: a process costs more than it saves.
    """
    first = list(islice(items, _SMALL + 1))
    if workers == 1 or len(first) <= _SMALL:
        for item in chain(first, items):
            yield item, work(item)
        return
    crew = _WorkerPool(work, died, workers)
    bundles = _bundles(chain(first, items), weigh)
    try:
        for bundle in islice(bundles, 2 * workers):
            crew.give(bundle)
        while crew.waiting:
            done = crew.take()
            for bundle in islice(bundles, 1):
                crew.give(bundle)
            yield from done
    finally:
        crew.pool.shutdown(wait=True, cancel_futures=True)


def _bundles(items: Iterator[Item], weigh: Callable[[Item], int]) -> Iterator[tuple[Item, ...]]:
    """Send a few items at a time, fewer when they are large."""
    bundle: list[Item] = []
    size = 0
    for item in items:
        bundle.append(item)
        size += weigh(item)
        if len(bundle) >= _ROWS_AT_ONCE or size >= _BYTES_AT_ONCE:
            yield tuple(bundle)
            bundle, size = [], 0
    if bundle:
        yield tuple(bundle)


class _WorkerPool(Generic[Item, Result]):
    """Processes at work, and the bundles they were given, oldest first."""

    def __init__(
        self, work: Callable[[Item], Result], died: Callable[[Item], Result], workers: int
    ) -> None:
        self.work, self.died, self.workers = work, died, workers
        self.pool = _pool(workers)
        self.waiting: deque[tuple[tuple[Item, ...], Future[list[Result]]]] = deque()

    def give(self, bundle: tuple[Item, ...]) -> None:
        self.waiting.append((bundle, self.pool.submit(_work_bundle, self.work, bundle)))

    def take(self) -> list[tuple[Item, Result]]:
        bundle, future = self.waiting.popleft()
        try:
            results = future.result()
        except BrokenExecutor:
            results = [self._alone(item) for item in bundle]
            self._start_again()
        return list(zip(bundle, results, strict=True))

    def _alone(self, item: Item) -> Result:
        """Work on one item in a process of its own, after some process died of one like it."""
        with _pool(1) as pool:
            try:
                return pool.submit(self.work, item).result()
            except BrokenExecutor:
                return self.died(item)

    def _start_again(self) -> None:
        self.pool.shutdown(wait=True)
        self.pool = _pool(self.workers)
        again = [bundle for bundle, _ in self.waiting]
        self.waiting.clear()
        for bundle in again:
            self.give(bundle)


def _pool(workers: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # A forked child would inherit the locks of the thread that draws the progress bar.
    return ProcessPoolExecutor(
        max_workers=workers, mp_context=get_context("spawn"), initializer=_leave_interrupts_alone
    )


def _leave_interrupts_alone() -> None:
    """Let the process that gave the work decide what Ctrl-C means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work_bundle(work: Callable[[Item], Result], bundle: tuple[Item, ...]) -> list[Result]:
    return [work(item) for item in bundle]
