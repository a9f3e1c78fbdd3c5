"""Leaves of a JSON document or Python literal, each with its path and exact span."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmground.core.lazy_pattern import lazy_pattern

_MOST_DEPTH = 200
# Keys are repeated in every path below them, so an endless one is cut.
_LONGEST_NAME = 80
_SPACE = lazy_pattern(r"\s*")
_STRING = lazy_pattern(r"[uUrRbB]?(?:\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\]|\\.)*+)')", re.DOTALL)
_BARE = lazy_pattern(
    r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])"
    r"|(?:true|false|null|True|False|None|-?(?:NaN|nan|inf|Infinity))(?!\w)"
)
_CLOSING = {"{": "}", "[": "]", "(": ")"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A scalar of a record: its path, the span of its value (inside quotes), and its kind."""

    path: str
    start: int
    end: int
    quoted: bool


@dataclass(slots=True)
class _Frame:
    """An open bracket: what closes it, its path, and how many items it has had."""

    close: str
    path: str
    items: int = 0


class _MalformedError(Exception):
    """The text is not one whole record."""


def read_leaves(text: str) -> tuple[Leaf, ...] | None:
    """Read a record's leaves in order, or give None if the text is not one whole record."""
    record = record_at(text, _skip(text, 0))
    if record is None or _skip(text, record[1]) != len(text):
        return None
    return record[0]


def record_at(text: str, at: int) -> tuple[tuple[Leaf, ...], int] | None:
    """Read the record that opens at a place, and where it ends; None if none opens there."""
    if text[at : at + 1] not in ("{", "["):
        return None
    try:
        leaves, end = _LiteralReader(text).read(at)
    except _MalformedError:
        return None
    return tuple(leaves), end


class _LiteralReader:
    """A single forward pass with an explicit stack, so depth cannot exhaust the interpreter."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stack: list[_Frame] = []
        self._leaves: list[Leaf] = []

    def read(self, at: int) -> tuple[list[Leaf], int]:
        at = self._open(at, "")
        while self._stack:
            at = self._item(at)
        return self._leaves, at

    def _open(self, at: int, path: str) -> int:
        if len(self._stack) >= _MOST_DEPTH:
            raise _MalformedError
        self._stack.append(_Frame(close=_CLOSING[self._text[at]], path=path))
        return at + 1

    def _item(self, at: int) -> int:
        """Read one item of the innermost bracket, or its end."""
        frame = self._stack[-1]
        at = _skip(self._text, at)
        if frame.items and self._text[at : at + 1] == ",":
            at = _skip(self._text, at + 1)
        elif frame.items and self._text[at : at + 1] != frame.close:
            raise _MalformedError
        if self._text[at : at + 1] == frame.close:
            self._stack.pop()
            return at + 1
        name = str(frame.items + 1)
        if frame.close == "}":
            name, at = self._key(at)
        frame.items += 1
        return self._value(at, f"{frame.path}.{name}" if frame.path else name)

    def _key(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self._text, at) or _BARE.match(self._text, at)
        if match is None:
            raise _MalformedError
        colon = _skip(self._text, match.end())
        if self._text[colon : colon + 1] != ":":
            raise _MalformedError
        name = match.group(match.lastindex) if match.lastindex else match.group()
        return name[:_LONGEST_NAME], _skip(self._text, colon + 1)

    def _value(self, at: int, path: str) -> int:
        if self._text[at : at + 1] in _CLOSING and at < len(self._text):
            return self._open(at, path)
        match = _STRING.match(self._text, at)
        if match is not None and match.lastindex:
            start, end = match.span(match.lastindex)
            self._leaves.append(Leaf(path=path, start=start, end=end, quoted=True))
            return match.end()
        match = _BARE.match(self._text, at)
        if match is None:
            raise _MalformedError
        self._leaves.append(Leaf(path=path, start=at, end=match.end(), quoted=False))
        return match.end()


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
