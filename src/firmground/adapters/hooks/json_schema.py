"""Does the answer have the shape it should have?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from firmground.adapters.extras import need
from firmground.adapters.hooks._common import (
    VERSION,
    Stop,
    Unreadable,
    check_source,
    follow,
    in_thread,
    pick,
    read_json,
    skipped,
)
from firmground.adapters.hooks.regex import compiled
from firmground.core.finding import Fault, FaultKind, Verdict
from firmground.core.ports import HookCase
from firmground.errors import InputError

_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchemaHook:
    """Validates JSON in the answer against a JSON Schema (2020-12).

    Nothing is fetched for ``$ref``; ``pattern`` runs through re2, in linear time.
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

    async def ask(self, case: HookCase) -> Verdict | Fault:
        """Read the JSON and list where it departs from the schema."""
        text = pick(case, self.source)
        if text is None:
            return skipped(self.name, f"there is no {self.source} to validate")
        return await in_thread(lambda stop: self._check(text, stop))

    def _check(self, text: str, stop: Stop) -> Verdict | Fault:
        try:
            part = follow(read_json(text), self.pointer)
        except Unreadable as error:
            return self._no(f"the {self.source} is not usable JSON: {error}", ())
        except LookupError:
            return self._no(f"there is nothing at {self.pointer!r}", ())
        try:
            errors = self._validator.iter_errors(part)
            found = [(e.json_path, e.message[:200]) for e in _few(errors, stop)]
        except _unresolvable() as error:
            return Fault(
                source=self.name,
                kind=FaultKind.MISCONFIGURED,
                message=f"the schema refers to something it does not hold: {error}",
                version=self.version,
            )
        if found:
            return self._no(f"{len(found)} departures from the schema", tuple(found))
        return Verdict(
            source=self.name,
            passed=True,
            message=f"the {self.source} has the shape of the schema",
            details=(("schema", hashlib.sha256(self.schema.encode()).hexdigest()),),
            version=self.version,
        )

    def _no(self, message: str, details: tuple[tuple[str, str], ...]) -> Verdict:
        hints = "; ".join(f"at {path}: {what}" for path, what in details[:_MOST_SHOWN])
        return Verdict(
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
    validator = jsonschema.Draft202012Validator
    try:
        document = json.loads(schema)
        validator.check_schema(document)
    except jsonschema.SchemaError as error:
        raise InputError(f"hook {name!r}: schema at {error.json_path}: {error.message}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"hook {name!r}: schema is not JSON: {error}") from None
    linear = jsonschema.validators.extend(
        validator, validators={"pattern": _pattern, "patternProperties": _pattern_properties}
    )
    return linear(document, registry=_jsonschema("referencing").Registry())


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[Any]:
    if isinstance(instance, str) and not compiled(pattern).search(instance):
        yield _jsonschema("jsonschema").ValidationError(f"does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: dict[str, Any], instance: Any, _: Any
) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for pattern, schema in patterns.items():
        expression = compiled(pattern)
        for key, value in instance.items():
            if expression.search(key):
                yield from validator.descend(value, schema, path=key, schema_path=pattern)
