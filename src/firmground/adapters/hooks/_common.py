"""What the built-in hooks share: picking their input out of the case, and threads that stop."""

from __future__ import annotations

import asyncio
import json
import math
import re
import sys
import threading
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, TypeVar

from firmground.core.finding import Fault, FaultKind
from firmground.core.ports import HookCase
from firmground.errors import InputError

VERSION = "1"
MOST_JSON_BYTES = 1 << 20
MOST_JSON_DEPTH = 32
_MOST_LISTED = 20

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[{\]}]")
_T = TypeVar("_T")
Stop = Callable[[], bool]


class Unreadable(ValueError):  # noqa: N818 - reads as what is the case
    """The text is not JSON that a check can use."""


def check_source(source: str, *, key: str) -> str:
    """Refuse a source that ``pick`` would not know."""
    known = source in ("answer", "question") or source.startswith(("metadata:", "literal:"))
    if not known:
        raise InputError(
            f"{key} {source!r} is unknown; use answer, question, metadata:NAME or literal:TEXT"
        )
    return source


def pick(case: HookCase, source: str) -> str | None:
    """The text a source names, or None when the case does not have it."""
    kind, _, rest = source.partition(":")
    if kind == "answer":
        return case.answer
    if kind == "question":
        return case.question.text if case.question else None
    if kind == "literal":
        return rest
    return dict(case.metadata).get(rest)


def skipped(name: str, message: str) -> Fault:
    """There was nothing to check, which is not the same as fine."""
    return Fault(source=name, kind=FaultKind.SKIPPED, message=message)


def not_applicable(name: str, message: str) -> Fault:
    """There was nothing of the kind this hook looks at; not a pass, and nothing went wrong."""
    return Fault(source=name, kind=FaultKind.NOT_APPLICABLE, message=message)


async def in_thread(work: Callable[[Stop], _T]) -> _T:
    """Run blocking work in a thread; when the task is cancelled, the work is signalled to stop."""
    stop = threading.Event()
    try:
        return await asyncio.to_thread(work, stop.is_set)
    except asyncio.CancelledError:
        stop.set()
        raise


async def imported(load: Callable[[], Any], module: str) -> Any:
    """Import a heavy library beside the loop the first time; the loop must not wait for it."""
    return load() if module in sys.modules else await in_thread(lambda _: load())


def read_json(text: str | bytes, *, most_bytes: int = MOST_JSON_BYTES) -> Any:
    """Read JSON within size and depth, refusing repeated keys and NaN or infinite numbers."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(raw) > most_bytes:
        raise Unreadable(f"longer than {most_bytes} bytes")
    if _depth(raw) > MOST_JSON_DEPTH:
        raise Unreadable(f"nested more than {MOST_JSON_DEPTH} deep")
    try:
        return json.loads(
            raw,
            object_pairs_hook=_no_twins,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error) or "not JSON") from None


def _depth(raw: bytes) -> int:
    """How deep brackets nest outside strings."""
    deepest = depth = 0
    for match in _BRACKET.finditer(_STRING.sub(b"", raw)):
        depth += 1 if match.group() in b"[{" else -1
        if depth > deepest:
            deepest = depth
            if deepest > MOST_JSON_DEPTH:
                break
    return deepest


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise Unreadable("a key stands twice in one object")
    return made


def _no_constant(text: str) -> Any:
    raise Unreadable(f"{text} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise Unreadable(f"{text[:40]} is larger than any number we can compare")
    return value


def follow(document: Any, pointer: str) -> Any:
    """Follow a JSON pointer (RFC 6901); ``LookupError`` when it leads nowhere."""
    if pointer == "":
        return document
    if not pointer.startswith("/"):
        raise InputError(f"JSON pointer {pointer!r} must be empty or begin with /")
    for raw in pointer[1:].split("/"):
        name = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict):
            document = document[name]
        elif isinstance(document, list) and name.isdecimal() and (name == "0" or name[0] != "0"):
            document = document[int(name)]
        else:
            raise LookupError(name)
    return document


def listed(texts: Sequence[str], separator: str = ", ") -> str:
    """The first few in one line, and how many more there are."""
    more = len(texts) - _MOST_LISTED
    told = separator.join(texts[:_MOST_LISTED])
    return f"{told}{separator}and {more} more" if more > 0 else told


def counted(number: int, one: str, many: str) -> str:
    """A number with its words: ``1 file is``, ``2 files are``."""
    return f"{number} {one if number == 1 else many}"


def same(value: Any, wanted: str | float) -> bool:
    """True when a value is the wanted one: texts as they are shown, numbers as numbers."""
    if isinstance(wanted, str):
        return shown(value) == wanted
    if isinstance(wanted, bool) or isinstance(value, bool):
        return value is wanted
    if isinstance(value, Decimal):
        return value == Decimal(str(wanted))
    return isinstance(value, int | float) and value == wanted


def shown(value: Any) -> str:
    """A value as a person would write it: text bare, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
