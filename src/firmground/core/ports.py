"""Whom we ask. One question each; the doubles are public in ``firmground.testing``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from firmground.core.claim import Assessment, Claim
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, Verdict
from firmground.core.question import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """Exactly what is sent to a model."""

    messages: tuple[tuple[str, str], ...]
    """(role, content) pairs in order."""
    temperature: float = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    samples: int = 1
    top_logprobs: int = 0
    json_schema: str | None = None
    prompts: tuple[tuple[str, str], ...] = ()
    """Name and SHA-256 of the prompt files the messages were made from; not sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What came back; logprobs are None when the endpoint does not offer them."""

    texts: tuple[str, ...]
    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    logprobs: tuple[tuple[tuple[str, float], ...], ...] | None = None
    """Per generated token of the first text, the offered (token, logprob) alternatives."""
    finish: tuple[str, ...] = ()
    """Why each text ended: ``stop``, ``length``…; empty when the endpoint did not say."""
    schema: str = ""
    """How the asked-for schema was held: ``enforced``, ``json``, ``asked``, or empty."""
    seconds: float = 0.0
    cost: float | None = None
    """In the currency of the price list; None when no price is known."""
    cached: bool = False
    calls: int = 1
    """How many calls to the endpoint it took: more where samples had to be asked for singly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What a judge looks at: the claims of one answer and the evidence they may stand on."""

    question: Question | None
    answer: str
    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCase:
    """What a hook may look at."""

    question: Question | None
    answer: str | None
    """None before an answer exists."""
    evidence: tuple[Evidence, ...] = ()
    claims: tuple[Claim, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()


@runtime_checkable
class Model(Protocol):
    """Answers a prompt."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return what the model says, or raise ``ModelError``."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Finds evidence."""

    async def retrieve(self, question: Question) -> tuple[Evidence, ...]:
        """Return the passages an answer to this question may stand on."""
        ...


@runtime_checkable
class Judge(Protocol):
    """Says where each claim stands."""

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return one assessment for each claim, in order."""
        ...


@runtime_checkable
class Hook(Protocol):
    """Asks the world."""

    @property
    def name(self) -> str:
        """Under which its verdicts are recorded."""
        ...

    async def ask(self, case: HookCase) -> Verdict | Fault:
        """Return what the world said, or why it could not be asked."""
        ...


@runtime_checkable
class Signer(Protocol):
    """Signs bytes under a named key."""

    @property
    def name(self) -> str:
        """The key's name, as it stands on the signature line."""
        ...

    def sign(self, message: bytes) -> bytes:
        """Return the signature over exactly these bytes."""
        ...
