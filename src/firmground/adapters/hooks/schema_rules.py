"""Which JSON Schemas are refused because they would say yes to what nobody looked at."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any

from firmground.errors import InputError, did_you_mean

_ONE = frozenset(
    {
        "additionalItems", "additionalProperties", "contains", "else", "if", "items", "not",
        "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
    }
)  # fmt: skip
_LISTS = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_MAPS = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)
_ANNOTATIONS = frozenset(
    {
        "$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema",
        "$vocabulary", "default", "definitions", "deprecated", "description", "else", "examples",
        "id", "maxContains", "minContains", "readOnly", "then", "title", "writeOnly",
    }
)  # fmt: skip
_EACH = frozenset({"dependentSchemas", "patternProperties", "properties"})
"""Keywords that assert nothing when all schemas below them accept everything."""
_REST = frozenset(
    {"additionalItems", "additionalProperties", "items", "propertyNames", "unevaluatedItems"}
    | {"unevaluatedProperties"}
)
_OWN = "x-"
"""How a keyword begins that is somebody's own note."""


def check_schema_asserts(document: Any, *, asserting: Set[str], formats: Set[str]) -> None:
    """Refuse unknown keywords, formats that nothing checks, and a schema that accepts everything.

    ``asserting`` are the keywords of the draft, ``formats`` those that can be checked here.
    """
    for part in _schemas(document):
        for key in part:
            if key not in asserting and key not in _ANNOTATIONS and not key.startswith(_OWN):
                near = did_you_mean(key, sorted(asserting))
                raise InputError(f"unknown keyword {key!r:.80}{near}: it would not be checked")
        named = part.get("format")
        if isinstance(named, str) and named not in formats:
            known = ", ".join(sorted(formats))
            raise InputError(f"format {named!r:.80} cannot be checked here; these can: {known}")
    if _accepts_everything(document, asserting):
        raise InputError("it accepts everything, so it would check nothing")


def _schemas(document: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a document, itself first; data such as ``enum`` holds none."""
    waiting = [document]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        yield part
        for key, value in part.items():
            if key in _ONE:
                waiting.append(value)
            if key in _LISTS and isinstance(value, list):
                waiting.extend(value)
            if key in _MAPS and isinstance(value, dict):
                waiting.extend(value.values())


def _accepts_everything(schema: Any, asserting: Set[str]) -> bool:
    if not isinstance(schema, dict):
        return schema is True
    return all(
        _asserts_nothing(key, value, asserting)
        for key, value in schema.items()
        if key in asserting and key not in _ANNOTATIONS
    )


def _asserts_nothing(key: str, value: Any, asserting: Set[str]) -> bool:
    if key in _EACH and isinstance(value, dict):
        return all(_accepts_everything(each, asserting) for each in value.values())
    if key in _REST:
        return _accepts_everything(value, asserting)
    if key == "allOf" and isinstance(value, list):
        return all(_accepts_everything(each, asserting) for each in value)
    return key == "required" and not value
