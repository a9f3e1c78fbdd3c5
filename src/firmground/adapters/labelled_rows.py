"""Labelled answers, one JSON object a line: what stands in them and which characters do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmground.adapters.document import request_from_value
from firmground.adapters.evidence.jsontext import parse_json
from firmground.errors import InputError
from firmground.pipeline.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAnswer:
    """One answer and the exact pieces of it that do not stand."""

    request: Request
    spans: tuple[tuple[int, int], ...]
    line: int


def read_labelled_answers(path: Path) -> Iterator[LabelledAnswer]:
    """Read rows ``{answer, evidence, spans | labels}``; a bad row is an error that names its line.

    ``spans`` are ``[start, end]`` pieces of the answer that do not stand, ``labels`` the same as
    objects with ``start`` and ``end``; an empty list says that all of it stands.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8: {error.reason}") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            value = parse_json(line, where)
            request = request_from_value(value, where)
            yield LabelledAnswer(
                request=request,
                spans=labelled_spans(value, len(request.answer), where),
                line=number,
            )


def labelled_spans(value: Any, length: int, where: str) -> tuple[tuple[int, int], ...]:
    """Read the pieces of an answer that do not stand; errors name the place."""
    given = [key for key in ("spans", "labels") if key in value]
    if len(given) != 1:
        raise InputError(f"{where}: needs one of 'spans' and 'labels', [] when all of it stands")
    pieces = value[given[0]]
    if not isinstance(pieces, list):
        raise InputError(f"{where}: {given[0]} must be a list")
    return tuple(
        _span(piece, length, f"{where}: {given[0]}[{at}]") for at, piece in enumerate(pieces)
    )


def _span(piece: Any, length: int, where: str) -> tuple[int, int]:
    ends: Any = [piece.get("start"), piece.get("end")] if isinstance(piece, dict) else piece
    whole = isinstance(ends, list) and len(ends) >= 2 and all(type(e) is int for e in ends[:2])
    if not whole:
        raise InputError(f"{where}: must be [start, end] or an object with start and end")
    start, end = ends[:2]
    if not 0 <= start < end <= length:
        raise InputError(
            f"{where}: [{start}, {end}] does not lie in the answer's {length} characters"
        )
    return start, end
