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


class RulingBody(_Body):
    """What a person decides about an escalated answer."""

    choice: Literal["skip", "abort"] = Field(examples=["abort"])
    note: str = Field(min_length=1, description="Why; goes into the record.")
