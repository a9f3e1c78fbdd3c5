"""The parts that all endpoints share: engine, keys, admission, work that outlives its client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from starlette.requests import HTTPConnection

from firmground.config.service import ServiceSettings
from firmground.engine import Engine
from firmground.ledger.ids import time_text, utc_now
from firmground.service.admission import Admission
from firmground.service.auth import Principal, Scope, authenticate
from firmground.service.journal import Journal
from firmground.service.metrics import Metrics
from firmground.service.problems import Problem
from firmground.service.state import ServiceState

T = TypeVar("T")


class Service:
    """One running service; ``service_of(request)`` finds it."""

    def __init__(self, engine: Engine, settings: ServiceSettings, state: ServiceState) -> None:
        self.engine = engine
        self.settings = settings
        self.state = state
        self.admission = Admission(settings.limits)
        self.journal = Journal(engine, state)
        self.metrics = Metrics()
        self.warm = False
        """True once the judge is loaded."""
        self._tasks: set[asyncio.Task[Any]] = set()
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

    def authenticate(self, request: HTTPConnection, scope: Scope) -> Principal:
        """Return who sent the request; raise a problem without a valid key with this scope.

        The request counts against the rate of its key.
        """
        headers = request.scope["headers"]
        principal = authenticate(headers, self.state, now=time_text(utc_now()))
        principal.require(scope)
        self.admission.count(principal)
        request.state.principal = principal
        return principal

    @asynccontextmanager
    async def admitted(self, principal: Principal, *, requests: int = 1) -> AsyncIterator[None]:
        """Hold a place for a request that computes, counted against the budget of its key."""
        async with self.admission.turn(principal):
            if principal.limits.budget is not None:
                await self._spend(principal, requests)
            yield

    async def _spend(self, principal: Principal, requests: int) -> None:
        if not await asyncio.to_thread(self.state.spend, principal.key_id, requests):
            raise Problem("over_budget", f"this key may send {principal.limits.budget} requests")

    async def own(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work in a task of the server, which goes on when the client hangs up."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def drain(self) -> None:
        """Refuse new work and wait for what is under way, within the time for it."""
        self.admission.draining = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self.settings.limits.drain_seconds)
        self.journal.close()


def service_of(request: HTTPConnection) -> Service:
    """Return the service that a request belongs to."""
    service = request.app.state.service
    assert isinstance(service, Service)
    return service
