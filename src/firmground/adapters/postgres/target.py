"""Where a log is kept in PostgreSQL: an address with a few options of ours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from firmground.adapters.ledger_address import is_address, without_password
from firmground.errors import InputError

DEFAULT_SCHEMA = "firmground"
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_READS = ("primary", "replica")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseTarget:
    """One log in one schema of one database."""

    dsn: str
    """The address without our own options; may name several hosts and hold a password."""
    schema: str = DEFAULT_SCHEMA
    read: str = "primary"
    """``replica``: reading connections prefer a standby among the hosts."""
    timeout_seconds: float = 30.0
    """The longest that a statement, a turn to write or a connection may take."""

    @property
    def shown(self) -> str:
        """The address as messages show it, without password."""
        return without_password(self.dsn)


def parse_target(address: str) -> DatabaseTarget:
    """Read ``postgresql://user@host[,host]/database?schema=NAME&read=replica&timeout=SECONDS``."""
    if not is_address(address):
        raise InputError("a PostgreSQL ledger begins with postgresql://")
    parts = urlsplit(address)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    schema = options.pop("schema", DEFAULT_SCHEMA)
    read = options.pop("read", "primary")
    timeout = options.pop("timeout", "30")
    shown = without_password(address)
    if not _SCHEMA.fullmatch(schema) or schema.startswith("pg_"):
        raise InputError(
            f"{shown}: schema={schema!r}: a schema is lower-case letters, digits and _"
        )
    if read not in _READS:
        raise InputError(f"{shown}: read={read!r}: say primary or replica")
    query = urlencode(options, quote_via=quote)
    return DatabaseTarget(
        dsn=urlunsplit(parts._replace(query=query)),
        schema=schema,
        read=read,
        timeout_seconds=_seconds(timeout, shown),
    )


def _seconds(text: str, shown: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3_600:
        raise InputError(f"{shown}: timeout={text!r}: say seconds, up to 3600")
    return seconds
