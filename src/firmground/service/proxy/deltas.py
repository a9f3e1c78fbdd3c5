"""What an upstream sends, read strictly: only known members, each of a known type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

FINISH_REASONS = frozenset({"stop", "length", "tool_calls", "content_filter"})
_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_MOST_CALLS = 128


class UnreadableReply(Exception):  # noqa: N818 - says what happened
    """An upstream's reply is not what the protocol says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPart:
    """A piece of one tool call."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What one piece of a reply adds to one choice."""

    choice: int
    text: str = ""
    refusal: str = ""
    reasoning: str = ""
    calls: tuple[CallPart, ...] = ()
    finish: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyUsage:
    """How many tokens were used."""

    prompt: int
    completion: int


@dataclass(slots=True)
class ToolCall:
    """One tool call, put together from its pieces."""

    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Collected:
    """Everything that came for one choice."""

    text: str = ""
    refusal: str = ""
    reasoning: int = 0
    """Characters of reasoning, which is not kept."""
    calls: dict[int, ToolCall] = field(default_factory=dict)
    finish: str | None = None

    def take(self, delta: Delta) -> int:
        """Add a piece; return how many characters are held because of it."""
        self.text += delta.text
        self.refusal += delta.refusal
        self.reasoning += len(delta.reasoning)
        size = len(delta.text) + len(delta.refusal)
        for part in delta.calls:
            call = self.calls.setdefault(part.index, ToolCall())
            call.id = call.id or part.id
            call.name += part.name
            call.arguments += part.arguments
            size += len(part.name) + len(part.arguments)
        self.finish = delta.finish or self.finish
        return size


def deltas_in(document: Any, *, choices: int) -> Iterator[Delta | ProxyUsage]:
    """Read one chunk of a stream, or a whole completion."""
    if not isinstance(document, dict) or document.get("error") is not None:
        raise UnreadableReply("it reported an error")
    for choice in _list(document.get("choices") or [], "choices"):
        yield _choice(_dict(choice, "choices[]"), choices)
    if document.get("usage") is not None:
        usage = _dict(document["usage"], "usage")
        yield ProxyUsage(
            prompt=_whole(usage.get("prompt_tokens", 0)),
            completion=_whole(usage.get("completion_tokens", 0)),
        )


def _choice(choice: dict[str, Any], choices: int) -> Delta:
    index = choice.get("index", 0)
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < choices:
        raise UnreadableReply(f"choices[].index is {index!r:.20}")
    said = _dict(choice.get("delta") or choice.get("message") or {}, "delta")
    calls = _list(said.get("tool_calls") or [], "tool_calls")
    finish = choice.get("finish_reason")
    if finish is not None and finish not in FINISH_REASONS:
        finish = "stop"
    return Delta(
        choice=index,
        text=_content(said.get("content")),
        refusal=_text(said.get("refusal"), "refusal"),
        reasoning=_text(said.get("reasoning_content") or said.get("reasoning"), "reasoning"),
        calls=tuple(_call(_dict(c, "tool_calls[]"), at) for at, c in enumerate(calls)),
        finish=finish,
    )


def _call(call: dict[str, Any], at: int) -> CallPart:
    index = call.get("index", at)
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < _MOST_CALLS:
        raise UnreadableReply("tool_calls[].index is not usable")
    function = _dict(call.get("function") or {}, "function")
    stated, name = _text(call.get("id"), "id"), _text(function.get("name"), "name")
    return CallPart(
        index=index,
        id=stated if _CALL_ID.match(stated) else "",
        name=name if _NAME.match(name) else "",
        arguments=_text(function.get("arguments"), "arguments"),
    )


def _content(value: Any) -> str:
    if not isinstance(value, list):
        return _text(value, "content")
    parts = [_dict(part, "content[]") for part in value]
    if any(part.get("type") not in ("text", "output_text") for part in parts):
        raise UnreadableReply("content has parts that are not text")
    return "".join(_text(part.get("text"), "content[].text") for part in parts)


def _text(value: Any, name: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnreadableReply(f"{name} is not a text")
    return value


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _dict(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnreadableReply(f"{name} is not an object")
    return value


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise UnreadableReply(f"{name} is not a list")
    return value
