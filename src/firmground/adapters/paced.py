"""Replies in small bites: however much a server sends at once, the event loop turns in between.

The parser takes what it is given in one go. A quarter of a megabyte of ``100 Continue``, or of
chunks of one byte, keeps it busy for tenths of a second, and no deadline can be kept meanwhile.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

BITE = 4096
_LEAST = 256
_SLOW_SECONDS = 0.001
_REST = 3.0
"""How long to leave the loop to others after a bite that was slow, as often as it took itself."""


@lru_cache(maxsize=1)
def paced(handler: Any) -> Any:
    """The protocol of aiohttp's client, fed one bite for each turn of the loop."""

    class Paced(handler):  # type: ignore[misc]
        def __init__(self, loop: Any) -> None:
            super().__init__(loop=loop)
            self._left = bytearray()
            self._turn: Any = None
            self._most = BITE

        def data_received(self, data: bytes) -> None:
            few = not self._left and len(data) <= BITE
            # Nothing at all means: go on with what the parser already has.
            if few or not data or self._parser is None:
                super().data_received(data)
                return
            self._left += data
            self._hold()
            self._next()

        def _hold(self) -> None:
            """Take nothing more, not even the end of the stream, before this is eaten."""
            if self._left and self.transport is not None:
                self.transport.pause_reading()

        def _next(self, after: float = 0.0) -> None:
            if self._turn is None and self._left:
                self._turn = self._loop.call_later(after, self._bite)

        def _bite(self) -> None:
            self._turn = None
            if self.transport is None or self._reading_paused:
                return
            bite = bytes(self._left[: self._most])
            del self._left[: self._most]
            start = self._loop.time()
            super().data_received(bite)
            took = self._loop.time() - start
            slow = took > _SLOW_SECONDS
            self._most = max(_LEAST, self._most // 2) if slow else min(BITE, self._most * 2)
            if self.transport is None or self._reading_paused:
                return
            if not self._left:
                self.transport.resume_reading()
            self._next(after=_REST * took if slow else 0.0)

        def resume_reading(self, *args: Any, **named: Any) -> None:
            # Asked for after every piece that was read, also when nothing is paused.
            if not self._left or self._reading_paused:
                super().resume_reading(*args, **named)
                self._hold()
            self._next()

        def eof_received(self) -> None:
            rest, self._left = bytes(self._left), bytearray()
            if rest:
                super().data_received(rest)
            super().eof_received()

    return Paced


def pace(connector: Any, handler: Any) -> None:
    """Have a connector speak through it."""
    connector._factory = partial(paced(handler), loop=connector._loop)
