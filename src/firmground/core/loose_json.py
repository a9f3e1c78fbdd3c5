"""Finds a JSON object in prose, fences and cut-off text.

Braces inside strings do not count. Nothing is invented: a value that is not in the text is not in
the result, and a text without an object gives None. An object that gives one name two values is
ambiguous and is not returned.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_MAX_CHARACTERS = 1 << 20
_MAX_DEPTH = 32
_MAX_STARTS = 64
_MAX_LOOKED = 2 << 20
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_PAIRS = {"}": "{", "]": "["}


def find_object(text: str) -> dict[str, Any] | None:
    """Return the largest JSON object in the text, or None when there is none."""
    best: tuple[int, dict[str, Any]] | None = None
    for start, end in _spans(text[:_MAX_CHARACTERS], "{"):
        value = _load(text[start:end])
        if isinstance(value, dict) and (best is None or end - start > best[0]):
            best = (end - start, value)
    return best[1] if best else None


def only_object(text: str) -> dict[str, Any] | None:
    """Return the one JSON object that ends the text, or None.

    Prose may stand before it if it holds no brace, and a thinking block may begin the text. A
    second object, or anything but a closing fence after it, is None: somebody else's object that
    the model quotes must never be taken for the model's own.
    """
    reply = _after_thinking(text[: _MAX_CHARACTERS + 1])
    start = reply.find("{")
    if start < 0 or len(reply) > _MAX_CHARACTERS:
        return None
    end = _closing(reply, start)
    if end is None or reply[end:].strip() not in ("", "```"):
        return None
    value = _load(reply[start:end])
    return value if isinstance(value, dict) else None


def _after_thinking(text: str) -> str:
    """What follows a thinking block that begins the text."""
    opened = text.lstrip().removeprefix("<think>")
    if opened == text.lstrip():
        return text
    return opened.partition("</think>")[2]


def find_array(text: str) -> list[Any] | None:
    """Return the largest JSON array in the text, or None when there is none."""
    best: tuple[int, list[Any]] | None = None
    for start, end in _spans(text[:_MAX_CHARACTERS], "["):
        value = _load(text[start:end])
        if isinstance(value, list) and (best is None or end - start > best[0]):
            best = (end - start, value)
    return best[1] if best else None


def _spans(text: str, opening: str) -> Iterator[tuple[int, int]]:
    """Outermost balanced stretches; a stretch that never closes is not one."""
    at, tried, looked = 0, 0, 0
    while (start := text.find(opening, at)) >= 0 and tried < _MAX_STARTS and looked <= _MAX_LOOKED:
        tried += 1
        end = _closing(text, start)
        if end is None:
            looked += len(text) - start
            at = start + 1
            continue
        yield start, end
        at = end


def _closing(text: str, start: int) -> int | None:
    open_marks: list[str] = []
    in_string = escaped = False
    for at in range(start, len(text)):
        mark = text[at]
        if in_string:
            in_string = escaped or mark != '"'
            escaped = mark == "\\" and not escaped
        elif mark == '"':
            in_string = True
        elif mark in "{[":
            open_marks.append(mark)
            if len(open_marks) > _MAX_DEPTH:
                return None
        elif mark in "}]":
            if open_marks.pop() != _PAIRS[mark]:
                return None
            if not open_marks:
                return at + 1
    return None


def _load(text: str) -> Any:
    for candidate in (text, _without_trailing_commas(text)):
        try:
            return json.loads(
                candidate, strict=False, parse_constant=_refuse, object_pairs_hook=_once
            )
        except (ValueError, RecursionError):
            continue
    return None


def _without_trailing_commas(text: str) -> str:
    """Drop commas before a closing bracket, outside strings only."""
    pieces = re.split(r'("(?:[^"\\]|\\.)*")', text, flags=re.DOTALL)
    return "".join(
        piece if at % 2 else _TRAILING_COMMA.sub(r"\1", piece) for at, piece in enumerate(pieces)
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name is given twice")
    return made


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
