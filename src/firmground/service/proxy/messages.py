"""Anthropic's messages: the protocol of ``POST /v1/messages``, on top of chat completions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from firmground.service.problems import HttpProblem
from firmground.service.proxy.outbox import Closing, Piece
from firmground.service.proxy.requests import (
    EXTENSION,
    EvidenceFinder,
    ProxyRequest,
    model_request,
    refuse_unchecked,
)

_SAME = ("model", "stream", "temperature", "top_p", "max_tokens", EXTENSION)
_KNOWN = frozenset(
    (*_SAME, "messages", "system", "tools", "tool_choice", "stop_sequences", "metadata", "top_k",
     "thinking", "service_tier")
)  # fmt: skip
_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}


def read_messages(body: Any, finder: EvidenceFinder) -> ProxyRequest:
    """Read the body of a request, as a chat request for the upstream."""
    if not isinstance(body, dict):
        raise HttpProblem("invalid", "the body must be an object")
    refuse_unchecked(body)
    for name in body:
        if name not in _KNOWN:
            raise HttpProblem("invalid", f"{name}: is not known here", field=name)
    if not isinstance(body.get("messages"), list):
        raise HttpProblem("invalid", "messages: must be a list", field="messages")
    chat: dict[str, Any] = {name: body[name] for name in _SAME if name in body}
    made = [*_system(body.get("system"))]
    for at, message in enumerate(body["messages"]):
        made += _message(message, at)
    chat["messages"] = made
    if body.get("stop_sequences"):
        chat["stop"] = body["stop_sequences"]
    if body.get("tools"):
        if not isinstance(body["tools"], list):
            raise HttpProblem("invalid", "tools: must be a list", field="tools")
        chat["tools"] = [_tool(tool, at) for at, tool in enumerate(body["tools"])]
    if isinstance(body.get("tool_choice"), dict):
        chat["tool_choice"] = _tool_choice(body["tool_choice"])
    return model_request(chat, finder, surface="messages", echo={})


def _system(value: Any) -> list[dict[str, Any]]:
    if value is None:
        return []
    return [{"role": "system", "content": "\n".join(_texts(value, "system"))}]


def _texts(value: Any, where: str) -> list[str]:
    if isinstance(value, str):
        return [value]
    texts = []
    for part in value if isinstance(value, list) else [None]:
        text = _document(part) if isinstance(part, dict) else None
        if text is None:
            told = f"{where}: only text and documents with text are known here"
            raise HttpProblem("invalid", told, field=where)
        texts.append(text)
    return texts


def _document(part: dict[str, Any]) -> str | None:
    """The text of a block; a document becomes a tagged block, so that it is evidence."""
    if part.get("type") == "document":
        source = part.get("source")
        text = source.get("data") if isinstance(source, dict) else None
        plain = isinstance(source, dict) and source.get("type") == "text"
        return f"<document>{text}</document>" if plain and isinstance(text, str) else None
    text = part.get("text")
    return text if part.get("type") == "text" and isinstance(text, str) else None


def _message(message: Any, at: int) -> list[dict[str, Any]]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in ("user", "assistant"):
        told = f"messages[{at}].role: must be user or assistant"
        raise HttpProblem("invalid", told, field="messages")
    content, where = message.get("content"), f"messages[{at}].content"
    if isinstance(content, str):
        return [{"role": role, "content": content}]
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise HttpProblem("invalid", f"{where}: must be a text or a list of blocks", field=where)
    kinds = ("tool_use", "tool_result", "thinking", "redacted_thinking")
    results = [
        {
            "role": "tool",
            "tool_call_id": part.get("tool_use_id"),
            "content": "\n".join(_texts(part.get("content", ""), where)),
        }
        for part in content
        if part.get("type") == "tool_result"
    ]
    calls = [
        {
            "id": part.get("id"),
            "type": "function",
            "function": {
                "name": part.get("name"),
                "arguments": orjson.dumps(part.get("input") or {}).decode(),
            },
        }
        for part in content
        if part.get("type") == "tool_use"
    ]
    texts = _texts([part for part in content if part.get("type") not in kinds], where)
    made: list[dict[str, Any]] = [*results]
    if calls:
        made.append({"role": role, "content": "\n".join(texts) or None, "tool_calls": calls})
    elif texts:
        made.append({"role": role, "content": "\n".join(texts)})
    return made


def _tool(tool: Any, at: int) -> dict[str, Any]:
    known = isinstance(tool, dict) and tool.get("type", "custom") == "custom"
    if not known or not isinstance(tool.get("name"), str):
        told = f"tools[{at}]: only tools of the client are known here"
        raise HttpProblem("invalid", told, field="tools")
    function = {"name": tool["name"], "parameters": tool.get("input_schema") or {}}
    if isinstance(tool.get("description"), str):
        function["description"] = tool["description"]
    return {"type": "function", "function": function}


def _tool_choice(value: dict[str, Any]) -> Any:
    if value.get("type") == "tool":
        return {"type": "function", "function": {"name": value.get("name")}}
    return {"any": "required", "none": "none"}.get(str(value.get("type")), "auto")


def message_object(document: dict[str, Any], request: ProxyRequest) -> dict[str, Any]:
    """The reply to a request that is not streamed."""
    choice = document["choices"][0]
    text = choice["text"] + choice["refusal"]
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": call["id"] or f"toolu_{at}", "name": call["name"],
         "input": orjson.loads(call["arguments"] or "{}")}
        for at, call in enumerate(choice["calls"])
    ]  # fmt: skip
    return {
        **_head(document["run"], request),
        "content": content,
        "stop_reason": _REASONS[choice["finish"]],
        "stop_sequence": None,
        "usage": _usage(document["usage"]),
        "firmground": document["firmground"],
    }


def _head(run: str, request: ProxyRequest) -> dict[str, Any]:
    return {"id": f"msg_{run}", "type": "message", "role": "assistant", "model": request.model}


def _usage(usage: list[int] | None) -> dict[str, int]:
    prompt, completed = usage or [0, 0]
    return {"input_tokens": prompt, "output_tokens": completed}


class MessagesWriter:
    """Writes released pieces as the events of a stream."""

    heartbeat = b'event: ping\ndata: {"type": "ping"}\n\n'

    def __init__(self, run: str, request: ProxyRequest) -> None:
        self._run, self._request = run, request
        self._blocks = 0
        self._in_text = False
        self._finish = "stop"

    def opening(self) -> Iterator[bytes]:
        """The message before there is anything in it."""
        message = {
            **_head(self._run, self._request),
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": _usage(None),
        }
        yield _event("message_start", message=message)

    def piece(self, piece: Piece) -> Iterator[bytes]:
        """The events of one piece."""
        if text := piece.text + piece.refusal:
            if not self._in_text:
                self._in_text = True
                empty = {"type": "text", "text": ""}
                yield _event("content_block_start", index=self._blocks, content_block=empty)
            delta = {"type": "text_delta", "text": text}
            yield _event("content_block_delta", index=self._blocks, delta=delta)
        if piece.calls or piece.finish is not None:
            yield from self._close_text()
        for at, call in enumerate(piece.calls):
            name = call.id or f"toolu_{at}"
            block = {"type": "tool_use", "id": name, "name": call.name, "input": {}}
            index, self._blocks = self._blocks, self._blocks + 1
            yield _event("content_block_start", index=index, content_block=block)
            more = {"type": "input_json_delta", "partial_json": call.arguments}
            yield _event("content_block_delta", index=index, delta=more)
            yield _event("content_block_stop", index=index)
        self._finish = piece.finish or self._finish

    def _close_text(self) -> Iterator[bytes]:
        if self._in_text:
            self._in_text = False
            yield _event("content_block_stop", index=self._blocks)
            self._blocks += 1

    def closing(self, closing: Closing) -> Iterator[bytes]:
        """The reason for the end, the usage and the verdict."""
        document = closing.document
        delta = {"stop_reason": _REASONS[self._finish], "stop_sequence": None}
        yield _event("message_delta", delta=delta, usage=_usage(document["usage"]),
                     firmground=document["firmground"])  # fmt: skip
        yield _event("message_stop")

    def failed(self, error: dict[str, Any]) -> Iterator[bytes]:
        """An error after the stream has begun."""
        yield _event("error", error=error)


def _event(kind: str, **members: Any) -> bytes:
    data = orjson.dumps({"type": kind, **members})
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), data)
