"""Reading JSON the way models write it, without ever raising.

Fences and talk around it, curly quotation marks as delimiters, trailing and missing commas,
single quotes, Python's names for true and none, comments and a reply that was cut off are all
read through; each is named in `problems`. Strings are scanned as strings, so marks inside them
mean nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmground.core.lazy_pattern import lazy_pattern

_DEEPEST = 32
_MOST_STARTS = 16
_CLOSERS = {'"': '"', "“": '”“"', "”": '”"', "„": '“”"', "'": "'", "‘": "’'", "’": "’'"}
_WORD = lazy_pattern(r"[A-Za-z0-9_+.-]{1,64}")
_SPACE = lazy_pattern(r"(?:\s|,|//[^\n]*|/\*[^*]{0,2000}\*/)*")
_PAIR = lazy_pattern(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_CONSTANTS: dict[str, bool | None] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A string: its value, and where it stands between its marks."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A number, a truth value or nothing, as written."""

    value: bool | float | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Array:
    """A list."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """Pairs in the order in which they stand; a key may stand twice."""

    pairs: tuple[tuple[str, Node], ...]

    def get(self, *keys: str) -> Node | None:
        """The first value under any of the keys, whatever their capitals."""
        for wanted in keys:
            for key, value in self.pairs:
                if key.strip().lower() == wanted:
                    return value
        return None


Node = Text | Scalar | Array | Object


@dataclass(frozen=True, slots=True, kw_only=True)
class LenientReading:
    """What could be read, and what had to be read through."""

    node: Object | Array | None
    problems: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    """Where the JSON stands in the text; `start == end` when there is none."""


def read_json(text: str) -> LenientReading:
    """Find the first object or list in a text that holds an object, and read it."""
    best = LenientReading(node=None, problems=("no_json",))
    for tried, match in enumerate(re.finditer(r"[{\[]", text)):
        if tried >= _MOST_STARTS:
            break
        reader = _LenientReader(text)
        node, end = reader.value(match.start(), 0)
        if isinstance(node, Object | Array) and _holds_object(node):
            problems = [*reader.problems, *_around(text, match.start(), end)]
            return LenientReading(
                node=node, problems=tuple(dict.fromkeys(problems)), start=match.start(), end=end
            )
    return best


def _holds_object(node: Object | Array) -> bool:
    if isinstance(node, Object):
        return bool(node.pairs)
    return any(isinstance(item, Object) for item in node.items)


def _around(text: str, start: int, end: int) -> list[str]:
    before, after = text[:start].strip(), text[end:].strip()
    found = []
    if "```" in before or "```" in after:
        found.append("fenced")
    if before.replace("```json", "").replace("```", "").strip():
        found.append("preamble")
    if after.replace("```", "").strip():
        found.append("epilogue")
    return found


class _LenientReader:
    """Reads one value; every method returns what it read and where it stopped."""

    __slots__ = ("problems", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[str] = []

    def value(self, at: int, depth: int) -> tuple[Node | None, int]:
        if depth > _DEEPEST:
            self.problems.append("too_deep")
            return None, len(self.text)
        char = self.text[at : at + 1]
        if char == "{":
            return self._object(at + 1, depth)
        if char == "[":
            return self._array(at + 1, depth)
        if char in _CLOSERS and char:
            return self.string(at)
        return self._word(at)

    def string(self, at: int) -> tuple[Text, int]:
        mark = self.text[at]
        if mark != '"':
            self.problems.append("curly_quotes" if mark in "“”„‘’" else "single_quotes")
        closers, here, parts = _CLOSERS[mark], at + 1, []
        while here < len(self.text):
            char = self.text[here]
            if char == "\\":
                piece, here = _escape(self.text, here)
                parts.append(piece)
            elif char in closers and self._ends_string(mark, char, here):
                return Text(value="".join(parts), start=at + 1, end=here), here + 1
            else:
                stop = _next_mark(self.text, here + 1)
                parts.append(self.text[here:stop])
                here = stop
        self.problems.append("cut_off")
        return Text(value="".join(parts), start=at + 1, end=here), here

    def _ends_string(self, mark: str, char: str, at: int) -> bool:
        """A mark that could as well belong to the words ends a string only before a delimiter."""
        after = self.text[at + 1 : at + 24].lstrip()
        ends = (char != mark and char not in "'\"") or not after or after[0] in ',:}]"“/`'
        if not ends and char == mark == '"':
            self.problems.append("inner_quotes")
        return ends

    def _object(self, at: int, depth: int) -> tuple[Object, int]:
        pairs: list[tuple[str, Node]] = []
        while True:
            at, closed = self._next(at, "}", first=not pairs)
            if closed:
                return Object(pairs=tuple(pairs)), at
            key, at = self._key(at)
            at = _skip(self.text, at)
            if self.text[at : at + 1] != ":":
                self.problems.append("cut_off" if at >= len(self.text) else "malformed")
                return Object(pairs=tuple(pairs)), len(self.text)
            value, at = self.value(_skip(self.text, at + 1), depth + 1)
            if value is None:
                return Object(pairs=tuple(pairs)), len(self.text)
            pairs.append((key, value))

    def _key(self, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] in _CLOSERS:
            found, at = self.string(at)
            return found.value, at
        match = _WORD.match(self.text, at)
        if match is None:
            return "", len(self.text)
        self.problems.append("bare_key")
        return match.group(), match.end()

    def _array(self, at: int, depth: int) -> tuple[Array, int]:
        items: list[Node] = []
        while True:
            at, closed = self._next(at, "]", first=not items)
            if closed:
                return Array(items=tuple(items)), at
            value, at = self.value(at, depth + 1)
            if value is None:
                return Array(items=tuple(items)), len(self.text)
            items.append(value)

    def _next(self, at: int, closer: str, *, first: bool) -> tuple[int, bool]:
        """Step over what separates items; True when the list or object is over."""
        stop = _skip(self.text, at)
        commas = self.text.count(",", at, stop)
        if stop >= len(self.text):
            self.problems.append("cut_off")
            return stop, True
        if self.text[stop] in "}]":
            if commas:
                self.problems.append("trailing_comma")
            if self.text[stop] != closer:
                self.problems.append("mismatched_bracket")
            return stop + 1, True
        if not commas and not first:
            self.problems.append("missing_comma")
        return stop, False

    def _word(self, at: int) -> tuple[Scalar | None, int]:
        match = _WORD.match(self.text, at)
        if match is None:
            self.problems.append("malformed")
            return None, len(self.text)
        word = match.group()
        if word in _CONSTANTS:
            return Scalar(value=_CONSTANTS[word]), match.end()
        try:
            return Scalar(value=float(word)), match.end()
        except ValueError:
            self.problems.append("bare_word")
            return Scalar(value=word), match.end()


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _next_mark(text: str, at: int) -> int:
    match = _MARKS.search(text, at)
    return match.start() if match else len(text)


_MARKS = lazy_pattern(r"[\\\"“”„'‘’]")


def _escape(text: str, at: int) -> tuple[str, int]:
    char = text[at + 1 : at + 2]
    if char == "u":
        digits = text[at + 2 : at + 6]
        pair = _PAIR.match(text, at)
        if pair:
            high, low = int(pair.group(1), 16), int(pair.group(2), 16)
            return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00), pair.end()
        if re.fullmatch(r"[0-9A-Fa-f]{4}", digits):
            return chr(int(digits, 16)), at + 6
    return _ESCAPES.get(char, char), at + 2
