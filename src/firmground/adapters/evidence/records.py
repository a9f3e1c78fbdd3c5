"""JSON and JSONL: each record verbatim, at its exact place in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from firmground.adapters.evidence.jsontext import array_items, parse_json
from firmground.adapters.evidence.limits import Original
from firmground.adapters.evidence.values import evidence_from_value, is_description
from firmground.core.evidence import Evidence, EvidenceKind
from firmground.errors import InputError


def read_json(original: Original) -> Iterator[Evidence]:
    """Yield one piece for an object, one for each item of an array."""
    text, origin = original.text, original.origin
    depth = original.label.limits.max_depth
    if not text.lstrip().startswith("[") or original.kind is EvidenceKind.TOOL:
        value = parse_json(text, origin, max_depth=depth)
        yield _piece(original, value, text, 0)
        return
    empty = True
    for value, start, end in array_items(text, origin, max_depth=depth):
        empty = False
        yield _piece(original, value, text[start:end], start)
    if empty:
        raise InputError(f"{origin}: an empty array")


def read_jsonl(original: Original) -> Iterator[Evidence]:
    """Yield one piece for each line that is not blank."""
    position = 0
    depth = original.label.limits.max_depth
    for number, line in enumerate(original.text.split("\n"), 1):
        if line.strip():
            value = parse_json(line, original.origin, max_depth=depth, first_line=number)
            yield _piece(original, value, line, position, f": line {number}")
        position += len(line) + 1


def _piece(original: Original, value: object, raw: str, start: int, line: str = "") -> Evidence:
    """Make evidence of the record ``raw``, whose first character stands at ``start``."""
    if isinstance(value, str) or is_description(value):
        return _described(evidence_from_value(value, original.origin + line), original)
    if original.kind not in (EvidenceKind.RECORD, EvidenceKind.TOOL):
        original = replace(original, kind=EvidenceKind.RECORD)
    indent = len(raw) - len(raw.lstrip())
    piece = original.piece(raw.strip(), start=start + indent)
    return replace(piece, origin=_tool_name(value) or piece.origin)


def _tool_name(value: object) -> str:
    """The call a tool's reply came from, when the reply names it."""
    name = value.get("tool") if isinstance(value, dict) else None
    return f"tool:{name}" if isinstance(name, str) and name else ""


def _described(piece: Evidence, original: Original) -> Evidence:
    """Let the caller's words about the file win over the description's own."""
    label = original.label
    return replace(
        piece,
        kind=label.kind or piece.kind,
        role=label.role or piece.role,
        trust=piece.trust if label.trust is None else label.trust,
        origin=piece.origin or original.origin,
        retrieved_at=label.retrieved_at or piece.retrieved_at,
        origin_start=None,
    )
