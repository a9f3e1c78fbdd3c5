"""A double for each port: give it a function or values, and it answers.

>>> import asyncio
>>> from firmground.core.ports import ModelRequest
>>> model = FunctionModel(function=lambda request: "Paris.")
>>> asyncio.run(model.complete(ModelRequest(messages=(("user", "?"),)))).texts
('Paris.',)
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from firmground.core.claim import Assessment
from firmground.core.decision import Objection, Step
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, Findings, HookReply
from firmground.core.ports import HookCase, Inquiry, ModelReply, ModelRequest
from firmground.core.question import Question
from firmground.ledger.store import LedgerStore


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionModel:
    """A model whose replies come from a function of the request."""

    function: Callable[[ModelRequest], str | ModelReply]
    model: str = "function"
    piece: int = 8
    """How many characters ``stream`` gives at once."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the function's reply; a plain string is taken as the text."""
        reply = self.function(request)
        return (
            reply if isinstance(reply, ModelReply) else ModelReply(texts=(reply,), model=self.model)
        )

    async def stream(self, request: ModelRequest) -> AsyncIterator[str]:
        """Yield the first text of the reply in pieces."""
        text = (await self.complete(request)).texts[0]
        for at in range(0, len(text), self.piece):
            yield text[at : at + self.piece]


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedRetriever:
    """A retriever that always finds the same evidence."""

    evidence: tuple[Evidence, ...]

    async def retrieve(self, question: Question) -> tuple[Evidence, ...]:
        """Return the fixed evidence, whatever was asked."""
        return self.evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionJudge:
    """A judge whose assessments come from a function of the inquiry."""

    function: Callable[[Inquiry], tuple[Assessment, ...]]

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return what the function says."""
        return self.function(inquiry)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionHook:
    """A hook whose replies come from a function of the case."""

    name: str
    function: Callable[[HookCase], HookReply | Fault]

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Return what the function says."""
        return self.function(case)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedRule:
    """A rule that raises the same objections whatever was found."""

    name: ClassVar[str] = "fixed"
    about: ClassVar[str] = "objects always, or never"
    reads: ClassVar[tuple[str, ...]] = ()
    reason: str = ""
    """Why it objects; empty when it never does."""
    step: Step = Step.REGENERATE

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Return one objection, or none."""
        if not self.reason:
            return ()
        return (Objection(rule=self.name, step=self.step, reason=self.reason),)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixReader:
    """An evidence reader for strings with a prefix, such as ``note:``."""

    prefix: str
    name: str = "prefix"

    def reads(self, value: object) -> bool:
        """Return True for a string that begins with the prefix."""
        return isinstance(value, str) and value.startswith(self.prefix)

    def read(self, value: object) -> Sequence[Evidence]:
        """Return what follows the prefix as one piece of evidence."""
        return (Evidence(text=str(value).removeprefix(self.prefix).strip(), origin=self.name),)


@dataclass(frozen=True, slots=True, kw_only=True)
class HashSigner:
    """A signer that proves nothing: its signature is a plain hash. For tests only."""

    name: str = "test"

    def sign(self, message: bytes) -> bytes:
        """Return the SHA-512 of the name and the message."""
        return hashlib.sha512(self.name.encode() + b"\0" + message).digest()


def store_in(folder: Path | str) -> LedgerStore:
    """Return a real, empty ledger store in a folder, such as pytest's ``tmp_path``."""
    from firmground.adapters.sqlite import SqliteStore

    return SqliteStore.open(Path(folder) / "ledger.sqlite")
