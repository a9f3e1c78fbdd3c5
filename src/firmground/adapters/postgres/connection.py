"""A blocking connection to PostgreSQL over asyncpg, with a limit to every wait.

asyncpg works on an event loop and the store is called from threads, so each store has one thread
with a loop of its own. A server that goes silent is left after ``timeout_seconds``: a library that
blocks in the kernel could not do that.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from firmground.adapters.extras import need
from firmground.adapters.postgres.target import DatabaseTarget
from firmground.errors import AppendOnlyViolation, LedgerError, LedgerUnavailable
from firmground.ledger.store import Durability

T = TypeVar("T")

IDLE_SECONDS = 10.0
"""A writer that holds its turn and does nothing for so long loses it, with all it wrote in it."""
_GRACE_SECONDS = 2.0
_DAMAGED = ("XX001", "XX002")
_UNAVAILABLE = ("08", "25P", "25006", "40", "53", "54", "55", "57", "58", "28", "3D")


def asyncpg_module() -> Any:
    """Import the driver, or say what to type."""
    return need("asyncpg", package="asyncpg", extra="postgres", purpose="a PostgreSQL ledger")


class ConnectionThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="firmground-postgres", daemon=True
        )
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine there and wait for it."""
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()
            raise LedgerUnavailable("the ledger is closed") from None
        return future.result()

    def close(self) -> None:
        """End the thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


@contextmanager
def translated(shown: str) -> Iterator[None]:
    """Turn the driver's errors into ours, keeping the server's words."""
    asyncpg = asyncpg_module()
    try:
        yield
    except asyncpg.PostgresError as error:
        raise _meaning(shown, error) from error
    except (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError) as error:
        kind = type(error).__name__
        raise LedgerUnavailable(f"{shown}: {kind}: {error}".removesuffix(": ")) from error


def _meaning(shown: str, error: Any) -> LedgerError:
    state, words = str(error.sqlstate or ""), str(error)
    told = f"{shown}: {words}"
    if state.startswith("23"):
        return AppendOnlyViolation(told)
    if state in _DAMAGED:
        return LedgerError(f"{shown} is damaged: {words}")
    if state == "42501":
        return AppendOnlyViolation(f"{told} (the role of this address lacks that right)")
    if state.startswith(_UNAVAILABLE):
        return LedgerUnavailable(told)
    return LedgerError(told)


class Connection:
    """One session; reconnects when it was lost between two statements."""

    def __init__(
        self,
        loop: ConnectionThread,
        target: DatabaseTarget,
        *,
        durability: Durability,
        writes: bool,
    ) -> None:
        self.target = target
        self._loop = loop
        self._writes = writes
        self._durability = durability
        self._session: Any = None
        self._transaction = False
        self.lock = threading.RLock()

    def run(self, sql: str, *args: Any, again: bool = False) -> list[Any]:
        """Run a statement; with ``again`` a lost session is replaced and asked once more."""
        with self.lock, translated(self.target.shown):
            fresh = self._connected()
            try:
                return list(self._call(self._session.fetch(sql, *args)))
            except Exception:
                if not again or fresh or not self.lost:
                    raise
            self._connected()
            return list(self._call(self._session.fetch(sql, *args)))

    def execute(self, sql: str, *args: Any) -> str:
        """Run a statement and return the server's word on it, such as ``INSERT 0 5``."""
        with self.lock, translated(self.target.shown):
            self._connected()
            return str(self._call(self._session.execute(sql, *args)))

    @property
    def lost(self) -> bool:
        """True when there is no session that could be used."""
        return self._session is None or self._session.is_closed()

    def begin(self) -> None:
        """Begin a transaction; until it ends, a session that is lost is not replaced."""
        self.execute("BEGIN")
        self._transaction = True

    def commit(self) -> None:
        """End the transaction and keep its changes; an error says nothing about what was kept."""
        try:
            self.execute("COMMIT")
        finally:
            self._transaction = False

    def roll_back(self) -> None:
        """End the transaction, if one is open, and keep nothing of it."""
        self._transaction = False
        try:
            if not self.lost and self._session.is_in_transaction():
                self.execute("ROLLBACK")
        except LedgerError:
            self.drop()

    def drop(self) -> None:
        """Leave the session without a word; the server rolls back what it had begun."""
        session, self._session = self._session, None
        if session is not None:
            with suppress(Exception):
                self._loop.run(_terminated(session))

    def close(self) -> None:
        """End the session in order."""
        session, self._session = self._session, None
        if session is not None and not session.is_closed():
            with suppress(Exception):
                self._loop.run(session.close(timeout=_GRACE_SECONDS))

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return self._loop.run(work)
        except (TimeoutError, OSError):
            self.drop()
            raise

    def _connected(self) -> bool:
        """Make sure that there is a session; True when it was made now."""
        if not self.lost:
            return False
        if self._transaction:
            raise LedgerUnavailable(
                f"{self.target.shown}: the session was lost in the middle of a transaction"
            )
        self.drop()
        self._session = self._loop.run(self._connect())
        return True

    async def _connect(self) -> Any:
        target, asyncpg = self.target, asyncpg_module()
        seconds = target.timeout_seconds
        replica = not self._writes and target.read == "replica"
        settings = {
            "application_name": f"firmground {socket.gethostname()}:{os.getpid()}",
            "search_path": f"{target.schema}, pg_temp",
            "statement_timeout": _milliseconds(seconds),
            "lock_timeout": _milliseconds(seconds),
            "idle_in_transaction_session_timeout": _milliseconds(min(seconds, IDLE_SECONDS)),
            "client_connection_check_interval": "1000",
            "synchronous_commit": "on" if self._durability is Durability.FULL else "off",
            "default_transaction_isolation": "read committed",
            "default_transaction_read_only": "off" if self._writes else "on",
        }
        try:
            return await asyncpg.connect(
                target.dsn,
                timeout=min(seconds, IDLE_SECONDS),
                command_timeout=seconds + _GRACE_SECONDS,
                server_settings=settings,
                target_session_attrs="prefer-standby" if replica else _attributes(self._writes),
            )
        except ValueError as error:  # an option that the driver does not know
            raise LedgerError(f"{target.shown}: {error}") from None


def _attributes(writes: bool) -> str:
    return "read-write" if writes else "any"


def _milliseconds(seconds: float) -> str:
    return str(max(1, int(seconds * 1_000)))


async def _terminated(session: Any) -> None:
    session.terminate()


def count_in(status: str) -> int:
    """How many rows a server's word such as ``INSERT 0 5`` or ``UPDATE 1`` speaks of."""
    found = re.search(r"(\d+)$", status)
    return int(found[1]) if found else 0


def columns(rows: Sequence[Sequence[Any]], number: int) -> list[list[Any]]:
    """Turn rows into columns, as ``unnest`` takes them."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * number
