"""How one field of a log entry is spelled: a writer and a strict reader for each kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from firmground.core.canon import MAX_INTEGER, Value
from firmground.errors import InputError
from firmground.ledger.text import b64, unb64, unhex

MAX_TEXT = 1024
MAX_ITEMS = 1024
MAX_BLOB = 24 << 10
"""Bytes of a binary field: an entry must fit into an entry bundle of tlog-tiles."""
_RUN_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z\Z")
_LABEL_KEY = re.compile(r"[a-z0-9_.-]{1,64}\Z")


@dataclass(frozen=True, slots=True)
class FieldType:
    """One way of spelling a value; ``read`` refuses every other spelling, naming the field."""

    write: Callable[[Any], Value]
    read: Callable[[Any, str], Any]


def _same(value: Any) -> Value:
    checked: Value = value
    return checked


def _hex(value: bytes) -> Value:
    return value.hex()


def _maybe(inner: FieldType) -> FieldType:
    return FieldType(
        lambda value: None if value is None else inner.write(value),
        lambda value, name: None if value is None else inner.read(value, name),
    )


def _read_text(value: Any, name: str) -> str:
    if type(value) is not str or len(value) > MAX_TEXT:
        raise InputError(f"{name} must be a text of at most {MAX_TEXT} characters")
    return value


def _read_filled(value: Any, name: str) -> str:
    if not _read_text(value, name).strip():
        raise InputError(f"{name} must not be empty")
    return str(value)


def _read_count(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value <= MAX_INTEGER:
        raise InputError(f"{name} must be a number from 0 to 2**53 - 1")
    return value


def _read_flag(value: Any, name: str) -> bool:
    if type(value) is not bool:
        raise InputError(f"{name} must be true or false")
    return value


def _read_hash(value: Any, name: str) -> bytes:
    return unhex(_read_text(value, name), name)


def _read_run_id(value: Any, name: str) -> str:
    if not _RUN_ID.match(_read_text(value, name)):
        raise InputError(f"{name} must be a UUID in lower case")
    return str(value)


def read_time(value: Any, name: str) -> str:
    """Accept UTC time with six decimals, such as 2026-11-15T22:40:00.000000Z."""
    if not _TIME.match(_read_text(value, name)):
        raise InputError(f"{name} must look like 2026-11-15T22:40:00.000000Z")
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise InputError(f"{name} is not a time that exists: {value}") from None
    return str(value)


def _read_items(value: Any, name: str) -> list[Any]:
    if type(value) is not list or len(value) > MAX_ITEMS:
        raise InputError(f"{name} must be a list of at most {MAX_ITEMS} items")
    return value


def _read_hashes(value: Any, name: str) -> tuple[bytes, ...]:
    items = _read_items(value, name)
    hashes = tuple(_read_hash(item, f"{name}[{i}]") for i, item in enumerate(items))
    if not hashes or len(set(hashes)) != len(hashes):
        raise InputError(f"{name} must name at least one hash and none twice")
    return hashes


def _read_signatures(value: Any, name: str) -> tuple[bytes, ...]:
    items = _read_items(value, name)
    return tuple(unb64(_read_text(item, name), f"{name}[{i}]") for i, item in enumerate(items))


def _read_blob(value: Any, name: str) -> bytes:
    if type(value) is not str or not 0 < len(value) <= 4 * MAX_BLOB // 3 + 4:
        raise InputError(f"{name} must be base64 of 1 to {MAX_BLOB} bytes")
    return unb64(value, name)


def _read_label(value: Any, name: str) -> tuple[tuple[str, str], ...]:
    if type(value) is not dict or not 1 <= len(value) <= MAX_ITEMS:
        raise InputError(f"{name} must be an object with at least one key")
    return tuple(sorted((key, _read_text(item, f"{name}.{key}")) for key, item in value.items()))


def _write_label(value: tuple[tuple[str, str], ...]) -> Value:
    made = dict(value)
    if len(made) != len(value) or list(value) != sorted(value):
        raise InputError("a label has sorted keys, each once")
    for key in made:
        if not _LABEL_KEY.match(key):
            raise InputError(f"a label's keys are [a-z0-9_.-]{{1,64}}, got {key!r}")
    return dict(made)


@lru_cache(maxsize=32)
def choice(values: type[StrEnum]) -> FieldType:
    """One word out of a closed list."""

    def read(value: Any, name: str) -> StrEnum:
        try:
            return values(_read_text(value, name))
        except ValueError:
            raise InputError(f"{name} must be one of {', '.join(values)}") from None

    return FieldType(lambda value: str(values(value)), read)


@lru_cache(maxsize=32)
def choices(values: type[StrEnum]) -> FieldType:
    """A list of words out of a closed list."""
    one = choice(values)
    return FieldType(
        lambda value: [one.write(item) for item in value],
        lambda value, name: tuple(one.read(item, name) for item in _read_items(value, name)),
    )


TEXT = FieldType(_same, _read_text)
FILLED = FieldType(_same, _read_filled)
VKEY = FieldType(_same, _read_filled)
COUNT = FieldType(_same, _read_count)
FLAG = FieldType(_same, _read_flag)
HASH = FieldType(_hex, _read_hash)
MAYBE_HASH = _maybe(HASH)
HASHES = FieldType(lambda value: [item.hex() for item in value], _read_hashes)
RUN_ID = FieldType(_same, _read_run_id)
MAYBE_RUN_ID = _maybe(RUN_ID)
TIME = FieldType(_same, read_time)
SIGNATURES = FieldType(lambda value: [b64(item) for item in value], _read_signatures)
BLOB = FieldType(b64, _read_blob)
LABEL = FieldType(_write_label, _read_label)
