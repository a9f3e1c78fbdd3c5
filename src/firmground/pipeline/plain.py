"""Nouns as canonical values: the form in which they are recorded."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import IntEnum

from firmground.core.canon import Value, decimal, pack_text


def plain(value: object) -> Value:
    """Return a noun as a canonical value: scores as decimals, enums by name, any text kept."""
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, float):
        return decimal(value)
    if isinstance(value, str):
        return pack_text(str(value))
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if value is None or isinstance(value, int):
        return value
    raise TypeError(f"{type(value).__name__} is no noun")
