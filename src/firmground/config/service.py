"""The ``[service]`` table: where ``firmground serve`` listens and what it allows.

::

    [service]
    host = "127.0.0.1"
    port = 8321
    data = "firmground-data"              # keys, open cases, journal; the ledger by default
    tls_certificate = "server.pem"
    tls_key = "server.key"
    public_log = false                    # anybody may read checkpoints and tiles

    [service.limits]
    body_bytes = 1048576
    depth = 32
    rows = 256
    seconds = 30
    running = 8                           # requests that compute at the same time
    queue = 64                            # requests that may wait for their turn
    queue_seconds = 1
    drain_seconds = 30
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from firmground.hooks.options import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLimits:
    """What one request may cost, and how many are served at once."""

    body_bytes: int = 1 << 20
    """Largest request body."""
    depth: int = 32
    """Deepest nesting of a JSON body."""
    rows: int = 256
    """Most rows of one ``check/many``."""
    seconds: float = 30.0
    """Longest time for one request; a request may ask for less."""
    running: int = 8
    """Requests that compute at the same time."""
    queue: int = 64
    """Requests that may wait for their turn; further ones get 503."""
    queue_seconds: float = 1.0
    """Longest wait for a turn; then the request gets 503."""
    drain_seconds: float = 30.0
    """After a signal to stop, how long requests under way may take."""
    idle_seconds: float = 15.0
    """How long an idle connection stays open."""
    connections: int = 1024
    """Connections at the same time; further ones get 503."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Where the service listens, what it keeps where, and its limits."""

    host: str = "127.0.0.1"
    port: int = 8321
    data: Path = Path("firmground-data")
    """Folder for keys of the API, open cases and the journal."""
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    public_log: bool = False
    """True when checkpoints and tiles are served without a key."""
    limits: ServiceLimits = ServiceLimits()


def read_service(table: Options, file: Path) -> ServiceSettings:
    """Read the table; paths are relative to the settings file."""
    plain = ServiceSettings()
    paths = {name: table.text(name, None) for name in ("data", "tls_certificate", "tls_key")}
    found: dict[str, Any] = {
        "host": table.text("host", plain.host),
        "port": table.whole("port", plain.port),
        "public_log": table.flag("public_log", plain.public_log),
        "limits": _limits(table.table("limits")),
    }
    found |= {name: file.parent / path for name, path in paths.items() if path is not None}
    if not 0 <= found["port"] <= 65_535:
        table.wrong("port", f"must be a port number, got {found['port']}")
    if (paths["tls_certificate"] is None) != (paths["tls_key"] is None):
        table.wrong("tls_certificate", "needs tls_key beside it, and the other way round")
    table.close()
    return ServiceSettings(**found)


_MAY_BE_ZERO = ("queue", "queue_seconds", "drain_seconds")


def _limits(table: Options) -> ServiceLimits:
    found: dict[str, Any] = {}
    for field in fields(ServiceLimits):
        default = field.default
        read = table.whole if isinstance(default, int) else table.number
        value = found[field.name] = read(field.name, default)
        if value < 0 or (value == 0 and field.name not in _MAY_BE_ZERO):
            table.wrong(field.name, f"must be above 0, got {value}")
    table.close()
    return ServiceLimits(**found)
