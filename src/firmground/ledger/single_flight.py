"""However many ask at once, one computes: threads and tasks of one process share the result."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

from firmground.errors import LedgerUnavailable

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Lets the first caller of a key compute and everybody else wait for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tasks: set[asyncio.Task[T]] = set()
        self._flights: dict[Hashable, Future[T]] = {}

    def run(self, key: Hashable, compute: Callable[[], T]) -> tuple[T, bool]:
        """Return the result and whether this caller computed it; failures are shared too."""
        flight, mine = self._join(key)
        if not mine:
            return flight.result(), False
        try:
            result = compute()
        except BaseException as error:
            self._land(key, flight).set_exception(_shareable(error))
            raise
        self._land(key, flight).set_result(result)
        return result, True

    async def arun(self, key: Hashable, compute: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """The same for tasks; a cancelled caller, first or waiting, does not affect the others.

        The computation is a task of its own, which goes on when the first caller is gone.
        """
        flight, mine = self._join(key)
        if not mine:
            return await asyncio.shield(asyncio.wrap_future(flight)), False
        task = asyncio.create_task(self._fly(key, flight, compute))
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task), True

    async def _fly(
        self, key: Hashable, flight: Future[T], compute: Callable[[], Awaitable[T]]
    ) -> T:
        try:
            result = await compute()
        except BaseException as error:
            self._land(key, flight).set_exception(_shareable(error))
            raise
        self._land(key, flight).set_result(result)
        return result

    def _done(self, task: asyncio.Task[T]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved, also when no task waits for it any more

    def _join(self, key: Hashable) -> tuple[Future[T], bool]:
        with self._lock:
            flight = self._flights.get(key)
            if flight is not None:
                return flight, False
            flight = self._flights[key] = Future()
            flight.set_running_or_notify_cancel()
            return flight, True

    def _land(self, key: Hashable, flight: Future[T]) -> Future[T]:
        with self._lock:
            del self._flights[key]
        return flight


def _shareable(error: BaseException) -> Exception:
    if isinstance(error, Exception):
        return error
    return LedgerUnavailable("the caller that computed this answer was stopped")
