"""A double for each port: give it a function or a list, and it answers the one question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmground.core.claim import Assessment
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, HookReply
from firmground.core.ports import HookCase, Inquiry, ModelReply, ModelRequest
from firmground.core.question import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionModel:
    """A model whose replies come from a function of the request."""

    function: Callable[[ModelRequest], str | ModelReply]
    model: str = "function"

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the function's reply; a plain string is taken as the text."""
        reply = self.function(request)
        return (
            reply if isinstance(reply, ModelReply) else ModelReply(texts=(reply,), model=self.model)
        )


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
