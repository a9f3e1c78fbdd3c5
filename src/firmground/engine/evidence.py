"""Evidence as callers have it: text, paths, mappings, documents of other libraries, rows."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from firmground.adapters.evidence.values import evidence_from_value, without_keys
from firmground.core import plugins
from firmground.core.evidence import Evidence
from firmground.core.ports import EvidenceReader
from firmground.errors import InputError

EvidenceLike: TypeAlias = Any
"""A string, a path, an ``Evidence``, a mapping, a document object, a table, or many of these."""

_WOULD_TAKE = (
    "evidence may be a string, a pathlib.Path, a firmground.Evidence, a mapping with 'text', "
    "'record' or 'rows', an object with page_content, text, content or get_content(), a dataframe, "
    "or an iterable of these"
)
_TEXT_ATTRIBUTES = ("page_content", "text", "content")
_META_KEYS = {"source": "origin", "url": "origin", "file_path": "origin", "title": "title"}


def evidence_from(
    value: EvidenceLike, readers: Sequence[EvidenceReader] = ()
) -> tuple[Evidence, ...]:
    """Read evidence in any form that callers have it; an unusable value says what is accepted."""
    if _is_one(value, readers):
        return _pieces(value, "evidence", readers)
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        found: list[Evidence] = []
        for at, one in enumerate(value):
            found += _pieces(one, f"evidence[{at}]", readers)
        return tuple(found)
    raise InputError(f"evidence is of type {type(value).__name__}; {_WOULD_TAKE}")


def _is_one(value: object, readers: Sequence[EvidenceReader]) -> bool:
    return (
        isinstance(value, str | Evidence | Mapping | os.PathLike)
        or _is_frame(value)
        or _text_of(value) is not None
        or any(reader.reads(value) for reader in readers)
    )


def _pieces(value: Any, where: str, readers: Sequence[EvidenceReader]) -> tuple[Evidence, ...]:
    for reader in readers:
        if reader.reads(value):
            return tuple(without_keys(piece) for piece in reader.read(value))
    if isinstance(value, os.PathLike):
        return _from_path(Path(value), where)
    if isinstance(value, str | Evidence):
        return (evidence_from_value(value, where),)
    if isinstance(value, Mapping):
        return (evidence_from_value(_described(value), where),)
    if _is_frame(value):
        rows = value.to_dict("records") if hasattr(value, "iloc") else value.to_dicts()
        return (evidence_from_value({"rows": [_plain_row(row) for row in rows]}, where),)
    text = _text_of(value)
    if text is None:
        raise InputError(f"{where} is of type {type(value).__name__}; {_WOULD_TAKE}")
    piece = evidence_from_value({"text": text, **_metadata(value)}, where)
    return (replace(piece, origin_start=_start_of(value)),)


def _from_path(path: Path, where: str) -> tuple[Evidence, ...]:
    from firmground.adapters.evidence import load_source
    from firmground.adapters.evidence.limits import SourceLabel

    loaded = load_source(str(path), SourceLabel(), fetch=False) if path.exists() else None
    if loaded is None:
        raise InputError(f"{where}: there is no file or folder {path}")
    if not loaded.evidence:
        told = "; ".join(f"{one.origin}: {one.reason}" for one in loaded.skipped)
        raise InputError(f"{where}: nothing could be read from {path}{': ' if told else ''}{told}")
    return tuple(loaded.evidence)


def _described(value: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A mapping as a description; one shaped like another library's document is translated."""
    if "page_content" in value and set(value) <= {"page_content", "metadata", "id", "type"}:
        meta = value.get("metadata")
        return {
            "text": value["page_content"],
            **_from_metadata(meta if isinstance(meta, Mapping) else {}, value.get("id")),
        }
    return value


def _text_of(value: object) -> str | None:
    """The text of a document object of another library; None for other objects."""
    if isinstance(value, str | bytes | Mapping | list | tuple | set):
        return None
    getter = getattr(value, "get_content", None)
    if callable(getter):
        text = getter()
        if isinstance(text, str):
            return str(text)
    for name in _TEXT_ATTRIBUTES:
        text = getattr(value, name, None)
        if isinstance(text, str):
            return str(text)  # a class derived from str has no canonical form
    return None


def _metadata(value: object) -> dict[str, Any]:
    meta = getattr(value, "metadata", None) or getattr(value, "meta", None)
    name = getattr(value, "id", None) or getattr(value, "node_id", None)
    found = _from_metadata(meta if isinstance(meta, Mapping) else {}, name)
    score = getattr(value, "score", None)
    if isinstance(score, int | float) and not isinstance(score, bool):
        found["score"] = float(score)
    return found


def _start_of(value: object) -> int:
    """Where a document begins in its original, as text splitters note it; 0 when they do not."""
    start = getattr(getattr(value, "node", value), "start_char_idx", None)
    if start is None:
        meta = getattr(value, "metadata", None) or getattr(value, "meta", None)
        noted = meta if isinstance(meta, Mapping) else {}
        start = noted.get("start_index", noted.get("split_idx_start"))
    return start if isinstance(start, int) and not isinstance(start, bool) and start > 0 else 0


def _from_metadata(meta: Mapping[Any, Any], name: object) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, ours in _META_KEYS.items():
        if isinstance(meta.get(key), str):
            found.setdefault(ours, meta[key])
    if isinstance(name, str) and name:
        found["id"] = name
    return found


def _is_frame(value: object) -> bool:
    """True for the tables of pandas (``iloc``) and polars (``to_dicts``)."""
    return hasattr(value, "columns") and (
        hasattr(value, "iloc") or callable(getattr(value, "to_dicts", None))
    )


def _plain_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row whose values JSON knows; numbers of other libraries become Python's, the rest text."""
    return {str(key): _plain_value(value) for key, value in row.items()}


def _plain_value(value: Any) -> Any:
    if hasattr(value, "item") and not isinstance(value, str | bytes):
        value = value.item()
    if isinstance(value, float) and math.isnan(value):  # how a dataframe says: nothing here
        return None
    plain = value is None or isinstance(value, str | int | float | bool)
    return value if plain else str(value)


def installed_readers() -> tuple[EvidenceReader, ...]:
    """The readers that installed packages offer."""
    return tuple(
        made() if isinstance(made, type) else made
        for made in plugins.installed("evidence_readers").values()
    )
