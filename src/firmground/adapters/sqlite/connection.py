"""One connection to a log file, set up so that an acknowledged change is really kept."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import quote

from firmground.adapters.sqlite import guard, shape
from firmground.adapters.sqlite.migrations import migrate, require_known
from firmground.adapters.sqlite.version import require_shareable
from firmground.errors import AppendOnlyViolation, LedgerError, LedgerUnavailable
from firmground.ledger.store import Durability

if TYPE_CHECKING:
    import apsw

CACHE_KIB = 16_384
BUSY_SECONDS = 30.0
_SYNCHRONOUS = {Durability.FULL: "FULL", Durability.PROCESS: "NORMAL"}


class Sharing(StrEnum):
    """Who may open the log at the same time."""

    MANY = "many"
    """Any number of processes; writers take turns, batch by batch."""
    ONE = "one"
    """This connection alone, through an exclusive lock that lasts until it is closed."""


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn SQLite's errors into ours, keeping its words."""
    import apsw

    try:
        yield
    except (apsw.ConstraintError, apsw.AuthError) as error:
        raise AppendOnlyViolation(f"{path}: {error}") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise LedgerError(f"{path} is damaged or not a firmground log: {error}") from error
    except UnicodeDecodeError as error:
        raise LedgerError(f"{path} was changed: a text in it is not UTF-8") from error
    except apsw.Error as error:
        raise LedgerUnavailable(f"{path}: {type(error).__name__}: {error}") from error


def connect(
    path: str,
    *,
    durability: Durability,
    sharing: Sharing,
    busy_seconds: float = BUSY_SECONDS,
    vfs: str | None = None,
    create: bool = True,
    only_reads: bool = False,
) -> apsw.Connection:
    """Open a log, make its tables if that is asked for, and take away all rights but appending.

    A connection that only reads has no right to append either.
    """
    import apsw

    if sharing is Sharing.MANY:
        require_shareable(apsw.sqlite_lib_version())
    if vfs is None and create and path != ":memory:":
        _make_private(path)
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    with translated(path):
        connection = guard.connection_type()(path, flags=flags, vfs=vfs)
        try:
            connection.set_busy_handler(BusyHandler(busy_seconds))
            in_turn(
                lambda: _set_up(connection, durability=durability, sharing=sharing, create=create),
                busy_seconds,
            )
            if only_reads:
                connection.execute("PRAGMA query_only = ON")
            guard.install(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def connect_immutable(path: str) -> apsw.Connection:
    """Open a log for reading on a medium that cannot be written."""
    import apsw

    place = quote(os.path.abspath(path))
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with translated(path):
        connection = guard.connection_type()(f"file:{place}?immutable=1", flags=flags)
        try:
            shape.require_ours(connection, create=False)
            connection.execute("PRAGMA cell_size_check = ON")
            connection.execute("PRAGMA temp_store = MEMORY")
            require_known(connection)
            guard.install(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _make_private(path: str) -> None:
    """Make a log that is not there yet its owner's alone; SQLite's own files take that over."""
    # A place where nothing can be made is SQLite's to complain about, with the path beside it.
    with suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def in_turn(set_up: Callable[[], None], seconds: float = BUSY_SECONDS) -> None:
    """Set up a connection, also when several do so at once; ``seconds`` bounds the wait.

    Two connections that turn a new file into a WAL database at the same moment can both get an
    error that it is locked, without waiting.
    """
    import apsw

    patience = BusyHandler(seconds)
    for tries in count():
        try:
            set_up()
        except apsw.BusyError:
            if not patience(tries):
                raise
        else:
            return


def open_shared(path: str) -> apsw.Connection:
    """Open a file in WAL mode that several processes share; a loss of power may cost its end."""
    import apsw

    connection = apsw.Connection(path)
    connection.set_busy_handler(BusyHandler(BUSY_SECONDS))

    def set_up() -> None:
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
            connection.execute(f"PRAGMA {pragma}")

    try:
        in_turn(set_up)
    except BaseException:
        connection.close()
        raise
    return connection


def _set_up(
    connection: apsw.Connection, *, durability: Durability, sharing: Sharing, create: bool
) -> None:
    if sharing is Sharing.ONE:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    shape.require_ours(connection, create=create)
    mode = connection.execute("PRAGMA journal_mode = WAL").get
    if mode != "wal":
        raise LedgerError(f"{connection.filename} cannot be kept in WAL mode, only {mode!r}")
    connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[durability]}")
    for pragma in (
        "recursive_triggers = ON",
        "secure_delete = ON",
        "cell_size_check = ON",
        "fullfsync = ON",
        "checkpoint_fullfsync = ON",
        # Rows on their way into a guarded table pass through a temporary one, payloads among
        # them: those must not reach a file that no erasure knows of.
        "temp_store = MEMORY",
        f"cache_size = -{CACHE_KIB}",
    ):
        connection.execute(f"PRAGMA {pragma}")
    if create:
        shape.require_unchanged(connection)
        migrate(connection)
    else:
        require_known(connection)


class BusyHandler:
    """Waits for its turn in short, uneven steps, so that no writer is left behind for long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = 0.0

    def __call__(self, tries: int) -> bool:
        """Say whether to try again."""
        now = time.monotonic()
        if tries == 0:
            self._until = now + self._seconds
        if now >= self._until:
            return False
        time.sleep(random.uniform(0.0002, 0.002))  # noqa: S311 - spreads waiters, guards nothing
        return True
