"""Chat completions: the protocol of ``POST /v1/chat/completions``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import orjson

from firmground.service.problems import HttpProblem
from firmground.service.proxy.deltas import ToolCall
from firmground.service.proxy.outbox import Closing, Piece
from firmground.service.proxy.requests import (
    EvidenceFinder,
    ProxyRequest,
    model_request,
    refuse_unchecked,
)

HEARTBEAT = b": firmground is checking\n\n"


def read_chat(body: Any, finder: EvidenceFinder) -> ProxyRequest:
    """Read the body of a request."""
    if not isinstance(body, dict):
        raise HttpProblem("invalid", "the body must be an object")
    refuse_unchecked(body)
    return model_request(body, finder, surface="chat", echo={})


def completion(document: dict[str, Any], request: ProxyRequest) -> dict[str, Any]:
    """The reply to a request that is not streamed."""
    made = {
        "id": f"chatcmpl-{document['run']}",
        "object": "chat.completion",
        "created": document["created"],
        "model": document["model"],
        "choices": [
            {
                "index": choice["index"],
                "message": _message(choice),
                "logprobs": None,
                "finish_reason": choice["finish"],
            }
            for choice in document["choices"]
        ],
        "firmground": document["firmground"],
    }
    if document["usage"] is not None:
        made["usage"] = usage_document(document["usage"])
    return made


def _message(choice: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "role": "assistant",
        "content": choice["text"] or None,
        "refusal": choice["refusal"] or None,
    }
    if choice["calls"]:
        made["tool_calls"] = [
            _call(ToolCall(**call), at, document_id=f"{choice['index']}")
            for at, call in enumerate(choice["calls"])
        ]
    return made


def _call(call: ToolCall, at: int, *, document_id: str) -> dict[str, Any]:
    return {
        "id": call.id or f"call_{document_id}_{at}",
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def usage_document(usage: list[int]) -> dict[str, int]:
    """Tokens as the protocol counts them."""
    prompt, completed = usage
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completed,
        "total_tokens": prompt + completed,
    }


class ChatWriter:
    """Writes released pieces as the chunks of a stream."""

    heartbeat = HEARTBEAT

    def __init__(self, run: str, request: ProxyRequest) -> None:
        self._request = request
        self._begun: set[int] = set()
        self._head = {
            "id": f"chatcmpl-{run}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": request.model,
        }

    def opening(self) -> Iterator[bytes]:
        """What is sent before anything was released."""
        return iter(())

    def piece(self, piece: Piece) -> Iterator[bytes]:
        """The chunks of one piece."""
        delta: dict[str, Any] = {}
        if piece.text:
            delta["content"] = piece.text
        if piece.refusal:
            delta["refusal"] = piece.refusal
        if piece.calls:
            delta["tool_calls"] = [
                {"index": at, **_call(call, at, document_id=f"{piece.choice}")}
                for at, call in enumerate(piece.calls)
            ]
        if delta:
            yield self._chunk(piece.choice, self._first(piece.choice) | delta, None)
        if piece.finish is not None:
            yield self._chunk(piece.choice, self._first(piece.choice), piece.finish)

    def _first(self, choice: int) -> dict[str, Any]:
        if choice in self._begun:
            return {}
        self._begun.add(choice)
        return {"role": "assistant"}

    def closing(self, closing: Closing) -> Iterator[bytes]:
        """The verdict, the usage and the end."""
        document = closing.document
        yield self._data({"choices": [], "firmground": document["firmground"]})
        if self._request.include_usage:
            used = usage_document(document["usage"] or [0, 0])
            yield self._data({"choices": [], "usage": used})
        yield b"data: [DONE]\n\n"

    def failed(self, error: dict[str, Any]) -> Iterator[bytes]:
        """An error after the stream has begun."""
        yield b"data: %s\n\n" % orjson.dumps({"error": error})

    def _chunk(self, index: int, delta: dict[str, Any], finish: str | None) -> bytes:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
        return self._data({"choices": [choice]})

    def _data(self, members: dict[str, Any]) -> bytes:
        return b"data: %s\n\n" % orjson.dumps(self._head | members)
