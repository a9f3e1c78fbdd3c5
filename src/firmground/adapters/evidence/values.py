"""Evidence that arrives as a value: a string, a description, a record, or rows from a tool."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from firmground.adapters.evidence.decode import refuse_binary
from firmground.adapters.evidence.htmltext import read_page
from firmground.adapters.evidence.limits import default_role, default_trust
from firmground.core.evidence import Evidence, EvidenceKind, Trust
from firmground.core.redact import public_address
from firmground.errors import InputError, did_you_mean

_TEXTS = ("text", "id", "kind", "role", "trust", "origin", "title", "retrieved_at")
_CONTENT = ("text", "record", "rows")
KEYS = frozenset({*_TEXTS, *_CONTENT, "score", "page"})
"""The keys a description of evidence may have."""


def evidence_from_value(value: object, where: str = "evidence") -> Evidence:
    """Read one piece from a string, a description or an ``Evidence``; errors name the key."""
    if isinstance(value, Evidence):
        return without_keys(value)
    if isinstance(value, str):
        return Evidence(text=_checked(value, where))
    if isinstance(value, Mapping):
        return _described(value, where)
    raise InputError(
        f"{where} is a {type(value).__name__}; give a string or an object with 'text', "
        "'record' or 'rows'"
    )


def without_keys(piece: Evidence) -> Evidence:
    """The piece without the keys that the address it came from may hold: origins are recorded."""
    shown = public_address(piece.origin)
    return piece if shown == piece.origin else replace(piece, origin=shown)


def is_description(value: object) -> bool:
    """True for an object that describes evidence rather than being a record itself."""
    return isinstance(value, dict) and isinstance(value.get("text"), str) and value.keys() <= KEYS


def _described(value: Mapping[Any, Any], where: str) -> Evidence:
    unknown = [key for key in value if key not in KEYS]
    if unknown:
        near = did_you_mean(str(unknown[0]), KEYS)
        known = ", ".join(sorted(KEYS))
        raise InputError(f"{where}.{unknown[0]} is unknown{near}; known are {known}")
    for key in _TEXTS:
        if not isinstance(value.get(key), str | None):
            raise InputError(f"{where}.{key} must be a string, got {type(value[key]).__name__}")
    content = [key for key in _CONTENT if value.get(key) is not None]
    if len(content) != 1:
        raise InputError(f"{where} needs exactly one of 'text', 'record', 'rows'")
    kind = _kind(value.get("kind"), content[0], where)
    text = _checked(_content_text(value, content[0], where), f"{where}.{content[0]}")
    title: str = value.get("title") or ""
    runs: tuple[tuple[int, int, int, int], ...] = ()
    if kind is EvidenceKind.HTML:
        page = read_page(text)
        text, runs, title = _checked(page.text, where), page.runs, title or page.title
    return Evidence(
        text=text,
        id=value.get("id") or "",
        kind=kind,
        role=value.get("role") or default_role(kind),
        trust=_trust(value.get("trust"), kind, where),
        origin=public_address(value.get("origin") or ""),
        title=title,
        score=_score(value.get("score"), where),
        retrieved_at=value.get("retrieved_at"),
        origin_start=None if runs or content[0] != "text" else 0,
        origin_runs=runs,
        page=_page(value.get("page"), where),
    )


def _content_text(value: Mapping[Any, Any], key: str, where: str) -> str:
    content = value[key]
    if key == "text":
        return str(content)
    if key == "record" and isinstance(content, Mapping):
        return _written(dict(content), f"{where}.record")
    if key == "rows" and isinstance(content, list | tuple) and content:
        rows = (_written(row, f"{where}.rows[{n}]") for n, row in enumerate(content))
        return "[" + ",\n".join(rows) + "]"
    raise InputError(f"{where}.{key} must be {'an object' if key == 'record' else 'a filled list'}")


def _written(value: object, where: str) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{where} is not JSON: {error}") from None


def _checked(text: str, where: str) -> str:
    refuse_binary(text, where)
    if not text.strip():
        raise InputError(f"{where} is empty")
    return text


def _kind(value: str | None, content: str, where: str) -> EvidenceKind:
    if value is None:
        return {"record": EvidenceKind.RECORD, "rows": EvidenceKind.TOOL}.get(
            content, EvidenceKind.TEXT
        )
    try:
        return EvidenceKind(value)
    except ValueError:
        known = ", ".join(EvidenceKind)
        near = did_you_mean(value, EvidenceKind)
        raise InputError(f"{where}.kind {value!r} is unknown{near}; use one of {known}") from None


def _trust(value: str | None, kind: EvidenceKind, where: str) -> Trust:
    if value is None:
        return default_trust(kind)
    try:
        return Trust.parse(value)
    except InputError as error:
        raise InputError(f"{where}.{error}") from None


def _score(value: object, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{where}.score must be a finite number, got {value!r}")
    return float(value)


def _page(value: object, where: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{where}.page counts from 1, got {value!r}")
    return value
