"""The ports: small protocols that outside code implements.

``firmground.testing`` has a double and a conformance suite for each. ``Rule`` is in
``decide.rule`` and ``LedgerStore`` in ``ledger.store``, beside what they are made of.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from firmground.core.claim import Assessment, Claim
from firmground.core.decision import Objection, Verdict
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, HookReply, SuspiciousText
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
    tool_calls: int = 0
    """How many tools were called while the answer was written."""
    penalty: float = 0.0
    """What preflight takes off the confidence that the question is genuine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCase:
    """What a hook may look at."""

    question: Question | None
    answer: str | None
    """None before an answer exists."""
    evidence: tuple[Evidence, ...] = ()
    claims: tuple[Claim, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    """The caller's own pairs of name and text."""
    job_id: str = ""
    """The caller's name for the check."""
    output_files: tuple[str, ...] = ()
    """Paths of files that were written along with the answer, as the caller named them."""
    verdict: Verdict | None = None
    """The verdict of all other checks; None before they were made."""
    assessments: tuple[Assessment, ...] = ()
    """Where each claim stands; empty before that is known."""
    objections: tuple[Objection, ...] = ()
    """What rules object to so far."""

    @property
    def validation_passed(self) -> bool | None:
        """True or False as the other checks came out; None before them or if inconclusive."""
        known = {Verdict.STANDS: True, Verdict.DOES_NOT_STAND: False}
        return None if self.verdict is None else known.get(self.verdict)


@runtime_checkable
class Model(Protocol):
    """A language model: a prompt in, a reply out.

    >>> from firmground.testing import FunctionModel
    >>> isinstance(FunctionModel(function=lambda request: "Paris."), Model)
    True
    """

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return what the model says, or raise ``ModelError``."""
        ...


@runtime_checkable
class StreamingModel(Model, Protocol):
    """A model that can also give its reply piece by piece."""

    def stream(self, request: ModelRequest) -> AsyncIterator[str]:
        """Yield pieces of one reply as they are written; raise ``ModelError`` on failure."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Finds evidence for a question.

    >>> from firmground.testing import FixedRetriever
    >>> isinstance(FixedRetriever(evidence=()), Retriever)
    True
    """

    async def retrieve(self, question: Question) -> tuple[Evidence, ...]:
        """Return the passages that an answer to this question may stand on."""
        ...


@runtime_checkable
class Judge(Protocol):
    """Assesses where each claim of an answer stands on the evidence.

    A judge may have a ``name``, which is recorded with every run, and ``computes = True`` when it
    computes rather than waits: it is then run in the engine's threads, not on the event loop.

    >>> from firmground.testing import FunctionJudge, check_judge
    >>> isinstance(FunctionJudge(function=lambda inquiry: ()), Judge)
    True
    """

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return one assessment for each claim, in order, or raise ``ModelError``."""
        ...


class Examination(Protocol):
    """What a judge that computes found out about one answer."""

    @property
    def assessments(self) -> tuple[Assessment, ...]:
        """One for each claim, in order."""
        ...

    @property
    def unread(self) -> tuple[str, ...]:
        """Ids of evidence in which nothing could be read."""
        ...

    @property
    def suspicious(self) -> tuple[SuspiciousText, ...]:
        """Text that looks like something it is not, or that addresses the reader."""
        ...


@runtime_checkable
class ComputingJudge(Judge, Protocol):
    """A judge that computes and can be called without an event loop, also on part of the evidence.

    It says itself what it could not read and what looks suspicious.
    """

    def examine(self, inquiry: Inquiry) -> Examination:
        """Return everything found out about the answer."""
        ...


@runtime_checkable
class Hook(Protocol):
    """An external check: a file, a database, an HTTP API, a command.

    >>> from firmground.testing import FunctionHook
    >>> said = HookReply(source="books", passed=True, message="booked")
    >>> isinstance(FunctionHook(name="books", function=lambda case: said), Hook)
    True
    """

    @property
    def name(self) -> str:
        """The name under which its replies are recorded."""
        ...

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Return yes or no, or the fault that kept it from answering."""
        ...


@runtime_checkable
class EvidenceReader(Protocol):
    """Turns values of one kind into evidence.

    >>> from firmground.testing import PrefixReader
    >>> PrefixReader(prefix="note:").read("note: it rained")[0].text
    'it rained'
    """

    @property
    def name(self) -> str:
        """The name that settings and messages use."""
        ...

    def reads(self, value: object) -> bool:
        """Return True for a value that this reader understands."""
        ...

    def read(self, value: object) -> Sequence[Evidence]:
        """Return the evidence in a value, or raise ``InputError`` saying what is wrong with it."""
        ...


@runtime_checkable
class Signer(Protocol):
    """Signs bytes under a named key.

    >>> from firmground.testing import HashSigner
    >>> len(HashSigner().sign(b"message"))
    64
    """

    @property
    def name(self) -> str:
        """The key's name, as it appears on the signature line."""
        ...

    def sign(self, message: bytes) -> bytes:
        """Return the signature over exactly these bytes."""
        ...
