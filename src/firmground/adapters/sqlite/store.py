"""The log in one SQLite file."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from firmground.adapters.sqlite import claims, rows, shape
from firmground.adapters.sqlite.connection import (
    BUSY_SECONDS,
    Sharing,
    connect,
    connect_immutable,
    translated,
)
from firmground.errors import LedgerError, LedgerUnavailable, RecordNotFound
from firmground.ledger.store import Durability, NameLock, StoreChange, Transaction

if TYPE_CHECKING:
    import apsw

T = TypeVar("T")


class _SqliteTransaction(rows.SqliteRows):
    """The transaction that is open on the writing connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _run(self, sql: str, args: tuple[Any, ...] = ()) -> list[Any]:
        return self._connection.execute(sql, args).fetchall()

    def apply(self, change: StoreChange) -> None:
        """Write the change."""
        rows.apply(self._connection, change)


class SqliteStore(rows.SqliteRows):
    """A log in one file: WAL, synced commits, append-only by triggers and authorizer."""

    def __init__(
        self,
        *,
        path: str,
        durability: Durability,
        writing: apsw.Connection,
        reading: apsw.Connection,
        claimed: str = "",
    ) -> None:
        self.path = path
        self._durability = durability
        self._writing = writing
        self._reading = reading
        self._write_lock = threading.RLock()
        self._read_lock = self._write_lock if reading is writing else threading.RLock()
        self._process = os.getpid()
        # Two names of one file, a link among them, must meet at one place.
        self._claims = claimed and os.path.realpath(claimed)
        self._schema: int | None = None

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        durability: Durability | str = Durability.FULL,
        sharing: Sharing | str = Sharing.MANY,
        busy_seconds: float = BUSY_SECONDS,
        vfs: str | None = None,
        create: bool = True,
    ) -> SqliteStore:
        """Open or create a log; an unsafe SQLite version is refused before the file is touched.

        With ``create=False`` nothing is created or migrated. A log whose tables were changed is
        then opened for auditing; writing to it is refused.
        """
        name, how, who = os.fspath(path), Durability(durability), Sharing(sharing)
        if not create and not os.path.exists(name):
            raise RecordNotFound(f"{name}: there is no such log")

        def another(*, only_reads: bool) -> apsw.Connection:
            return connect(
                name,
                durability=how,
                sharing=who,
                busy_seconds=busy_seconds,
                vfs=vfs,
                create=create,
                only_reads=only_reads,
            )

        writing = another(only_reads=False)
        reading = another(only_reads=True) if who is Sharing.MANY else writing
        claimed = "" if vfs is not None or name == ":memory:" else name
        return cls(path=name, durability=how, writing=writing, reading=reading, claimed=claimed)

    @classmethod
    def open_immutable(cls, path: str | os.PathLike[str]) -> SqliteStore:
        """Open a log on a medium that is not written; no file is created or changed beside it.

        A log with a non-empty write-ahead file is refused: that part would be missed.
        """
        name = os.fspath(path)
        if not os.path.exists(name):
            raise RecordNotFound(f"{name}: there is no such log")
        if os.path.exists(f"{name}-wal") and os.path.getsize(f"{name}-wal"):
            raise LedgerError(
                f"{name}-wal holds entries that a read-only look cannot see: copy the log and its "
                "-wal file to where you may write, and open the copy"
            )
        reading = connect_immutable(name)
        return cls(path=name, durability=Durability.FULL, writing=reading, reading=reading)

    @property
    def durability(self) -> Durability:
        """What a change survives once ``transact`` has returned."""
        return self._durability

    def _run(self, sql: str, args: tuple[Any, ...] = ()) -> list[Any]:
        self._same_process()
        with self._read_lock, translated(self.path):
            return self._reading.execute(sql, args).fetchall()

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` alone among all writers of this log and keep its changes, or none."""
        self._same_process()
        with self._write_lock, translated(self.path):
            self._writing.execute("BEGIN IMMEDIATE")
            try:
                self._require_our_tables()
                result = work(_SqliteTransaction(self._writing))
                self._writing.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise
            return result

    def _require_our_tables(self) -> None:
        """Every change of the schema, at any time and from anywhere, changes its number too."""
        number = int(self._writing.execute("PRAGMA schema_version").get)
        if number != self._schema:
            shape.require_unchanged(self._writing)
            self._schema = number

    def _roll_back(self) -> None:
        if self._writing.in_transaction:
            self._writing.execute("ROLLBACK")

    def flush(self) -> None:
        """Make everything visible survive the loss of power."""
        import apsw

        if self._durability is not Durability.FULL:
            with self._write_lock, translated(self.path):
                self._writing.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_FULL)

    def scrub(self) -> bool:
        """Empty the write-ahead file, where erased bytes linger; False while a reader needs it."""
        import apsw

        with self._write_lock, self._read_lock, translated(self.path):
            try:
                if rows.has_residue(self._writing, rows.IN_THE_INDEX):
                    self._alone(rows.rebuild_index)
                self._writing.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                # Only now: whoever dies before this leaves the mark, and the next one finishes.
                if rows.has_residue(self._writing, rows.IN_THE_FILES):
                    self._alone(lambda c: rows.forget_residue(c, rows.IN_THE_FILES))
            except apsw.BusyError:
                return False
            return True

    def _alone(self, work: Callable[[apsw.Connection], None]) -> None:
        self._writing.execute("BEGIN IMMEDIATE")
        try:
            work(self._writing)
            self._writing.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def claim(self, name: bytes, *, wait: bool) -> NameLock | None:
        """Hold a name alone among all who open this file; waiting holds up this thread only."""
        self._same_process()
        try:
            return claims.take(self._claims, name, wait=wait)
        except OSError as error:
            raise LedgerUnavailable(f"{self._claims}{claims.ENDING}: {error.strerror}") from error

    def close(self) -> None:
        """Give everything back; closing twice is fine."""
        with self._write_lock, self._read_lock, translated(self.path):
            self._reading.close()
            self._writing.close()

    def _same_process(self) -> None:
        if os.getpid() != self._process:
            raise LedgerUnavailable(
                f"{self.path} was opened in process {self._process} and this is a fork of it; "
                "open the log again here"
            )
