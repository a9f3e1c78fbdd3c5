"""Replies in small bites: however much a server sends at once, the event loop turns in between.

The parser takes what it is given in one go. A quarter of a megabyte of ``100 Continue``, or of
chunks of one byte, keeps it busy for tenths of a second, and no deadline can be kept meanwhile.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

BITE = 4096


@lru_cache(maxsize=1)
def paced(handler: Any) -> Any:
    """The protocol of aiohttp's client, fed one bite for each turn of the loop."""

    class Paced(handler):  # type: ignore[misc]
        def __init__(self, loop: Any) -> None:
            super().__init__(loop=loop)
            self._left = bytearray()
            self._turn: Any = None

        def data_received(self, data: bytes) -> None:
            few = not self._left and len(data) <= BITE
            # Nothing at all means: go on with what the parser already has.
            if few or not data or self._parser is None:
                super().data_received(data)
                return
            self._left += data
            self._next()

        def _next(self) -> None:
            if self._turn is None and self._left:
                self._turn = self._loop.call_soon(self._bite)

        def _bite(self) -> None:
            self._turn = None
            if self.transport is None or self._reading_paused:
                return
            bite = bytes(self._left[:BITE])
            del self._left[:BITE]
            super().data_received(bite)
            if self.transport is None or self._reading_paused:
                return
            if self._left:
                # No more, and no end of the stream, before this is eaten.
                self.transport.pause_reading()
            else:
                self.transport.resume_reading()
            self._next()

        def resume_reading(self, *args: Any, **named: Any) -> None:
            super().resume_reading(*args, **named)
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
