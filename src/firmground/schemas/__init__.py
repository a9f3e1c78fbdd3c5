"""JSON Schemas (draft 2020-12) of the ``--json`` outputs of the commands."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from firmground.errors import InputError, did_you_mean


def schema_names() -> tuple[str, ...]:
    """Return the names of all schemas: the words of the command, joined by hyphens."""
    found = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in found if name.endswith(".json")))


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a command's ``--json`` output, such as ``check``."""
    known = schema_names()
    if name not in known:
        raise InputError(f"there is no schema {name!r}{did_you_mean(name, known)}")
    document: dict[str, Any] = json.loads((files(__name__) / f"{name}.json").read_bytes())
    return document
