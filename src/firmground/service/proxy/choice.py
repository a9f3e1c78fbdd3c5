"""One choice of a reply: what arrived, what was released, and what is withheld."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmground.config.proxy import DeliveryMode
from firmground.core.decision import Decision, Verdict
from firmground.pipeline.loop import Attempt
from firmground.pipeline.stream import HoldBack
from firmground.service.proxy.deltas import Collected, Delta, ToolCall
from firmground.service.proxy.outbox import Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What is delivered of one choice after its check, and why."""

    rest: str = ""
    """Text that follows what was released before."""
    refusal: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: str
    delivery: str
    """``whole``, ``part``, ``none``, ``repaired``, ``flagged``, ``unverified``, ``tool_calls``."""
    label: str
    decision: Decision | None = None
    attempts: tuple[Attempt, ...] = ()
    objections: tuple[str, ...] = ()
    """Names of the rules that objected; no words of the answer."""

    @property
    def verdict(self) -> Verdict | None:
        """Whether the answer stands; None when there was no answer to check."""
        return None if self.decision is None else self.decision.verdict


@dataclass(slots=True, kw_only=True)
class ProxyChoice:
    """One choice while its text arrives."""

    index: int
    mode: DeliveryMode
    held: HoldBack | None
    """Releases units of the text in ``window``; None in other modes and without evidence."""
    got: Collected = field(default_factory=Collected)
    released: str = ""
    """The text that has left."""

    def take(self, delta: Delta) -> tuple[int, Piece | None]:
        """Take in a piece; return how much is held for it, and what leaves unchecked at once.

        Only ``annotate`` lets anything leave unchecked, and never reasoning.
        """
        size = self.got.take(delta)
        if self.mode is not DeliveryMode.ANNOTATE or not (delta.text or delta.refusal):
            return size, None
        self.released += delta.text
        return size, Piece(choice=self.index, text=delta.text, refusal=delta.refusal)

    async def progress(self) -> list[Piece]:
        """Check what is complete of new text; return what may leave."""
        if self.mode is not DeliveryMode.WINDOW or self.held is None:
            return []
        events = await self.held.add(self.got.text[len(self.held.text) :])
        pieces = [Piece(choice=self.index, text=event.text) for event in events]
        self.released += "".join(piece.text for piece in pieces)
        return pieces
