"""Server-sent events, read from bytes that arrive in any pieces."""

from __future__ import annotations

import re

_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


class EventTooLong(Exception):  # noqa: N818 - says what happened
    """One event is longer than may be held."""


class EventReader:
    """Collects bytes and returns the data of each complete event."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._rest = b""
        self._data: list[bytes] = []
        self._held = 0

    def feed(self, piece: bytes) -> list[bytes]:
        """Take in bytes; return the data of the events that they complete."""
        *lines, self._rest = _LINE_END.split(self._rest + piece)
        found = [data for line in lines if (data := self._line(line)) is not None]
        if len(self._rest) + self._held > self._most:
            raise EventTooLong
        return found

    def _line(self, line: bytes) -> bytes | None:
        if not line:
            data, self._data, self._held = b"\n".join(self._data), [], 0
            return data or None
        if line.startswith(b"data:"):
            value = line[5:].removeprefix(b" ")
            self._data.append(value)
            self._held += len(value)
        return None
