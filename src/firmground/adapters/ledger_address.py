"""Where a ledger is kept: the path of a file, or the address of a PostgreSQL database."""

from __future__ import annotations

import os
import re
from typing import TypeAlias, TypeGuard
from urllib.parse import urlsplit, urlunsplit

Location: TypeAlias = "str | os.PathLike[str]"
"""The path of a file, or an address that begins with ``postgresql://``."""

SCHEMES = ("postgresql://", "postgres://")
_SECRET = re.compile(r"(?i)((?:ssl)?password=)[^&\s]*")


def is_address(where: object) -> TypeGuard[str]:
    """True for the address of a PostgreSQL database, False for a path."""
    return isinstance(where, str) and where.startswith(SCHEMES)


def without_password(address: str) -> str:
    """An address with the password left out, for messages."""
    parts = urlsplit(address)
    place = parts.netloc
    if "@" in place:
        user, _, host = place.rpartition("@")
        place = f"{user.partition(':')[0]}@{host}"
    return urlunsplit(parts._replace(netloc=place, query=_SECRET.sub(r"\1***", parts.query)))


def shown(where: Location) -> str:
    """A location as messages show it."""
    return without_password(where) if is_address(where) else os.fspath(where)
