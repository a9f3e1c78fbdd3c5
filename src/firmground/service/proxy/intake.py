"""Reading an upstream while earlier text is being checked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Self

from firmground.service.proxy.deltas import Delta, ProxyUsage
from firmground.service.proxy.outbox import ClientGone

_MOST_WAITING = 1024


class Intake:
    """Reads pieces in a task of its own; gives them in batches, as many as have arrived."""

    def __init__(self, pieces: AsyncIterator[Delta | ProxyUsage], gone: asyncio.Event) -> None:
        self._pieces, self._gone = pieces, gone
        self._arrived: list[Delta | ProxyUsage] = []
        self._wake, self._room = asyncio.Event(), asyncio.Event()
        self._error: BaseException | None = None
        self._done = False

    async def __aenter__(self) -> Self:
        self._tasks = (asyncio.create_task(self._read()), asyncio.create_task(self._watch()))
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _read(self) -> None:
        try:
            async for piece in self._pieces:
                while len(self._arrived) >= _MOST_WAITING:
                    self._room.clear()
                    await self._room.wait()
                self._arrived.append(piece)
                self._wake.set()
        except Exception as error:  # noqa: BLE001 - raised again by ``batches``
            self._error = error
        finally:
            self._done = True
            self._wake.set()

    async def _watch(self) -> None:
        await self._gone.wait()
        self._wake.set()

    async def batches(self) -> AsyncIterator[list[Delta | ProxyUsage]]:
        """Everything that arrived since the last batch; ends with the upstream's reply."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._gone.is_set():
                raise ClientGone
            batch, self._arrived = self._arrived, []
            self._room.set()
            if batch:
                yield batch
            if self._done and not self._arrived:
                break
        if self._error is not None:
            raise self._error
