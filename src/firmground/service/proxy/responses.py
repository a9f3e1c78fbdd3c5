"""The protocol of ``POST /v1/responses``, written on top of chat completions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import orjson

from firmground.service.problems import HttpProblem
from firmground.service.proxy.chat import HEARTBEAT
from firmground.service.proxy.outbox import Closing, Piece
from firmground.service.proxy.requests import (
    EXTENSION,
    EvidenceFinder,
    ProxyRequest,
    model_request,
    refuse_unchecked,
)

_UNSUPPORTED = {
    "previous_response_id": "replies are not stored; send the whole conversation",
    "conversation": "conversations are not stored; send the whole conversation",
    "background": "replies are not stored",
    "prompt": "stored prompts are not known here",
    "include": "output that is not checked cannot be included",
}
_SAME = (
    "model",
    "stream",
    "temperature",
    "top_p",
    "parallel_tool_calls",
    "user",
    "seed",
    EXTENSION,
)
_IGNORED = frozenset(
    "store metadata truncation service_tier safety_identifier prompt_cache_key reasoning"
    " max_output_tokens instructions input tools tool_choice text stream_options".split()
)
_ECHOED = (
    "instructions", "max_output_tokens", "metadata", "parallel_tool_calls", "temperature",
    "tool_choice", "tools", "top_p", "text",
)  # fmt: skip


def read_responses(body: Any, finder: EvidenceFinder) -> ProxyRequest:
    """Read the body of a request, as a chat request for the upstream."""
    if not isinstance(body, dict):
        raise HttpProblem("invalid", "the body must be an object")
    refuse_unchecked(body)
    for name, why in _UNSUPPORTED.items():
        if body.get(name) not in (None, False, []):
            raise HttpProblem("invalid", f"{name}: {why}", field=name)
    for name in body:
        if name not in _SAME and name not in _IGNORED and name not in _UNSUPPORTED:
            raise HttpProblem("invalid", f"{name}: is not known here", field=name)
    chat: dict[str, Any] = {name: body[name] for name in _SAME if name in body}
    chat["messages"] = [*_instructions(body), *_messages(body.get("input"))]
    if body.get("max_output_tokens") is not None:
        chat["max_tokens"] = body["max_output_tokens"]
    if body.get("tools"):
        chat["tools"] = [_tool(tool, at) for at, tool in enumerate(_listed(body, "tools"))]
    if body.get("tool_choice") is not None:
        chat["tool_choice"] = _tool_choice(body["tool_choice"])
    if (form := _format(body.get("text"))) is not None:
        chat["response_format"] = form
    echo = {name: body.get(name) for name in _ECHOED}
    return model_request(chat, finder, surface="responses", echo=echo)


def _listed(body: dict[str, Any], name: str) -> list[Any]:
    value = body[name]
    if not isinstance(value, list):
        raise HttpProblem("invalid", f"{name}: must be a list", field=name)
    return value


def _instructions(body: dict[str, Any]) -> list[dict[str, Any]]:
    stated = body.get("instructions")
    if stated is None:
        return []
    if not isinstance(stated, str):
        raise HttpProblem("invalid", "instructions: must be a text", field="instructions")
    return [{"role": "system", "content": stated}]


def _messages(given: Any) -> list[dict[str, Any]]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list) or not given:
        raise HttpProblem("invalid", "input: must be a text or a list of items", field="input")
    made: list[dict[str, Any]] = []
    for at, item in enumerate(given):
        kind = item.get("type", "message") if isinstance(item, dict) else None
        if kind == "message":
            made.append(_message(item, at))
        elif kind == "function_call":
            function = {"name": item.get("name"), "arguments": item.get("arguments")}
            call = {"id": item.get("call_id"), "type": "function", "function": function}
            if made and made[-1]["role"] == "assistant" and made[-1].get("tool_calls"):
                made[-1]["tool_calls"].append(call)
            else:
                made.append({"role": "assistant", "content": None, "tool_calls": [call]})
        elif kind == "function_call_output":
            output = _content(item.get("output"), at)
            made.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": output})
        elif kind != "reasoning":
            raise HttpProblem("invalid", f"input[{at}]: this type of item is not known here",
                              field="input")  # fmt: skip
    return made


def _message(item: dict[str, Any], at: int) -> dict[str, Any]:
    role = item.get("role")
    if role not in ("user", "assistant", "system", "developer"):
        raise HttpProblem("invalid", f"input[{at}].role: is not known", field="input")
    return {
        "role": "system" if role == "developer" else role,
        "content": _content(item.get("content"), at),
    }


def _content(value: Any, at: int) -> str:
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else [None]
    texts = []
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else None
        if not isinstance(text, str):
            told = f"input[{at}].content: only parts with text are known here"
            raise HttpProblem("invalid", told, field="input")
        texts.append(text)
    return "\n".join(texts)


def _tool(tool: Any, at: int) -> dict[str, Any]:
    if not isinstance(tool, dict) or tool.get("type") != "function":
        told = f"tools[{at}]: only functions are known here; built-in tools are not checked"
        raise HttpProblem("invalid", told, field="tools")
    names = ("name", "description", "parameters", "strict")
    return {"type": "function", "function": {n: tool[n] for n in names if tool.get(n) is not None}}


def _tool_choice(value: Any) -> Any:
    if isinstance(value, dict):
        return {"type": "function", "function": {"name": value.get("name")}}
    return value


def _format(text: Any) -> dict[str, Any] | None:
    form = text.get("format") if isinstance(text, dict) else None
    if not isinstance(form, dict) or form.get("type") in (None, "text"):
        return None
    if form["type"] != "json_schema":
        return {"type": form["type"]}
    names = ("name", "schema", "strict", "description")
    return {"type": "json_schema", "json_schema": {n: form[n] for n in names if n in form}}


def response_object(
    document: dict[str, Any], request: ProxyRequest, *, status: str | None = None
) -> dict[str, Any]:
    """The reply; with a status other than the final one it has no output yet."""
    choice = document["choices"][0] if document["choices"] else None
    ended = status is None
    output = _output(document["run"], choice) if choice is not None and ended else []
    finish = choice["finish"] if choice is not None else "stop"
    reasons = {"content_filter": "content_filter", "length": "max_output_tokens"}
    why = reasons.get(finish) if ended else None
    made: dict[str, Any] = {
        "id": f"resp_{document['run']}",
        "object": "response",
        "created_at": document["created"],
        "model": document["model"],
        "status": status or ("incomplete" if why else "completed"),
        "error": None,
        "incomplete_details": {"reason": why} if why else None,
        "output": output,
        **request.echo,
        "parallel_tool_calls": request.echo.get("parallel_tool_calls") is not False,
        "tool_choice": request.echo.get("tool_choice") or "auto",
        "tools": request.echo.get("tools") or [],
        "usage": _usage(document["usage"]) if ended else None,
    }
    if ended:
        made["firmground"] = document["firmground"]
    return made


def _usage(usage: list[int] | None) -> dict[str, Any] | None:
    if usage is None:
        return None
    return {
        "input_tokens": usage[0],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage[1],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sum(usage),
    }


def _output(run: str, choice: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    content = [*_text_parts(choice["text"]), *_refusal_parts(choice["refusal"])]
    if content:
        items.append(_message_item(run, content, "completed"))
    for at, call in enumerate(choice["calls"]):
        items.append(_call_item(run, at, call, "completed"))
    return items


def _text_parts(text: str) -> list[dict[str, Any]]:
    return [{"type": "output_text", "text": text, "annotations": []}] if text else []


def _refusal_parts(refusal: str) -> list[dict[str, Any]]:
    return [{"type": "refusal", "refusal": refusal}] if refusal else []


def _message_item(run: str, content: list[dict[str, Any]], status: str) -> dict[str, Any]:
    return {
        "id": f"msg_{run}",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": content,
    }


def _call_item(run: str, at: int, call: dict[str, Any], status: str) -> dict[str, Any]:
    return {
        "id": f"fc_{run}_{at}",
        "type": "function_call",
        "call_id": call["id"] or f"call_{at}",
        "name": call["name"],
        "arguments": call["arguments"] if status == "completed" else "",
        "status": status,
    }


class ResponsesWriter:
    """Writes released pieces as the events of a stream; only the first choice has a place."""

    heartbeat = HEARTBEAT

    def __init__(self, run: str, request: ProxyRequest) -> None:
        self._run, self._request = run, request
        self._number = -1
        self._items = 0
        self._text = ""
        self._refusal = ""
        self._open = ""
        """Which kind of content is being written."""

    def opening(self) -> Iterator[bytes]:
        """The response before there is anything in it."""
        empty: dict[str, Any] = {
            "run": self._run, "created": int(time.time()), "model": self._request.model,
            "choices": [], "usage": None,
        }  # fmt: skip
        shown = response_object(empty, self._request, status="in_progress")
        yield self._event("response.created", response=shown)
        yield self._event("response.in_progress", response=shown)

    def piece(self, piece: Piece) -> Iterator[bytes]:
        """The events of one piece."""
        for kind, text in (("text", piece.text), ("refusal", piece.refusal)):
            if text:
                yield from self._more(kind, text)
        if piece.calls or piece.finish is not None:
            yield from self._close_message()
        for at, call in enumerate(piece.calls):
            yield from self._call(at, {"id": call.id, "name": call.name,
                                       "arguments": call.arguments})  # fmt: skip

    def _more(self, kind: str, text: str) -> Iterator[bytes]:
        if not self._items:
            self._items = 1
            item = _message_item(self._run, [], "in_progress")
            yield self._event("response.output_item.added", output_index=0, item=item)
        if self._open != kind:
            yield from self._close_part()
            self._open = kind
            empty = (_text_parts if kind == "text" else _refusal_parts)(" ")[0]
            empty["text" if kind == "text" else "refusal"] = ""
            yield self._event("response.content_part.added", **self._place(), part=empty)
        name = "response.output_text.delta" if kind == "text" else "response.refusal.delta"
        more: dict[str, Any] = {"logprobs": []} if kind == "text" else {}
        if kind == "text":
            self._text += text
        else:
            self._refusal += text
        yield self._event(name, **self._place(), delta=text, **more)

    def _place(self) -> dict[str, Any]:
        at = 1 if self._open == "refusal" and self._text else 0
        return {"item_id": f"msg_{self._run}", "output_index": 0, "content_index": at}

    def _close_part(self) -> Iterator[bytes]:
        if not self._open:
            return
        if self._open == "text":
            done = {"text": self._text, "logprobs": []}
            yield self._event("response.output_text.done", **self._place(), **done)
            part = _text_parts(self._text)[0]
        else:
            yield self._event("response.refusal.done", **self._place(), refusal=self._refusal)
            part = _refusal_parts(self._refusal)[0]
        yield self._event("response.content_part.done", **self._place(), part=part)
        self._open = ""

    def _close_message(self) -> Iterator[bytes]:
        if not self._items:
            return
        yield from self._close_part()
        content = [*_text_parts(self._text), *_refusal_parts(self._refusal)]
        item = _message_item(self._run, content, "completed")
        yield self._event("response.output_item.done", output_index=0, item=item)

    def _call(self, at: int, call: dict[str, Any]) -> Iterator[bytes]:
        index, self._items = self._items, self._items + 1
        begun = _call_item(self._run, at, call, "in_progress")
        whole = _call_item(self._run, at, call, "completed")
        place = {"item_id": begun["id"], "output_index": index}
        arguments = call["arguments"]
        yield self._event("response.output_item.added", output_index=index, item=begun)
        yield self._event("response.function_call_arguments.delta", **place, delta=arguments)
        yield self._event(
            "response.function_call_arguments.done", **place, name=call["name"],
            arguments=arguments,
        )  # fmt: skip
        yield self._event("response.output_item.done", output_index=index, item=whole)

    def closing(self, closing: Closing) -> Iterator[bytes]:
        """The whole response with its verdict."""
        made = response_object(closing.document, self._request)
        yield self._event(f"response.{made['status']}", response=made)

    def failed(self, error: dict[str, Any]) -> Iterator[bytes]:
        """An error after the stream has begun."""
        told = {"code": error["code"], "message": error["message"], "param": error["param"]}
        yield self._event("error", **told)

    def _event(self, kind: str, **members: Any) -> bytes:
        self._number += 1
        data = orjson.dumps({"type": kind, "sequence_number": self._number, **members})
        return b"event: %s\ndata: %s\n\n" % (kind.encode(), data)
