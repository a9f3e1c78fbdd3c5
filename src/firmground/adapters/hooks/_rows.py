"""What rows of a database must be like for a yes."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firmground.adapters.hooks._common import (
    VERSION,
    check_source,
    counted,
    pick,
    same,
    shown,
    skipped,
)
from firmground.adapters.hooks.http_api import occurs
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError

MOST_BYTES = 16 << 20
"""What all rows of a reply may hold together."""
EXPECTATIONS = ("rows", "no_rows", "equals", "in_answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """Some ``rows`` or ``no_rows``; or the first value ``equals`` a text or is ``in_answer``."""

    kind: str = "rows"
    value: str | float = ""

    def __post_init__(self) -> None:
        if self.kind not in EXPECTATIONS:
            raise InputError(f"expect {self.kind!r} is not one of {', '.join(EXPECTATIONS)}")


_READS = re.compile(r"\s*(?:select|with|values)\b", re.IGNORECASE)


def check_query(name: str, query: str) -> None:
    """Refuse what is not one reading statement; the database refuses the rest."""
    if not query.strip():
        raise InputError(f"hook {name!r}: query is empty")
    if not _READS.match(query):
        raise InputError(f"hook {name!r}: query must begin with SELECT, WITH or VALUES")


def check_parameters(name: str, parameters: Sequence[tuple[str, str]]) -> None:
    """Refuse parameters that no case could fill."""
    for parameter, source in parameters:
        check_source(source, key=f"hook {name!r}: parameters.{parameter}")


def bound_values(
    name: str, case: HookCase, parameters: Sequence[tuple[str, str]]
) -> dict[str, str] | Fault:
    """The values to bind; a parameter the case cannot fill means nothing is asked."""
    values = {parameter: pick(case, source) for parameter, source in parameters}
    missing = sorted(parameter for parameter, value in values.items() if value is None)
    if missing:
        return skipped(name, f"nothing to bind as {', '.join(missing)}")
    return {parameter: value or "" for parameter, value in values.items()}


def size_of(row: Sequence[Any]) -> int:
    """About how many bytes a row holds."""
    return sum(len(cell) if isinstance(cell, str | bytes) else 32 for cell in row)


def check_limits(name: str, seconds: float, rows: int) -> None:
    """Refuse limits that limit nothing or let nothing through."""
    if not 0 < seconds < math.inf:
        raise InputError(f"hook {name!r}: query_seconds must be above 0, got {seconds}")
    if rows < 1:
        raise InputError(f"hook {name!r}: most_rows must be at least 1, got {rows}")


def judged(
    name: str, expectation: Expectation, rows: Sequence[Sequence[Any]], case: HookCase
) -> HookReply | Fault:
    """Compare the rows with what is expected of them."""
    if expectation.kind in ("rows", "no_rows"):
        message = counted(len(rows), "row", "rows")
        return _said(name, rows, bool(rows) is (expectation.kind == "rows"), message)
    if not rows or not rows[0]:
        return _said(name, rows, False, "no row came back")
    value = _plain(rows[0][0])
    if expectation.kind == "equals":
        wanted = expectation.value
        message = f"the value is {value}, expected {shown(wanted)}"
        equal = value == wanted if isinstance(wanted, str) else same(rows[0][0], wanted)
        return _said(name, rows, equal, message, value)
    return _in_answer(name, rows, value, case)


def _in_answer(
    name: str, rows: Sequence[Sequence[Any]], value: str, case: HookCase
) -> HookReply | Fault:
    if case.answer is None:
        return skipped(name, "there is no answer to compare with")
    if not value.strip():
        return Fault(source=name, kind=FaultKind.BAD_REPLY, message="the value is empty")
    found = occurs(value, case.answer)
    message = f"the value is {value}; the answer {'says' if found else 'lacks'} it"
    return _said(name, rows, found, message, value)


def _said(
    name: str, rows: Sequence[Sequence[Any]], passed: bool, message: str, value: str = ""
) -> HookReply:
    cells = [[str(cell) for cell in row] for row in rows]
    return HookReply(
        source=name,
        passed=passed,
        message=message[:2000],
        details=(("value", value[:2000]),) if value else (),
        guidance="" if passed else f"{name} says: {message}"[:2000],
        version=VERSION,
        replied=_digest(cells),
    )


def _digest(cells: list[list[str]]) -> str:
    """SHA-256 of the rows as JSON, row by row so that other threads get their turn in between."""
    hasher = hashlib.sha256()
    for piece in json.JSONEncoder().iterencode(cells):
        hasher.update(piece.encode())
    return hasher.hexdigest()


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return shown(value) if isinstance(value, str | bool | int | float) else str(value)
