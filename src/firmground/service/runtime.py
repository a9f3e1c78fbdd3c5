"""The parts that all endpoints share: engine, keys, admission, work that outlives its client."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from starlette.requests import HTTPConnection

from firmground.config.service import ServiceSettings
from firmground.engine import Engine
from firmground.errors import FirmgroundError
from firmground.ledger.ids import time_text, utc_now
from firmground.service.admission import Admission
from firmground.service.auth import KeyScope, Principal, authenticate
from firmground.service.journal import Journal
from firmground.service.metrics import Metrics
from firmground.service.problems import HttpProblem
from firmground.service.run_index import RunIndex
from firmground.service.sessions import Sessions
from firmground.service.state import ServiceState

T = TypeVar("T")
logger = logging.getLogger("firmground.service")
_FOLLOW_SECONDS = 0.5


class Service:
    """One running service; ``service_of(request)`` finds it."""

    def __init__(self, engine: Engine, settings: ServiceSettings, state: ServiceState) -> None:
        self.engine = engine
        self.settings = settings
        self.state = state
        self.admission = Admission(settings.limits)
        self.admissions = [self.admission]
        """Everything that admits requests; all refuse when the service stops."""
        self.closing: list[Callable[[], Awaitable[None]]] = []
        """What is closed after the last request."""
        self.journal = Journal(engine, state)
        self.metrics = Metrics()
        self.warm = False
        """True once the judge is loaded."""
        self.stopping = asyncio.Event()
        """Set by the signal to stop, before requests under way are waited for."""
        self.event_readers = 0
        """Clients that read events of runs now."""
        self.identify: list[Callable[[HTTPConnection], Principal | None]] = []
        """Asked in order for requests without a key: who sends them, such as a session's user."""
        self.sessions = Sessions(state)
        self.identify.append(self.sessions.authenticate)
        self.index = RunIndex(state.folder)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._following: asyncio.Task[None] | None = None
        gauge, admission = self.metrics.gauge, self.admission
        gauge("grounding_queue_depth", "Requests that wait.", lambda: admission.queued)
        gauge("firmground_running", "Requests that compute.", lambda: admission.running)
        gauge("firmground_admitted", "Requests let in so far.", lambda: admission.admitted)
        gauge("firmground_refused", "Requests refused so far.", lambda: admission.refused)

    async def start(self) -> None:
        """Record what an earlier process left open, and load the judge."""
        await asyncio.to_thread(self.journal.recover)
        await asyncio.to_thread(self.engine.plan)
        self.warm = True
        self._following = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        """Keep the index of runs up with the log until the service stops."""
        log = self.engine.ledger
        while log is not None and not self.stopping.is_set():
            try:
                left = await asyncio.to_thread(self.index.follow, log)
            except FirmgroundError as error:
                logger.warning("the index of runs does not follow the log: %s", error)
                left = 0
            await asyncio.sleep(0.01 if left else _FOLLOW_SECONDS)

    def authenticate(
        self, request: HTTPConnection, scope: KeyScope | frozenset[KeyScope]
    ) -> Principal:
        """Return who sent the request; raise a problem without a valid key with this scope.

        The request counts against the rate of its key.
        """
        headers = request.scope["headers"]
        principal = self._session(request) or authenticate(
            headers, self.state, now=time_text(utc_now())
        )
        principal.require(scope)
        self.admission.count(principal)
        request.state.principal = principal
        return principal

    def _session(self, request: HTTPConnection) -> Principal | None:
        if "authorization" in request.headers or "x-api-key" in request.headers:
            return None
        return next((found for ask in self.identify if (found := ask(request))), None)

    @asynccontextmanager
    async def admitted(self, principal: Principal, *, requests: int = 1) -> AsyncIterator[None]:
        """Hold a place for a request that computes, counted against the budget of its key."""
        async with self.admission.turn(principal):
            await self.spend(principal, requests)
            yield

    async def spend(self, principal: Principal, requests: int = 1) -> None:
        """Count requests against the budget of a key; raise a problem when it is spent."""
        if principal.limits.budget is None:
            return
        if not await asyncio.to_thread(self.state.spend, principal.key_id, requests):
            raise HttpProblem(
                "over_budget", f"this key may send {principal.limits.budget} requests"
            )

    async def own(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work in a task of the server, which goes on when the client hangs up."""
        return await asyncio.shield(self.start_task(work))

    def start_task(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start work in a task of the server, which is waited for when the service stops."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # told to the client, or recorded; not a loss worth a warning

    def stop(self) -> None:
        """Refuse new work from now on, and end replies that would go on for ever."""
        for admission in self.admissions:
            admission.draining = True
        self.stopping.set()

    async def drain(self) -> None:
        """Refuse new work and wait for what is under way, within the time for it."""
        self.stop()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self.settings.limits.drain_seconds)
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)
        self.index.close()
        for close in self.closing:
            await close()
        self.journal.close()


def service_of(request: HTTPConnection) -> Service:
    """Return the service that a request belongs to."""
    service = request.app.state.service
    assert isinstance(service, Service)
    return service
