"""Hook that queries a PostgreSQL database in a read-only transaction, under an ordinary role."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from firmground.adapters.extras import need
from firmground.adapters.hooks._common import VERSION, imported, in_thread
from firmground.adapters.hooks._rows import (
    MOST_BYTES,
    Expectation,
    bound_values,
    check_limits,
    check_parameters,
    check_query,
    judged,
    size_of,
)
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.core.redact import Redaction, secrets_in
from firmground.hooks.reply import redacted

_BATCH = 50
_SUPERUSER = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresHook:
    """Runs one query with bound parameters and looks at the rows.

    The connection string comes from the environment, so that settings hold no password. A role
    with the rights of a superuser is refused: for it, read-only is only a habit.
    """

    dsn_variable: str
    """Name of the environment variable that holds the connection string."""
    query: str
    name: str = "postgres"
    parameters: tuple[tuple[str, str], ...] = ()
    """(label, source) pairs, bound in order as ``$1``, ``$2``…; cast in the query: ``$1::text``."""
    expect: Expectation = Expectation()  # noqa: RUF009 - frozen
    query_seconds: float = 5.0
    most_rows: int = 1000
    version: str = VERSION

    def __post_init__(self) -> None:
        check_query(self.name, self.query)
        check_parameters(self.name, self.parameters)
        check_limits(self.name, self.query_seconds, self.most_rows)

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Ask the database; statement_timeout ends what takes too long on its side too."""
        values = bound_values(self.name, case, self.parameters)
        if isinstance(values, Fault):
            return values
        dsn = os.environ.get(self.dsn_variable)
        if not dsn:
            return self._fault(FaultKind.MISCONFIGURED, f"${self.dsn_variable} is not set")
        reply = await self._asked(dsn, case, list(values.values()))
        return redacted(reply, Redaction((dsn, *_passwords(dsn))))

    async def _asked(self, dsn: str, case: HookCase, values: list[str]) -> HookReply | Fault:
        asyncpg = await imported(_asyncpg, "asyncpg")
        try:
            connection = await self._connected(asyncpg, dsn)
            try:
                rows = await self._rows(connection, values)
            finally:
                connection.terminate()
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError) as error:
            return self._fault(*_meaning(asyncpg, error))
        if isinstance(rows, Fault):
            return rows
        # Megabytes of rows take longer to hash than an event loop may be held up.
        return await in_thread(lambda _: judged(self.name, self.expect, rows, case))

    async def _connected(self, asyncpg: Any, dsn: str) -> Any:
        milliseconds = str(max(1, int(self.query_seconds * 1000)))
        return await asyncpg.connect(
            dsn,
            timeout=self.query_seconds,
            command_timeout=self.query_seconds + 1,
            server_settings={
                "application_name": "firmground",
                "default_transaction_read_only": "on",
                "statement_timeout": milliseconds,
                "lock_timeout": milliseconds,
                "idle_in_transaction_session_timeout": milliseconds,
            },
        )

    async def _rows(self, connection: Any, values: list[str]) -> list[Any] | Fault:
        async with asyncio.timeout(self.query_seconds + 1):
            if await connection.fetchval(_SUPERUSER):
                return self._fault(
                    FaultKind.MISCONFIGURED, "the role is a superuser; use one that may only read"
                )
            # Never committed: what a query sends on the side (NOTIFY) goes nowhere either.
            await connection.transaction(readonly=True).start()
            cursor = await connection.cursor(self.query, *values)
            return await self._fetched(cursor)

    async def _fetched(self, cursor: Any) -> list[Any] | Fault:
        rows: list[Any] = []
        left = MOST_BYTES
        while batch := await cursor.fetch(min(_BATCH, self.most_rows + 1 - len(rows))):
            rows += (tuple(row) for row in batch)
            left -= sum(map(size_of, batch))
            if left < 0:
                return self._fault(FaultKind.LIMIT, f"more than {MOST_BYTES} bytes")
            if len(rows) > self.most_rows:
                return self._fault(FaultKind.LIMIT, f"more than {self.most_rows} rows")
        return rows

    def _fault(self, kind: FaultKind, message: str) -> Fault:
        return Fault(source=self.name, kind=kind, message=message, version=self.version)


def _passwords(dsn: str) -> tuple[str, ...]:
    """The secrets in a connection string."""
    query = re.findall(r"(?:^|[?&\s])(?:ssl)?password=([^&\s]+)", dsn)
    return (*secrets_in(dsn), *query, *map(unquote, query))


def _meaning(asyncpg: Any, error: Exception) -> tuple[FaultKind, str]:
    """What an error of the server or the way to it says about whether it could be asked."""
    kinds: tuple[tuple[Any, FaultKind], ...] = (
        (asyncpg.QueryCanceledError, FaultKind.TIMEOUT),
        (TimeoutError, FaultKind.TIMEOUT),
        (asyncpg.ReadOnlySQLTransactionError, FaultKind.REFUSED),
        (asyncpg.InsufficientPrivilegeError, FaultKind.REFUSED),
        (asyncpg.InvalidAuthorizationSpecificationError, FaultKind.REFUSED),
        (asyncpg.SyntaxOrAccessError, FaultKind.MISCONFIGURED),
        (asyncpg.PostgresConnectionError, FaultKind.UNREACHABLE),
        (asyncpg.InvalidCatalogNameError, FaultKind.UNREACHABLE),
        (OSError, FaultKind.UNREACHABLE),
    )
    kind = next((k for e, k in kinds if isinstance(error, e)), FaultKind.BAD_REPLY)
    return kind, f"{type(error).__name__}: {error}"


def _asyncpg() -> Any:
    return need("asyncpg", package="asyncpg", extra="postgres", purpose="the postgres hook")
