"""The streamed reply: pieces as they are released, heartbeats while text is held."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from firmground.config.proxy import ProxySettings
from firmground.service.proxy.outbox import Closing, Outbox, Piece


class StreamWriter(Protocol):
    """Writes pieces in the protocol of a client."""

    heartbeat: bytes

    def opening(self) -> Iterator[bytes]:
        """What is sent before anything was released."""
        ...

    def piece(self, piece: Piece) -> Iterator[bytes]:
        """One released piece."""
        ...

    def closing(self, closing: Closing) -> Iterator[bytes]:
        """The end, with the verdict."""
        ...

    def failed(self, error: dict[str, Any]) -> Iterator[bytes]:
        """An error after the stream has begun."""
        ...


class ReleasedStream(Response):
    """Sends what an outbox gives; notices at once when the client hangs up."""

    def __init__(
        self,
        outbox: Outbox,
        writer: StreamWriter,
        settings: ProxySettings,
        *,
        told: Callable[[BaseException], dict[str, Any]],
        headers: dict[str, str],
    ) -> None:
        super().__init__(headers=headers, media_type="text/event-stream")
        self._outbox, self._writer, self._settings, self._told = outbox, writer, settings, told

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream; whatever ends it, the outbox learns of it."""
        headers = [(n, v) for n, v in self.raw_headers if n != b"content-length"]
        watch = asyncio.create_task(self._watch(receive))
        work = asyncio.create_task(self._send(send, headers))
        try:
            await asyncio.wait({watch, work}, return_when=asyncio.FIRST_COMPLETED)
            if work.done() and not work.cancelled():
                work.result()
        except (OSError, TimeoutError):
            pass  # the client is gone, or takes nothing
        finally:
            self._outbox.hang_up()
            for task in (watch, work):
                task.cancel()
            await asyncio.gather(watch, work, return_exceptions=True)

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    async def _send(self, send: Send, headers: Any) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": headers}
        await send(start)
        for raw in self._writer.opening():
            await self._one(send, raw)
        while True:
            try:
                async with asyncio.timeout(self._settings.heartbeat_seconds):
                    item = await self._outbox.get()
            except TimeoutError:
                await self._one(send, self._writer.heartbeat)
                continue
            for raw in self._written(item):
                await self._one(send, raw)
            if not isinstance(item, Piece):
                break
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _written(self, item: Piece | Closing | BaseException) -> Iterator[bytes]:
        if isinstance(item, Piece):
            return self._writer.piece(item)
        if isinstance(item, Closing):
            return self._writer.closing(item)
        return self._writer.failed(self._told(item))

    async def _one(self, send: Send, raw: bytes) -> None:
        async with asyncio.timeout(self._settings.stall_seconds):
            await send({"type": "http.response.body", "body": raw, "more_body": True})
