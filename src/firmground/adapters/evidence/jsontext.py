"""JSON from outside, read strictly: bounded depth, no doubled keys, errors with line and column."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from firmground.core.lazy_pattern import lazy_pattern
from firmground.errors import InputError

_TOKEN = lazy_pattern(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_SPACE = lazy_pattern(r"[ \t\r\n]*")
_LONGEST_INTEGER = 400


def parse_json(text: str, where: str, *, max_depth: int = 32, first_line: int = 1) -> Any:
    """Return the one JSON value that ``text`` holds."""
    begin = _skip(text, 0)
    value, end = _decode_at(text, begin, where, max_depth, first_line)
    rest = _skip(text, end)
    if rest != len(text):
        _fail(text, rest, where, first_line, "something follows the JSON value")
    return value


def array_items(text: str, where: str, *, max_depth: int = 32) -> Iterator[tuple[Any, int, int]]:
    """Yield each item of a JSON array with the exact place it stands in ``text``."""
    _check_depth(text, where, max_depth, 1)
    position = _skip(text, 0)
    if text[position : position + 1] != "[":
        _fail(text, position, where, 1, "expected an array")
    position = _skip(text, position + 1)
    while text[position : position + 1] != "]":
        value, end = _decode_at(text, position, where, None, 1)
        yield value, position, end
        position = _skip(text, end)
        if text[position : position + 1] == ",":
            position = _skip(text, position + 1)
        elif text[position : position + 1] != "]":
            _fail(text, position, where, 1, "expected a comma or the end of the array")
    if _skip(text, position + 1) != len(text):
        _fail(text, position + 1, where, 1, "something follows the array")


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    assert match is not None
    return match.end()


def _decode_at(
    text: str, position: int, where: str, max_depth: int | None, first_line: int
) -> tuple[Any, int]:
    if max_depth is not None:
        _check_depth(text, where, max_depth, first_line)
    try:
        return _DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        _fail(text, error.pos, where, first_line, f"not JSON: {error.msg.removesuffix(' at')}")
    except _BadValueError as error:
        _fail(text, position, where, first_line, str(error))
    except RecursionError:
        _fail(text, position, where, first_line, "nested too deep")


def _check_depth(text: str, where: str, max_depth: int, first_line: int) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        sign = token.group()[0]
        if sign in "[{":
            depth += 1
            if depth > max_depth:
                _fail(text, token.start(), where, first_line, f"nested more than {max_depth} deep")
        elif sign in "]}":
            depth -= 1


def _fail(text: str, position: int, where: str, first_line: int, why: str) -> NoReturn:
    line = text.count("\n", 0, position) + first_line
    column = position - (text.rfind("\n", 0, position) + 1) + 1
    place = where if where == f"line {line}" else f"{where}: line {line}"
    raise InputError(f"{place}, column {column}: {why}")


class _BadValueError(ValueError):
    """A value that is valid JSON but is not accepted here."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise _BadValueError(f"the key {key!r} stands twice in one object")
        made[key] = value
    return made


def _constant(name: str) -> NoReturn:
    raise _BadValueError(f"{name} is not a JSON number")


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise _BadValueError(f"an integer of {len(digits)} digits")
    return int(digits)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant, parse_int=_integer)
