"""Asks a model whether the goal fits the agent's role and tools; reported as a separate signal.

Optional: used only when the caller passes a model. A reply that cannot be read is a ``Fault``, not
a pass.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from firmground.core.fault import fault_from
from firmground.core.finding import Fault, FaultKind, Preflight, PreflightStatus, Signal
from firmground.core.ports import Model, ModelRequest
from firmground.core.prompt import load_prompt
from firmground.core.question import Question
from firmground.errors import ModelError
from firmground.preflight.settings import PreflightSettings

SIGNAL = "role_mismatch"
_SOURCE = "role_check"
_PROMPT = "role.v1"
_SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "role_violation": {"type": "number", "minimum": 0, "maximum": 1},
            "behavioral_anomaly": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["role_violation", "behavioral_anomaly"],
        "additionalProperties": False,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleCheck:
    """What the model said about goal and role."""

    role_violation: float
    behavioral_anomaly: float
    model: str

    @property
    def penalty(self) -> float:
        """The worse of the two."""
        return max(self.role_violation, self.behavioral_anomaly)


async def check_role(question: Question, *, model: Model) -> RoleCheck | Fault:
    """Ask the model once; without a role there is nothing to compare with."""
    if question.role is None:
        return Fault(source=_SOURCE, kind=FaultKind.SKIPPED, message="the question names no role")
    try:
        reply = await model.complete(_request(question))
    except ModelError as error:
        return fault_from(error, source=_SOURCE)
    return _read(reply.texts[0] if reply.texts else "", reply.model)


def with_role(
    seen: Preflight, check: RoleCheck, *, settings: PreflightSettings | None = None
) -> Preflight:
    """Add the role check as a signal; it can only lower the confidence."""
    settings = settings or PreflightSettings(profile=seen.profile)
    confidence = seen.confidence * (1.0 - check.penalty)
    threshold = settings.block_threshold()
    blocked = threshold is not None and confidence < threshold
    status = PreflightStatus.BLOCKED if blocked else seen.status
    partial = settings.partial_threshold()
    if status is PreflightStatus.OK and partial is not None and confidence < partial:
        status = PreflightStatus.PARTIAL
    name, sha256 = load_prompt("firmground.preflight", _PROMPT).mark
    told = f"role check by {check.model}: {check.penalty:.2f} (prompt {name}, sha256 {sha256})"
    reasons = (*seen.reasons, told)
    return replace(
        seen,
        status=status,
        confidence=confidence,
        signals=(*seen.signals, Signal(name=SIGNAL, penalty=check.penalty)),
        reasons=reasons,
    )


def role_clause() -> dict[str, str]:
    """Name and SHA-256 of the prompt, as a run commits to them."""
    name, sha256 = load_prompt("firmground.preflight", _PROMPT).mark
    return {"prompt": name, "sha256": sha256}


def _request(question: Question) -> ModelRequest:
    tools = ", ".join(question.tools) or "none"
    fence = _fence(question.text)
    goal = f"Role: {question.role}\nTools: {tools}\nGoal:\n{fence}\n{question.text}\n{fence}"
    prompt = load_prompt("firmground.preflight", _PROMPT)
    return ModelRequest(
        messages=(("system", prompt.text), ("user", goal)),
        prompts=(prompt.mark,),
        max_tokens=80,
        json_schema=_SCHEMA,
    )


def _fence(text: str) -> str:
    """A marker line that does not occur in the text."""
    fence = "====="
    while fence in text:
        fence += "="
    return fence


def _read(text: str, model: str) -> RoleCheck | Fault:
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        return _bad("the reply is not JSON")
    if not isinstance(reply, dict):
        return _bad("the reply is not an object")
    values = (reply.get("role_violation"), reply.get("behavioral_anomaly"))
    numbers = [float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) != 2 or not all(0.0 <= v <= 1.0 for v in numbers):
        return _bad("role_violation and behavioral_anomaly must both be numbers in [0, 1]")
    return RoleCheck(role_violation=numbers[0], behavioral_anomaly=numbers[1], model=model)


def _bad(message: str) -> Fault:
    return Fault(source=_SOURCE, kind=FaultKind.BAD_REPLY, message=message)
