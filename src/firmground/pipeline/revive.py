"""Recorded values as nouns again: what ``plain`` wrote, read back by the types of the fields."""

from __future__ import annotations

import types
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import Enum, IntEnum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from firmground.core.canon import parse, unpack_text
from firmground.core.escalation import Escalated
from firmground.core.finding import Findings, Spent
from firmground.errors import FirmgroundError, InputError
from firmground.pipeline.record import LARGEST_PAYLOAD
from firmground.pipeline.record_ask import NOT_DONE

_T = TypeVar("_T")


def findings_of(verify_payload: bytes) -> Findings:
    """The findings inside the payload of a verify stage, exactly as they were decided upon."""
    document = parse(verify_payload, max_bytes=LARGEST_PAYLOAD)
    if not isinstance(document, dict) or "findings" not in document:
        raise InputError("the payload holds no findings")
    return revive(Findings, document["findings"])


def cut_off(verify_payload: bytes, label_payload: bytes) -> str:
    """Why a run ended before anything was found out; empty when something was."""
    verify = parse(verify_payload, max_bytes=LARGEST_PAYLOAD)
    label = parse(label_payload, max_bytes=LARGEST_PAYLOAD)
    if verify != NOT_DONE or not isinstance(label, dict):
        return ""
    return unpack_text(label.get("cut_off", "")) or "it does not say why"


def settled_findings(found: Findings, label_payload: bytes) -> Findings:
    """The same findings with what the loop as a whole came to: spent budgets, faults, rulings.

    A check has no loop and adds nothing; a record that does not say keeps what the attempt says.
    """
    label = parse(label_payload, max_bytes=LARGEST_PAYLOAD)
    if not isinstance(label, dict) or label.get("spent") is None:
        return found
    escalated = revive(_RevivedEscalations, {"cases": label.get("escalated", [])}).cases
    rulings = tuple(one.ruling for one in escalated if one.ruling is not None)
    faults = revive(Findings, {"faults": label["faults"]}).faults if "faults" in label else None
    return replace(
        found,
        spent=revive(Spent, label["spent"]),
        rulings=rulings,
        faults=found.faults if faults is None else faults,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _RevivedEscalations:
    cases: tuple[Escalated, ...]


def revive(kind: type[_T], value: object) -> _T:
    """Make a noun from its recorded form; anything that does not fit is an error naming where."""
    made = _revive(kind, value, kind.__name__)
    assert isinstance(made, kind)
    return made


def _revive(kind: Any, value: Any, path: str) -> Any:
    try:
        return _made(kind, value, path)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        if isinstance(error, FirmgroundError):
            raise
        raise InputError(f"{path} does not fit: {error}") from error


def _made(kind: Any, value: Any, path: str) -> Any:  # noqa: PLR0911 - one return a kind of field
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(kind), value, path)
    if origin is tuple:
        return _tuple(get_args(kind), value, path)
    if is_dataclass(kind):
        return _noun(kind, value, path)
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return kind[value.upper()]
    if _is_enum(kind):
        return kind(value)
    if kind is float:
        return float(value)
    if kind is str:
        return unpack_text(value)
    if type(value) is kind:
        return value
    raise TypeError(f"{kind} expected, {type(value).__name__} found")


def _one_of(kinds: tuple[Any, ...], value: Any, path: str) -> Any:
    if value is None:
        if type(None) in kinds:
            return None
        raise TypeError("nothing was recorded")
    left = [kind for kind in kinds if kind is not type(None)]
    if len(left) == 1:
        return _revive(left[0], value, path)
    for kind in left:
        if is_dataclass(kind) and isinstance(value, dict) and _fits(kind, value):
            return _revive(kind, value, path)
        if _is_enum(kind) and value in {member.value for member in kind}:
            return kind(value)
    if str in left:
        return unpack_text(value)
    raise TypeError("it fits none of the possible kinds")


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _fits(kind: Any, value: dict[str, Any]) -> bool:
    return _needed(kind) <= set(value) <= _names(kind)


def _tuple(kinds: tuple[Any, ...], value: Any, path: str) -> tuple[Any, ...]:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    pairs = zip(kinds, value, strict=True)
    return tuple(_revive(kind, item, f"{path}[{at}]") for at, (kind, item) in enumerate(pairs))


def _noun(kind: Any, value: dict[str, Any], path: str) -> Any:
    if not _fits(kind, value):
        raise TypeError(f"it has the fields {sorted(value)}")
    hints = _hints(kind)
    made = [f.name for f in fields(kind) if f.init and f.name in value]
    return kind(**{name: _revive(hints[name], value[name], f"{path}.{name}") for name in made})


def _needed(kind: Any) -> set[str]:
    """Fields to be given, without a default; the others may be younger than the record."""
    return {
        field.name
        for field in fields(kind)
        if field.init and field.default is MISSING and field.default_factory is MISSING
    }


def _names(kind: Any) -> set[str]:
    return {field.name for field in fields(kind)}


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
