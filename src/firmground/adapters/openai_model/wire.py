"""Our request as the protocol has it, and its reply as ours. No call is made here."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

from firmground.core.ports import ModelReply, ModelRequest
from firmground.core.redact import Redaction
from firmground.errors import InputError, ModelError

SHORTEST_SECRET = 8
"""Shorter keys are placeholders such as ``none``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointFeatures:
    """What this endpoint has been seen to accept."""

    schema: str = "enforced"
    """``enforced`` (JSON schema), ``json`` (any JSON object), ``asked`` (only in words)."""
    logprobs: bool = True
    many: bool = True
    """Several samples in one call."""
    tokens_field: str = "max_tokens"

    def without(self, complaint: str, arguments: dict[str, Any]) -> EndpointFeatures | None:
        """What is left after the endpoint refused a call with this complaint; None: not that."""
        text = complaint.lower()
        sent = arguments
        if "max_completion_tokens" in text and self.tokens_field == "max_tokens":
            return replace(self, tokens_field="max_completion_tokens")
        if sent.get("logprobs") and "logprob" in text:
            return replace(self, logprobs=False)
        if sent.get("n", 1) > 1 and _names_samples(text):
            return replace(self, many=False)
        if "response_format" in sent and _names_schema(text):
            return replace(self, schema="json" if self.schema == "enforced" else "asked")
        return None


def _names_samples(text: str) -> bool:
    return any(
        mark in text for mark in ("slots", "parallel", "'n'", "`n`", "n >", "n>", "only one")
    )


def _names_schema(text: str) -> bool:
    return any(mark in text for mark in ("response_format", "json_schema", "schema", "grammar"))


def arguments_for(
    request: ModelRequest, *, model: str, ability: EndpointFeatures
) -> dict[str, Any]:
    """The keyword arguments of one call."""
    _refuse_ill_formed(request)
    made: dict[str, Any] = {
        "model": model,
        "messages": [
            {"role": role, "content": _sendable(content)} for role, content in request.messages
        ],
        "temperature": request.temperature,
    }
    if request.max_tokens is not None:
        made[ability.tokens_field] = request.max_tokens
    if request.seed is not None:
        made["seed"] = request.seed
    if request.samples > 1:
        made["n"] = request.samples
    if request.top_logprobs and ability.logprobs:
        made |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    if request.json_schema is not None and ability.schema != "asked":
        made["response_format"] = _response_format(request.json_schema, ability.schema)
    return made


def _response_format(schema: str, how: str) -> dict[str, Any]:
    if how == "json":
        return {"type": "json_object"}
    wrapped = {"name": "reply", "strict": True, "schema": json.loads(schema)}
    return {"type": "json_schema", "json_schema": wrapped}


def _refuse_ill_formed(request: ModelRequest) -> None:
    if not request.messages:
        raise InputError("a request needs at least one message")
    if request.samples < 1:
        raise InputError(f"request.samples must be at least 1, got {request.samples}")


def _sendable(content: str) -> str:
    """The text with U+FFFD for every lone surrogate, which no JSON can carry."""
    if content.isascii():
        return content
    return "".join("\ufffd" if "\ud800" <= mark <= "\udfff" else mark for mark in content)


def reply_from(
    completion: Any, *, request: ModelRequest, ability: EndpointFeatures, seconds: float
) -> ModelReply:
    """Read a completion; one without text is a failure, not an empty answer."""
    choices = getattr(completion, "choices", None)
    if not choices:
        raise ModelError("the endpoint sent no choices", kind="bad_reply")
    ordered = sorted(choices, key=lambda choice: choice.index)
    usage = getattr(completion, "usage", None)
    return ModelReply(
        texts=tuple(_text(choice) for choice in ordered),
        model=str(completion.model or ""),
        tokens_in=_count(usage, "prompt_tokens"),
        tokens_out=_count(usage, "completion_tokens"),
        logprobs=_logprobs(ordered[0]) if request.top_logprobs else None,
        finish=tuple(str(choice.finish_reason or "") for choice in ordered),
        schema=ability.schema if request.json_schema is not None else "",
        seconds=seconds,
    )


def _count(usage: Any, name: str) -> int:
    """A count the endpoint gave; a negative one would pay a budget back."""
    value = getattr(usage, name, 0)
    return max(0, value) if isinstance(value, int) else 0


def _text(choice: Any) -> str:
    message = choice.message
    refusal = getattr(message, "refusal", None)
    if refusal:
        raise ModelError(f"the model refused: {refusal[:200]}", kind="refused")
    if choice.finish_reason == "content_filter":
        raise ModelError("the endpoint's content filter cut the reply", kind="refused")
    if not (message.content or "").strip():
        ended = choice.finish_reason or "no reason given"
        raise ModelError(f"the reply holds no text (finished by: {ended})", kind="bad_reply")
    return str(message.content)


def _logprobs(choice: Any) -> tuple[tuple[tuple[str, float], ...], ...] | None:
    offered = getattr(choice, "logprobs", None)
    places = getattr(offered, "content", None)
    if not places:
        return None
    return tuple(
        tuple(
            (str(one.token), float(one.logprob))
            for one in (place.top_logprobs or [place])
            if not isnan(float(one.logprob))
        )
        for place in places
    )


def without_secret(reply: ModelReply, clean: Redaction) -> ModelReply:
    """The same, should the endpoint repeat the key it was sent: replies are kept and recorded."""
    if not clean:
        return reply
    return replace(
        reply, texts=tuple(clean(text) for text in reply.texts), model=clean(reply.model)
    )


def joined(replies: list[ModelReply]) -> ModelReply:
    """Several replies to one request as one reply; logprobs stay those of the first."""
    costs = [reply.cost for reply in replies]
    return replace(
        replies[0],
        texts=tuple(text for reply in replies for text in reply.texts),
        finish=tuple(one for reply in replies for one in reply.finish),
        tokens_in=sum(reply.tokens_in for reply in replies),
        tokens_out=sum(reply.tokens_out for reply in replies),
        seconds=sum(reply.seconds for reply in replies),
        calls=sum(reply.calls for reply in replies),
        cost=None if None in costs else sum(cost or 0.0 for cost in costs),
    )
