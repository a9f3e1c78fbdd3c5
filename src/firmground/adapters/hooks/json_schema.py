"""Hook that validates the answer against a JSON Schema."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from firmground.adapters.extras import need
from firmground.adapters.hooks._common import (
    VERSION,
    Stop,
    Unreadable,
    check_source,
    counted,
    follow,
    in_thread,
    pick,
    read_json,
    skipped,
)
from firmground.adapters.hooks.regex import compiled, search
from firmground.adapters.hooks.schema_rules import check_schema_asserts
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError

_MOST_SHOWN = 5
_MOST_FORMATTED = 4096
_DATA = frozenset({"const", "enum", "default", "examples"})
"""Keywords whose values are no schemas."""
_stop: ContextVar[Stop] = ContextVar("stop", default=lambda: False)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchemaHook:
    """Validates JSON in the answer against a JSON Schema (2020-12, or the draft it names).

    Nothing is fetched for ``$ref``; patterns run through re2, in linear time; a schema that takes
    for ever is called off at the deadline. A keyword or ``format`` that would not be checked, and a
    schema that accepts everything, are refused when the hook is made.
    """

    schema: str
    """The schema as JSON text."""
    name: str = "json_schema"
    source: str = "answer"
    pointer: str = ""
    """Which part of the JSON to validate (RFC 6901); empty: all of it."""
    version: str = VERSION
    _validator: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_source(self.source, key=f"hook {self.name!r}: source")
        object.__setattr__(self, "_validator", _validator(self.name, self.schema))

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Read the JSON and list where it departs from the schema."""
        text = pick(case, self.source)
        if text is None:
            return skipped(self.name, f"there is no {self.source} to validate")
        return await in_thread(lambda stop: self._check(text, stop))

    def _check(self, text: str, stop: Stop) -> HookReply | Fault:
        try:
            part = follow(read_json(text), self.pointer)
        except Unreadable as error:
            return self._no(f"the {self.source} is not usable JSON: {error}", ())
        except LookupError:
            return self._no(f"there is nothing at {self.pointer!r}", ())
        found = self._departures(part, stop)
        if isinstance(found, Fault):
            return found
        if found:
            return self._no(
                f"{counted(len(found), 'departure', 'departures')} from the schema", found
            )
        return HookReply(
            source=self.name,
            passed=True,
            message=f"the {self.source} has the shape of the schema",
            details=(("schema", hashlib.sha256(self.schema.encode()).hexdigest()),),
            version=self.version,
        )

    def _departures(self, part: Any, stop: Stop) -> tuple[tuple[str, str], ...] | Fault:
        _stop.set(stop)
        try:
            errors = self._validator.iter_errors(part)
            return tuple((e.json_path, e.message[:200]) for e in _few(errors, stop))
        except _CalledOff:
            return self._fault(FaultKind.TIMEOUT, "validating took too long")
        except RecursionError:
            return self._fault(FaultKind.MISCONFIGURED, "the schema refers to itself without end")
        except OverflowError:
            return (("$", "holds a number too large to compare"),)
        except _unresolvable() as error:
            why = f"the schema refers to something it does not hold: {error}"
            return self._fault(FaultKind.MISCONFIGURED, why)

    def _fault(self, kind: FaultKind, message: str) -> Fault:
        return Fault(source=self.name, kind=kind, message=message, version=self.version)

    def _no(self, message: str, details: tuple[tuple[str, str], ...]) -> HookReply:
        hints = "; ".join(f"at {path}: {what}" for path, what in details[:_MOST_SHOWN])
        return HookReply(
            source=self.name,
            passed=False,
            message=message,
            details=details,
            guidance=f"Reply with JSON that follows the schema. {hints}".strip(),
            version=self.version,
        )


def _few(errors: Iterator[Any], stop: Stop) -> Iterator[Any]:
    for number, error in enumerate(errors):
        if number >= 50 or stop():
            return
        yield error


def _jsonschema(part: str) -> Any:
    return need(part, package="jsonschema", extra="schema", purpose="the json_schema hook")


def _unresolvable() -> type[Exception]:
    found: type[Exception] = _jsonschema("referencing.exceptions").Unresolvable
    return found


