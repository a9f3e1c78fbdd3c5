"""Canonical form: one sequence of bytes for each value.

The form ``fg1`` is a strict subset of RFC 8785: objects, arrays, strings of Unicode scalar values,
integers up to 2**53 - 1 either way, booleans and null. No floats: a score is a decimal string of
six digits. Keys are ``[a-z0-9_.-]{1,64}``. Inside this subset every correct JSON writer that sorts
keys and adds no white space gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from dataclasses import fields, is_dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias

from firmground.errors import CanonError

Value: TypeAlias = "bool | int | str | list[Value] | tuple[Value, ...] | dict[str, Value] | None"

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
MAX_INTEGER = (1 << 53) - 1
MAX_KEY = 64
_KEY = re.compile(r"[a-z0-9_.-]+\Z")
_MAX_DIGITS = 17


def canonical(value: Value, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the one byte sequence that stands for ``value``, or say which part has none."""
    if (fault := _fault(value, 0)) is not None:
        raise CanonError(f"${fault[0]} {fault[1]}")
    data = _write(value)
    if len(data) > max_bytes:
        raise CanonError(f"$ takes {len(data)} bytes, at most {max_bytes} are allowed")
    return data


def parse(data: bytes, *, max_bytes: int = MAX_BYTES) -> Any:
    """Read bytes that are exactly the canonical form of some value; refuse all others."""
    value = _read(data, max_bytes)
    if canonical(value, max_bytes=max_bytes) != data:
        raise CanonError("$ is JSON, but not in canonical form")
    return value


def digest(tag: str, data: bytes) -> bytes:
    """SHA-256 under a domain tag, so that no two kinds of thing share a digest."""
    return hashlib.sha256(tag.encode("ascii") + b"\0" + data).digest()


def decimal(score: float) -> str:
    """Write a score as a decimal string of six digits, the only form scores have in records."""
    if not math.isfinite(score):
        raise CanonError(f"a score must be finite, got {score}")
    text = f"{score:.6f}"
    return "0.000000" if text == "-0.000000" else text


def pack_text(text: str) -> Value:
    """Carry any text: well-formed as it is, ill-formed as its raw bytes, never altered."""
    if _is_well_formed(text):
        return text
    raw = text.encode("utf-8", "surrogatepass")
    return {"enc": "wtf-8", "b64": base64.b64encode(raw).decode("ascii")}


def unpack_text(value: Value) -> str:
    """Give back exactly the text that ``pack_text`` was given."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and set(value) == {"enc", "b64"} and value["enc"] == "wtf-8":
        try:
            text = base64.b64decode(str(value["b64"]), validate=True).decode(
                "utf-8", "surrogatepass"
            )
        except ValueError:
            raise CanonError("a wtf-8 wrapper must hold base64 of wtf-8 bytes") from None
        if pack_text(text) == value:
            return text
    raise CanonError("a text must be a string, or a wtf-8 wrapper where a string will not do")


def _fault(value: Any, depth: int) -> tuple[str, str] | None:  # noqa: PLR0911 - one per kind
    """Where below this value, and why, there is no canonical form; None when there is one.

    The path is built on the way back only, because nearly every value is valid.
    """
    if depth > MAX_DEPTH:
        return "", f"is nested more than {MAX_DEPTH} deep"
    kind = type(value)
    if kind is str:
        if value.isascii() or _is_well_formed(value):
            return None
        return "", "holds a lone surrogate; pack the text first"
    if kind is dict:
        return _fault_in_object(value, depth)
    if kind is list or kind is tuple:
        for position, item in enumerate(value):
            if (found := _fault(item, depth + 1)) is not None:
                return f"[{position}]{found[0]}", found[1]
        return None
    if kind is int:
        if -MAX_INTEGER <= value <= MAX_INTEGER:
            return None
        return "", "is an integer beyond 2**53 - 1"
    if value is None or kind is bool:
        return None
    return "", f"is a {kind.__name__}, which has no canonical form"


def _fault_in_object(value: dict[Any, Any], depth: int) -> tuple[str, str] | None:
    for key, item in value.items():
        # The length first: untrusted input must not fill the cache with long texts.
        if type(key) is not str or len(key) > MAX_KEY or not _is_key(key):
            return "", f"has the key {repr(key)[:MAX_KEY]}; keys are [a-z0-9_.-]{{1,{MAX_KEY}}}"
        if (found := _fault(item, depth + 1)) is not None:
            return f".{key}{found[0]}", found[1]
    return None


@lru_cache(maxsize=1024)
def _is_key(key: str) -> bool:
    return _KEY.match(key) is not None


def _is_well_formed(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _write(value: Value) -> bytes:
    try:
        import orjson
    except ImportError:
        return write_with_stdlib(value)
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def write_with_stdlib(value: Value) -> bytes:
    """Write the same bytes with the standard library; used where orjson is absent."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8")


def _read(data: bytes, max_bytes: int) -> Any:
    if len(data) > max_bytes:
        raise CanonError(f"$ takes {len(data)} bytes, at most {max_bytes} are allowed")
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_float=_no_float,
            parse_constant=_no_float,
            parse_int=_small_int,
        )
    except UnicodeDecodeError as error:
        raise CanonError(f"$ is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise CanonError(f"$ is not JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise CanonError(f"$ is nested more than {MAX_DEPTH} deep") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise CanonError(f"the key {twice[:MAX_KEY]!r} stands twice in one object")
    return made


def _no_float(text: str) -> NoReturn:
    raise CanonError(f"{text[:32]} is not an integer; floats have no canonical form")


def _small_int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise CanonError(f"an integer of {len(text)} digits is beyond 2**53 - 1")
    return int(text)


def plain(value: object) -> Value:
    """Return a noun as a canonical value: scores as decimals, enums by name, any text kept."""
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, float):
        return decimal(value)
    if isinstance(value, str):
        return pack_text(str(value))
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if value is None or isinstance(value, int):
        return value
    raise TypeError(f"{type(value).__name__} has no canonical form")
