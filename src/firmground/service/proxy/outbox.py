"""What one request hands to its client: bounded, and aware of a client that hung up."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Any

from firmground.service.proxy.deltas import ToolCall

_MOST_WAITING = 64


class ClientGone(Exception):  # noqa: N818 - says what happened
    """The client hung up before the answer ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Something of one choice that was released."""

    choice: int
    text: str = ""
    refusal: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """The end of a reply: the whole of what was delivered, with the verdict."""

    document: dict[str, Any]


class Outbox:
    """Pieces on their way to one client; the sender waits when the client is slow."""

    def __init__(self) -> None:
        self._waiting: deque[Piece | Closing | BaseException] = deque()
        self._ready, self._room = asyncio.Event(), asyncio.Event()
        self.gone = asyncio.Event()
        self.sent = 0
        """Pieces that the client's side has taken."""

    async def put(self, piece: Piece | Closing) -> None:
        """Hand on a piece; raises ``ClientGone`` when nobody takes it any more."""
        while len(self._waiting) >= _MOST_WAITING and not self.gone.is_set():
            self._room.clear()
            await self._room.wait()
        if self.gone.is_set():
            raise ClientGone
        self._waiting.append(piece)
        self._ready.set()

    def offer(self, piece: Piece | Closing) -> None:
        """Put a piece in at once, however many wait."""
        self._waiting.append(piece)
        self._ready.set()

    def fail(self, error: BaseException) -> None:
        """End with an error, after everything that waits."""
        self._waiting.append(error)
        self._ready.set()

    async def get(self) -> Piece | Closing | BaseException:
        """The next piece, or the error that ended the work."""
        while not self._waiting:
            self._ready.clear()
            await self._ready.wait()
        self._room.set()
        self.sent += 1
        return self._waiting.popleft()

    def hang_up(self) -> None:
        """Say that the client takes nothing any more."""
        self.gone.set()
        self._room.set()
