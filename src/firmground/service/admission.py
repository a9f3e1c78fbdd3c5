"""Bounded admission: how many requests compute, how many wait, and what one key may use."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from firmground.config.service import ServiceLimits
from firmground.service.auth import Principal
from firmground.service.problems import HttpProblem

_MOST_BUCKETS = 10_000


@dataclass(slots=True)
class _KeyUse:
    """What one key uses now."""

    tokens: float
    at: float
    running: int = 0


class Admission:
    """Lets a bounded number of requests compute; the others wait briefly or are refused.

    Belongs to one event loop.
    """

    def __init__(
        self, limits: ServiceLimits, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._keys: dict[str, _KeyUse] = {}
        self.running = 0
        self.admitted = 0
        """Requests let in since the start."""
        self.refused = 0
        self.draining = False

    @property
    def queued(self) -> int:
        """Requests that wait for their turn."""
        return len(self._waiting)

    def count(self, principal: Principal) -> None:
        """Count one request against the rate of its key, or raise a problem."""
        rate = principal.limits.per_minute
        if rate is None:
            return
        use, now = self._use(principal), self._clock()
        burst = max(1.0, rate)
        use.tokens = min(burst, use.tokens + (now - use.at) * rate / 60)
        use.at = now
        if use.tokens < 1:
            raise HttpProblem(
                "rate_limited",
                f"this key may send {rate:g} requests a minute",
                retry_after=(1 - use.tokens) * 60 / rate,
            )
        use.tokens -= 1

    @asynccontextmanager
    async def turn(self, principal: Principal) -> AsyncIterator[None]:
        """Hold one of the places for requests that compute; raise a problem if there is none."""
        if self.draining:
            self.refused += 1
            raise HttpProblem("draining", retry_after=5)
        use = self._use(principal)
        most = principal.limits.concurrent
        if most is not None and use.running >= most:
            self.refused += 1
            detail = f"this key may have {most} requests at the same time"
            raise HttpProblem("too_concurrent", detail, retry_after=1)
        use.running += 1
        try:
            await self._enter()
            try:
                yield
            finally:
                self._leave()
        finally:
            use.running -= 1

    async def _enter(self) -> None:
        if self.running < self._limits.running and not self._waiting:
            self.running += 1
        else:
            await self._wait()
        self.admitted += 1

    async def _wait(self) -> None:
        if len(self._waiting) >= self._limits.queue:
            self.refused += 1
            raise HttpProblem("overloaded", retry_after=self._retry_after())
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(self._limits.queue_seconds):
                await turn
        except BaseException as error:
            with suppress(ValueError):
                self._waiting.remove(turn)
            if turn.done() and not turn.cancelled():
                self._leave()  # the place was given at the same moment
            if not isinstance(error, TimeoutError):
                raise
            self.refused += 1
            raise HttpProblem("overloaded", retry_after=self._retry_after()) from None

    def _leave(self) -> None:
        """Give the place to the request that waited longest, or free it."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.running -= 1

    def _retry_after(self) -> float:
        return max(1.0, self._limits.queue_seconds)

    def _use(self, principal: Principal) -> _KeyUse:
        use = self._keys.get(principal.key_id)
        if use is None:
            if len(self._keys) >= _MOST_BUCKETS:
                self._forget()
            rate = principal.limits.per_minute or 0.0
            use = self._keys[principal.key_id] = _KeyUse(tokens=max(1.0, rate), at=self._clock())
        return use

    def _forget(self) -> None:
        idle = sorted((u.at, key) for key, u in self._keys.items() if not u.running)
        for _, key in idle[: _MOST_BUCKETS // 10]:
            del self._keys[key]
