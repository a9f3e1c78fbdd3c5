"""The ``[cache]`` table: answers that stood are given again to the same question.

::

    [cache]
    tenant = "acme"
    key_file = "tenant.key"               # made by `firmground cache key tenant.key`
    unvouched = false                     # true: serve answers from a log that nobody signs
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path

from firmground.errors import InputError
from firmground.hooks.options import Options

SHORTEST_KEY = 16
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSettings:
    """Whose answers are cached, and under which secret key.

    >>> CacheSettings(tenant="acme", key=bytes(32)).tenant
    'acme'
    """

    tenant: str
    key: bytes = field(repr=False)
    """Secret of the tenant: without it nobody can ask what is cached."""
    unvouched: bool = False
    """Serve answers although no signature vouches for the log they are read from."""

    def __post_init__(self) -> None:
        if not self.tenant:
            raise InputError("cache.tenant is empty")
        if len(self.key) < SHORTEST_KEY:
            raise InputError(f"the key of a cache has at least {SHORTEST_KEY} bytes")


def read_cache(table: Options, file: Path) -> CacheSettings:
    """Read the table ``cache`` of a settings file, and the key that it names."""
    tenant = table.text("tenant")
    named = table.text("key_file")
    unvouched = table.flag("unvouched", False)
    table.close()
    path = file.parent / named
    try:
        mode, text = path.stat().st_mode, path.read_bytes()
    except OSError as error:
        told = f"{path}: {error.strerror}; `firmground cache key {path}` makes one"
        table.wrong("key_file", told)
    if mode & _OTHERS:
        table.wrong("key_file", f"others can read or write {path}: chmod 600 it")
    try:
        key = bytes.fromhex(text.decode("ascii").strip())
    except ValueError:
        table.wrong("key_file", f"{path} does not hold a key in hexadecimal")
    if len(key) < SHORTEST_KEY:
        table.wrong("key_file", f"{path}: a key has at least {SHORTEST_KEY} bytes")
    return CacheSettings(tenant=tenant, key=key, unvouched=unvouched)
