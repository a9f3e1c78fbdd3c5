"""Reading request bodies: size, depth and fields, with errors that name the field."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from firmground.config.service import ServiceLimits
from firmground.service.problems import HttpProblem

M = TypeVar("M", bound=BaseModel)

_READ_TO_END = 4
"""A body up to so many times the limit is read and dropped, so that its sender gets the reply."""


class Body(NamedTuple):
    """A body that was read, and the digest of its bytes."""

    value: Any
    digest: bytes


async def read_body(request: Request, limits: ServiceLimits) -> Body:
    """Read a JSON body within the limits."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HttpProblem("media_type")
    stated = request.headers.get("content-length", "0")
    if stated.isdecimal() and int(stated) > _READ_TO_END * limits.body_bytes:
        raise _too_large(limits)
    raw, size = bytearray(), 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > _READ_TO_END * limits.body_bytes:
                raise _too_large(limits)
            if size <= limits.body_bytes:
                raw += piece
    except ClientDisconnect:
        raise HttpProblem("invalid", "the body ended early") from None
    if size > limits.body_bytes:
        raise _too_large(limits)
    try:
        value = orjson.loads(bytes(raw))
    except orjson.JSONDecodeError as error:
        raise HttpProblem("not_json", str(error)) from None
    if _deeper_than(value, limits.depth):
        raise HttpProblem("invalid", f"the body is nested deeper than {limits.depth} levels")
    return Body(value, hashlib.sha256(raw).digest())


def _too_large(limits: ServiceLimits) -> HttpProblem:
    return HttpProblem("too_large", f"a body may have {limits.body_bytes} bytes")


def _deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth + 1):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner += one.values()
            elif isinstance(one, list):
                inner += one
        if not inner:
            return False
        level = inner
    return True


def parsed(model: type[M], value: Any) -> M:
    """Read a body as a model; the problem names the first field that is wrong."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = _path(first["loc"])
        raise HttpProblem(
            "invalid", f"{field or 'body'}: {first['msg']}", field=field or None
        ) from None


def _path(parts: tuple[int | str, ...]) -> str:
    made = ""
    for part in parts:
        made += f"[{part}]" if isinstance(part, int) else f".{part}" if made else str(part)
    return made
