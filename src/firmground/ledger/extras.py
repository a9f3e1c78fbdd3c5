"""Erasable values beside a run's stages that could be computed from its content.

A cache key and a root without salts would confirm a guess of the question or the answer. So the
entry only commits to them under a salt of their own; salt and values lie in the vault, and every
erasure in the run erases them too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from firmground.core.canon import Value, canonical, parse
from firmground.core.merkle import SIZE
from firmground.core.run import commitment
from firmground.errors import InputError
from firmground.ledger.text import unhex

NAME = "aside"
"""Stands where a stage's name stands when the commitment is made."""
_COMPAT = "fg0"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasableExtras:
    """The key under which a run answers, and its root under the rules of profile fg0."""

    cache_key: bytes | None = None
    compat: bytes | None = None

    def __post_init__(self) -> None:
        for name, value in (("cache_key", self.cache_key), ("compat", self.compat)):
            if value is not None and len(value) != SIZE:
                raise InputError(f"{name} must have {SIZE} bytes, got {len(value)}")

    def __bool__(self) -> bool:
        return self.cache_key is not None or self.compat is not None

    @property
    def payload(self) -> bytes:
        """The exact bytes that are committed to."""
        compat: Value = None
        if self.compat is not None:
            compat = {"profile": _COMPAT, "root": self.compat.hex()}
        key = None if self.cache_key is None else self.cache_key.hex()
        return canonical({"cache_key": key, "compat": compat})


def commit_extras(*, salt: bytes, payload: bytes) -> bytes:
    """Commit to these bytes as a stage commits to its payload."""
    return commitment(salt=salt, stage=NAME, payload=payload)


def read_extras(payload: bytes) -> ErasableExtras:
    """Read the bytes; every other spelling than the one right is refused."""
    document: Any = parse(payload)
    if type(document) is not dict or document.keys() != {"cache_key", "compat"}:
        raise InputError("an aside has exactly a cache_key and a compat")
    compat = document["compat"]
    if compat is not None:
        if type(compat) is not dict or compat.keys() != {"profile", "root"}:
            raise InputError("compat must be null or name a profile and its root")
        if compat["profile"] != _COMPAT:
            raise InputError(f"compat must be of profile {_COMPAT}")
    made = ErasableExtras(
        cache_key=_hash(document["cache_key"], "cache_key"),
        compat=None if compat is None else _hash(compat["root"], "compat.root"),
    )
    if not made:
        raise InputError("an aside that says nothing is left out")
    return made


def _hash(value: Any, name: str) -> bytes | None:
    if value is not None and type(value) is not str:
        raise InputError(f"{name} must be a hash or null")
    return None if value is None else unhex(value, name)
