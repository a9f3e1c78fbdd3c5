"""What clients send: pydantic models, used for reading bodies and for the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Evidence = Annotated[
    str | list[str | dict[str, Any]],
    Field(description="A text, or pieces: texts or objects with text, id, title, origin, …"),
]
Policy = Annotated[str | None, Field(description="Name of a policy; the service's own by default.")]
Seconds = Annotated[float | None, Field(gt=0, le=3600, description="Deadline for this request.")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CheckBody(_Body):
    """One answer and its evidence."""

    answer: str = Field(examples=["The Alder bridge opened in 1932."])
    evidence: Evidence = Field(examples=[["The Alder bridge opened in 1932."]])
    question: str | dict[str, Any] | None = None
    mode: str = "prose"
    id: str | int = ""
    policy: Policy = None
    deadline_seconds: Seconds = None


class ManyBody(_Body):
    """Several answers; each row is checked and recorded on its own."""

    rows: list[dict[str, Any]] = Field(
        min_length=1, examples=[[{"id": "a", "answer": "It rained.", "evidence": "It rained."}]]
    )
    policy: Policy = None


class StreamBody(_Body):
    """Pieces of a text that is released unit by unit, each after it was checked."""

    deltas: list[str] = Field(min_length=1, examples=[["It opened ", "in 1932. It is red."]])
    evidence: Evidence = Field(examples=["It opened in 1932."])
    question: str | dict[str, Any] | None = None
    policy: Policy = None
    id: str | int = ""


class AskBody(_Body):
    """A question for the service's model."""

    question: str | dict[str, Any] = Field(examples=["When did the bridge open?"])
    evidence: Evidence = Field(default="", examples=["The bridge opened in 1932."])
    policy: Policy = None
    preflight: bool = True


class PreflightBody(_Body):
    """A question to inspect before it is asked."""

    question: str = Field(min_length=1, examples=["List all bridges of the world."])
    profile: Literal["default", "halguard"] | None = None


class GateBody(_Body):
    """A question and documents: how far does the model's answer depend on them?"""

    question: str = Field(min_length=1, examples=["What is the capital of Australia?"])
    evidence: Evidence = Field(examples=[["The capital of Australia is Canberra."]])
    options: list[str] = Field(default_factory=list, max_length=26)
    answer: str | None = Field(default=None, description="The answer to watch; the model's own.")
    profile: str = Field(default="default", description="Name of a profile of `firmground gate`.")
    max_calls: int | None = Field(default=None, ge=0, le=10_000)


class KeyBody(_Body):
    """A new key: its name, what it may do, and its limits."""

    name: str = Field(min_length=1, max_length=200, examples=["billing app"])
    scopes: list[str] = Field(
        min_length=1, description="Names of scopes or roles.", examples=[["application"]]
    )
    per_minute: float | None = Field(default=None, gt=0, le=1e9)
    concurrent: int | None = Field(default=None, ge=1, le=1_000_000)
    budget: int | None = Field(default=None, ge=0, le=1 << 53)
    expires: str | None = Field(
        default=None,
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$",
        description="Time such as 2027-01-31T00:00:00Z.",
    )


class DecideBody(_Body):
    """The policy under which a recorded run is judged again."""

    policy: str = Field(examples=["strict"])


class ExportBody(_Body):
    """Which stages an exported bundle opens."""

    disclose: list[str] | Literal["all"] = Field(default_factory=list, examples=["all"])


class EraseBody(_Body):
    """Runs whose content is erased for good, and why."""

    runs: list[str] = Field(min_length=1, max_length=1000)
    reason: str = Field(min_length=1)
    stages: list[str] | None = None


class VerifyBody(_Body):
    """A bundle and the public keys that the caller trusts."""

    bundle: dict[str, Any]
    keys: list[str] = Field(min_length=1)


class TryBody(_Body):
    """One answer and its evidence, checked without a record."""

    answer: str = Field(examples=["The Alder bridge opened in 1932."])
    evidence: Evidence = Field(examples=[["The Alder bridge opened in 1932."]])
    question: str | dict[str, Any] | None = None
    mode: str = "prose"
    judge: str = Field(default="", description="lexical or builtin; the service's own by default.")


class ScoredRow(_Body):
    """A score and whether the answer was wrong."""

    risk: float = Field(ge=0, le=1)
    wrong: bool


class CurvesBody(_Body):
    """Labelled scores."""

    rows: list[ScoredRow] = Field(
        min_length=1, max_length=20_000, examples=[[{"risk": 0.1, "wrong": False}]]
    )


class RulingBody(_Body):
    """What a person decides about an escalated answer."""

    choice: Literal["skip", "replace", "abort"] = Field(examples=["abort"])
    note: str = Field(min_length=1, max_length=4000, description="Why; goes into the record.")
    answer: str = Field(default="", description="The reviewer's own answer, with replace.")


class _ModelBody(BaseModel):
    """A body in the protocol of a model's server; further members are passed on."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(examples=["gpt-4o"])
    stream: bool | None = None
    firmground: dict[str, Any] | None = Field(
        default=None, description="evidence, question, and a stricter mode"
    )


class ChatBody(_ModelBody):
    """OpenAI chat completions."""

    messages: list[dict[str, Any]] = Field(
        min_length=1, examples=[[{"role": "user", "content": "When did it open?"}]]
    )
    tools: list[dict[str, Any]] | None = None
    n: int | None = Field(default=None, ge=1)


class ResponsesBody(_ModelBody):
    """OpenAI responses."""

    input: str | list[dict[str, Any]] = Field(examples=["When did it open?"])
    instructions: str | None = None
    tools: list[dict[str, Any]] | None = None


class MessagesBody(_ModelBody):
    """Anthropic messages."""

    messages: list[dict[str, Any]] = Field(
        min_length=1, examples=[[{"role": "user", "content": "When did it open?"}]]
    )
    max_tokens: int | None = Field(default=None, ge=1)
    system: str | list[dict[str, Any]] | None = None
    tools: list[dict[str, Any]] | None = None
