"""The log in one schema of a PostgreSQL database, which any number of processes write in turn."""

from __future__ import annotations

import hashlib
import os
import random
import secrets
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from firmground.adapters.postgres import migrations, rows, shape
from firmground.adapters.postgres.connection import Connection, ConnectionThread
from firmground.adapters.postgres.target import DatabaseTarget, parse_target
from firmground.errors import LedgerError, LedgerUnavailable
from firmground.ledger.store import NO_ENTRY, Durability, Head, NameLock, StoreChange, Transaction

T = TypeVar("T")

SETTLE_SECONDS = 20.0
"""How long the store asks for the outcome of a commit whose answer was lost."""
_TURN = f"SELECT t.*, ({shape.STAMP.format('$3', '$4')}) FROM take_turn($1, $2) AS t"  # noqa: S608


class _PostgresTransaction(rows.PostgresRows):
    """The transaction that is open on the writing connection."""

    def __init__(self, connection: Connection, head: Head) -> None:
        self._connection = connection
        self._head: Head | None = head
        self._size = head.size
        self._edge: dict[tuple[int, int], bytes] | None = None

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of a subtree; those at the edge of the tree are read together."""
        if self._edge is None:
            self._edge = self._read_edge()
        found = self._edge.get((level, index))
        return super().node(level, index) if found is None else found

    def _read_edge(self) -> dict[tuple[int, int], bytes]:
        """The complete subtrees that make up the tree as the turn found it."""
        levels = [level for level in range(self._size.bit_length()) if self._size >> level & 1]
        places = [((self._size >> level) - 1) for level in levels]
        sql = (
            "SELECT n.level, n.place, n.hash FROM unnest($1::integer[], $2::bigint[]) "
            "AS w(level, place) JOIN node AS n USING (level, place) "
            "UNION ALL SELECT 0, seq, hash FROM entry WHERE seq = $3 - 1"
        )
        return {(row[0], row[1]): row[2] for row in self._run(sql, levels, places, self._size)}

    def _run(self, sql: str, *args: Any) -> list[Any]:
        return self._connection.run(sql, *args)

    def defects(self) -> tuple[str, ...]:
        """Name what is not as it was made."""
        return _defects(self._run, self._connection.target.schema)

    def head(self) -> Head:
        """Return the head; what the turn began with is known already."""
        return self._head if self._head is not None else super().head()

    def apply(self, change: StoreChange) -> None:
        """Write the change."""
        self._head = None
        rows.apply(self._connection.run, self._connection.execute, change)


class _Held:
    """One held name."""

    def __init__(self, release: Callable[[], None]) -> None:
        self._release: Callable[[], None] | None = release

    def release(self) -> None:
        """Let the next one have it; releasing twice is fine."""
        release, self._release = self._release, None
        if release is not None:
            release()


class PostgresStore(rows.PostgresRows):
    """A log in PostgreSQL: one writer at a time by an advisory lock, append-only by triggers."""

    def __init__(self, target: DatabaseTarget, *, durability: Durability) -> None:
        self.target = target
        self._durability = durability
        self._loop = ConnectionThread()
        self._writing = self._connection(writes=True)
        self._reading = self._connection(writes=False)
        self._claiming = self._connection(writes=False)
        self._claimed: set[int] = set()
        self._claims_lock = threading.Lock()
        self._lock = _number(f"firmground/log/{target.schema}")
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
        self._objects: tuple[list[int], list[int]] = ([], [])
        self._stamp: str | None = None
        self._process = os.getpid()
        self._closed = False

    @classmethod
    def open(
        cls, address: str, *, durability: Durability | str = Durability.FULL, create: bool = True
    ) -> PostgresStore:
        """Open or make the log at an address such as ``postgresql://user@host/db?schema=name``.

        With ``create=False`` nothing is made or migrated. A log whose tables somebody changed is
        then opened all the same, so that it can be audited; writing to it is refused.
        """
        store = cls(parse_target(address), durability=Durability(durability))
        try:
            store._set_up(create=create)
        except BaseException:
            store.close()
            raise
        return store

    def _connection(self, *, writes: bool) -> Connection:
        return Connection(self._loop, self.target, durability=self._durability, writes=writes)

    def _set_up(self, *, create: bool) -> None:
        if create:
            migrations.migrate(self._writing, self._lock)
            self._require_our_tables()
            self._require_synced()
        else:
            migrations.require_known(self._reading)

    def _require_synced(self) -> None:
        """A server that does not sync loses what it acknowledged, whatever an entry says."""
        synced = self._writing.run("SHOW fsync")[0][0]
        if self._durability is Durability.FULL and synced != "on":
            raise LedgerError(
                f"{self.target.shown}: the server runs with fsync = {synced} and would lose what "
                "it acknowledged with the power; turn it on, or open the log with "
                "durability='process'"
            )

    def grant(self, role: str, *, writes: bool) -> None:
        """Let a role append to this log, or only read it; for the owner of the tables."""
        migrations.grant(self._writing, role, writes=writes)

    @property
    def durability(self) -> Durability:
        """What a change survives once ``transact`` has returned."""
        return self._durability

    def _run(self, sql: str, *args: Any) -> list[Any]:
        self._same_process()
        return self._reading.run(sql, *args, again=True)

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` alone among all writers of this log and keep its changes, or none."""
        self._same_process()
        with self._writing.lock:
            transaction, head = self._take_turn()
            try:
                result = work(_PostgresTransaction(self._writing, head))
            except BaseException:
                self._writing.roll_back()
                raise
            self._commit(transaction)
            return result

    def _take_turn(self) -> tuple[str, Head]:
        """Begin a transaction that excludes all other writers; a lost session is replaced once."""
        if not self._objects[0]:
            self._require_our_tables()
        try:
            return self._begin()
        except LedgerUnavailable:
            if not self._writing.lost:
                raise
        return self._begin()

    def _begin(self) -> tuple[str, Head]:
        writing = self._writing
        writing.begin()
        try:
            found = writing.run(_TURN, self._lock, self._holder, *self._objects)[0]
            if found[4] != self._stamp:
                self._require_our_tables()
        except BaseException:
            self._writing.roll_back()
            raise
        return found[1], Head(found[2], found[3] if found[2] else NO_ENTRY)

    def _require_our_tables(self) -> None:
        """Compare the catalogue with what we made, and remember its stamp."""
        run, schema = self._writing.run, self.target.schema
        numbers = shape.objects(run, schema)
        stamp = run(shape.STAMP.format("$1", "$2"), *numbers)[0][0]
        shape.require_unchanged(run, schema, self.target.shown)
        self._objects, self._stamp = numbers, stamp

    def _commit(self, transaction: str) -> None:
        try:
            self._writing.commit()
        except LedgerUnavailable as error:
            self._writing.drop()
            self._settle(transaction, error)
        except BaseException:
            self._writing.roll_back()
            raise

    def _settle(self, transaction: str, error: LedgerUnavailable) -> None:
        """Ask for the outcome of a commit whose answer was lost; return only if it was kept."""
        until = time.monotonic() + SETTLE_SECONDS
        sql = "SELECT pg_xact_status($1::text::xid8)"
        while time.monotonic() < until:
            try:
                found = self._writing.run(sql, transaction)[0][0]
            except LedgerUnavailable:
                found = None
            if found == "committed":
                return
            if found == "aborted":
                raise error
            time.sleep(random.uniform(0.05, 0.2))  # noqa: S311 - spreads waiters, guards nothing
        raise LedgerUnavailable(
            f"{self.target.shown}: the connection was lost during a commit and the server cannot "
            "be asked for its outcome: look for the run by its id before it is recorded again"
        ) from error

    def flush(self) -> None:
        """Make everything visible survive the loss of power."""
        if self._durability is Durability.FULL:
            return
        with self._writing.lock:
            self._writing.begin()
            try:
                self._writing.execute("SET LOCAL synchronous_commit = on")
                self._writing.run("SELECT pg_logical_emit_message(true, 'firmground', '')")
                self._writing.commit()
            except BaseException:
                self._writing.roll_back()
                raise

    def scrub(self) -> bool:
        """False once a payload was wiped: no statement reaches all copies of its bytes.

        Older row versions, the write-ahead log, standbys and backups keep them. Only payloads that
        are sealed under a key which is then destroyed are gone from all of these.
        """
        return not self.scrub_pending()

    def defects(self) -> tuple[str, ...]:
        """Name tables, triggers, functions and rights that are not as they were made."""
        return _defects(self._run, self.target.schema)

    def claim(self, name: bytes, *, wait: bool) -> NameLock | None:
        """Hold a name alone among all who open this log, until released or disconnected."""
        self._same_process()
        number = _number(f"firmground/claim/{self.target.schema}", name)
        pause = 0.005
        while not self._claim_now(number):
            if not wait:
                return None
            time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads waiters
            pause = min(2 * pause, 0.2)
        return _Held(lambda: self._release(number))

    def _claim_now(self, number: int) -> bool:
        """Try once. Locks count by session, so names held by this process are known by a set."""
        with self._claims_lock:
            if number in self._claimed:
                return False
            if self._claiming.lost:
                self._claimed.clear()
            sql = "SELECT pg_try_advisory_lock($1)"
            if not self._claiming.run(sql, number, again=True)[0][0]:
                return False
            self._claimed.add(number)
            return True

    def _release(self, number: int) -> None:
        with self._claims_lock:
            if number in self._claimed and not self._closed:
                self._claimed.discard(number)
                try:
                    self._claiming.run("SELECT pg_advisory_unlock($1)", number)
                except LedgerError:
                    self._claiming.drop()  # the end of the session releases all it held

    def close(self) -> None:
        """Give everything back; closing twice is fine."""
        if self._closed or os.getpid() != self._process:
            return
        self._closed = True
        for connection in (self._reading, self._claiming, self._writing):
            connection.close()
        self._loop.close()

    def _same_process(self) -> None:
        if os.getpid() != self._process:
            raise LedgerUnavailable(
                f"{self.target.shown} was opened in process {self._process} and this is a fork of "
                "it; open the log again here"
            )


def _defects(run: shape.Run, schema: str) -> tuple[str, ...]:
    told = [*shape.differences(run, schema), *shape.excess_rights(run, schema)]
    for setting in ("fsync", "full_page_writes"):
        value = run(f"SHOW {setting}")[0][0]
        if value != "on":
            told.append(f"the server runs with {setting} = {value}")
    return tuple(told)


def _number(kind: str, name: bytes = b"") -> int:
    """The number of an advisory lock."""
    digest = hashlib.sha256(kind.encode("utf-8") + b"\0" + name).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
