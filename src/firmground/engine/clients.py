"""Model clients that an engine owns: they live in one event loop and answer callers in any."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack
from threading import Lock, Thread
from typing import Any, TypeVar

from firmground.core.ports import Model, ModelReply, ModelRequest, StreamingModel
from firmground.errors import ModelError

_T = TypeVar("_T")


class LoopThread:
    """An event loop in a thread of its own, started when it is first needed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self.stack = AsyncExitStack()
        """What is closed, in that loop, when the thread ends."""

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(
                    target=self._loop.run_forever, name="firmground-clients", daemon=True
                )
                self._thread.start()
            return self._loop

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine there and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._running()).result()

    async def arun(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine there without holding up the caller's loop."""
        there = asyncio.run_coroutine_threadsafe(work, self._running())
        return await asyncio.wrap_future(there)

    def owned(self, model: Model) -> OwnedModel:
        """The same model, to be asked from any event loop."""
        return OwnedModel(model, self)

    def close(self) -> None:
        """Close what was opened and end the thread."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(self.stack.aclose(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class OwnedModel:
    """A model whose client lives in the engine's loop."""

    def __init__(self, inner: Model, home: LoopThread) -> None:
        self._inner, self._home = inner, home

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask in the loop where the client lives."""
        return await self._home.arun(self._inner.complete(request))

    async def stream(self, request: ModelRequest) -> AsyncIterator[str]:
        """Yield the pieces of a reply; a model that cannot stream gives it in one piece."""
        inner = self._inner
        if not isinstance(inner, StreamingModel):
            reply = await self.complete(request)
            if not reply.texts:
                raise ModelError("the model returned no text", kind="bad_reply")
            yield reply.texts[0]
            return
        here, pieces = asyncio.get_running_loop(), asyncio.Queue[str | None]()

        async def pump() -> None:
            """Read the whole stream in one task, as its time limit needs."""
            try:
                async for piece in inner.stream(request):
                    here.call_soon_threadsafe(pieces.put_nowait, piece)
            finally:
                here.call_soon_threadsafe(pieces.put_nowait, None)

        done = asyncio.ensure_future(self._home.arun(pump()))
        try:
            while (piece := await pieces.get()) is not None:
                yield piece
            await done
        finally:
            done.cancel()
