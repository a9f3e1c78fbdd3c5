"""Much data gathered beside the event loop, with a breath now and then in which the loop turns.

Only one thread of ours runs at a time, and one that is busy hands over after milliseconds only,
each time the loop asks. One that pauses by itself hands over at once.
"""

from __future__ import annotations

import io
import time

_BREATH_EVERY = 1 << 16
_BREATH_SECONDS = 0.0001


class ByteBuffer(io.RawIOBase):
    """Takes what is written to it into one stretch of bytes."""

    def __init__(self) -> None:
        self.held = bytearray()
        self._breathless = 0

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Keep it, and pause once enough has come."""
        size = len(data)
        self.held += data
        self._breathless += size
        if self._breathless >= _BREATH_EVERY:
            self._breathless = 0
            time.sleep(_BREATH_SECONDS)
        return size