def _validator(name: str, schema: str) -> Any:
    jsonschema = _jsonschema("jsonschema")
    try:
        document = json.loads(schema)
        validator = _draft(name, document)
        validator.check_schema(document)
    except jsonschema.SchemaError as error:
        raise InputError(f"hook {name!r}: schema at {error.json_path}: {error.message}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"hook {name!r}: schema is not JSON: {error}") from None
    _check_linear(name, document)
    _check_patterns(name, document)
    formats = validator.FORMAT_CHECKER
    asserting = frozenset(validator.VALIDATORS) | {"$ref"}
    try:
        check_schema_asserts(document, asserting=asserting, formats=frozenset(formats.checkers))
    except InputError as error:
        raise InputError(f"hook {name!r}: schema: {error}") from None
    own = {
        "format": _format,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "uniqueItems": _unique_items,
    }
    keywords = {key: _guarded(do) for key, do in {**validator.VALIDATORS, **own}.items()}
    linear = jsonschema.validators.extend(validator, validators=keywords)
    registry = _jsonschema("referencing").Registry()
    return linear(document, registry=registry, format_checker=formats)


class _CalledOff(Exception):  # noqa: N818 - reads as what is the case
    pass


def _guarded(keyword: Any) -> Any:
    """A schema keyword that first checks whether the caller is still waiting."""

    def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if _stop.get()():
            raise _CalledOff
        yield from keyword(validator, value, instance, schema) or ()

    return checked


def _draft(name: str, document: Any) -> Any:
    """The draft a schema names; read as another, keywords would be passed over in silence."""
    jsonschema = _jsonschema("jsonschema")
    named = document.get("$schema") if isinstance(document, dict) else None
    if named is None:
        return jsonschema.Draft202012Validator
    found = jsonschema.validators.validator_for({"$schema": named}, default=None)
    if found is None:
        raise InputError(f"hook {name!r}: schema: $schema {named!r:.80} is not a known draft")
    return found


def _check_patterns(name: str, document: Any) -> None:
    """Refuse a pattern that re2 does not know now, and not when an answer is waiting."""
    for pattern in _patterns(document):
        try:
            compiled(pattern)
        except InputError as error:
            raise InputError(f"hook {name!r}: schema: {error}") from None


def _patterns(document: Any) -> Iterator[str]:
    if isinstance(document, list):
        for part in document:
            yield from _patterns(part)
    elif isinstance(document, dict):
        if isinstance(document.get("pattern"), str):
            yield document["pattern"]
        if isinstance(document.get("patternProperties"), dict):
            yield from document["patternProperties"]
        for key, part in document.items():
            if key not in _DATA:
                yield from _patterns(part)


def _check_linear(name: str, document: Any) -> None:
    """Refuse the one combination whose patterns the library matches by itself, without re2."""
    keys = set(_keys(document))
    if {"unevaluatedProperties", "patternProperties"} <= keys:
        raise InputError(
            f"hook {name!r}: schema: unevaluatedProperties beside patternProperties is matched in "
            "more than linear time; use additionalProperties"
        )


def _keys(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        yield from document
    below = document.values() if isinstance(document, dict) else document
    if isinstance(document, dict | list):
        for part in below:
            yield from _keys(part)


def _additional_properties(
    validator: Any, allowed: Any, instance: Any, schema: dict[str, Any]
) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    known = schema.get("properties", {})
    patterns = tuple(schema.get("patternProperties", {}))
    for key, value in instance.items():
        if key in known or any(search(pattern, key) for pattern in patterns):
            continue
        if isinstance(allowed, dict):
            yield from validator.descend(value, allowed, path=key)
        elif not allowed:
            yield _jsonschema("jsonschema").ValidationError(f"{key!r:.80} is not expected here")


def _unique_items(_: Any, wanted: bool, instance: Any, __: Any) -> Iterator[Any]:
    if wanted and isinstance(instance, list):
        seen: set[Hashable] = set()
        for item in instance:
            key = _hashable(item)
            if key in seen:
                yield _jsonschema("jsonschema").ValidationError(f"{item!r:.80} stands there twice")
                return
            seen.add(key)


def _hashable(value: Any) -> Hashable:
    """Equal for equal JSON only: 1 and 1.0 are one number, true is not 1."""
    if isinstance(value, list):
        return ("list", tuple(map(_hashable, value)))
    if isinstance(value, dict):
        return ("object", frozenset((key, _hashable(item)) for key, item in value.items()))
    return (isinstance(value, bool), value)


def _format(validator: Any, named: str, instance: Any, _: Any) -> Iterator[Any]:
    """Assert a format; the library's own checks are not made for very long texts."""
    jsonschema = _jsonschema("jsonschema")
    if isinstance(instance, str) and len(instance) > _MOST_FORMATTED:
        yield jsonschema.ValidationError(f"is too long to be a {named}")
        return
    try:
        validator.format_checker.check(instance, named)
    except _jsonschema("jsonschema.exceptions").FormatError as error:
        yield jsonschema.ValidationError(error.message)


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[Any]:
    if isinstance(instance, str) and not search(pattern, instance):
        yield _jsonschema("jsonschema").ValidationError(f"does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: dict[str, Any], instance: Any, _: Any
) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for pattern, schema in patterns.items():
        for key, value in instance.items():
            if search(pattern, key):
                yield from validator.descend(value, schema, path=key, schema_path=pattern)
