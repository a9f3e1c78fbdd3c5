"""What the service keeps beside the ledger: API keys, requests under way, replies to repeat."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from firmground.adapters.sqlite.connection import open_shared
from firmground.errors import InputError, LedgerUnavailable
from firmground.ledger.ids import time_text, utc_now
from firmground.service.auth import KeyLimits, KeyRecord, KeyScope, new_secret

if TYPE_CHECKING:
    import apsw

FILE = "service.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS api_key (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, scopes TEXT NOT NULL, digest BLOB NOT NULL,
  created TEXT NOT NULL, expires TEXT, revoked TEXT,
  per_minute REAL, concurrent INTEGER, budget INTEGER, used INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS request (
  run TEXT PRIMARY KEY, key_id TEXT NOT NULL, idempotency TEXT, digest BLOB NOT NULL,
  kind TEXT NOT NULL, process TEXT NOT NULL, started TEXT NOT NULL,
  status INTEGER, reply BLOB
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS request_idempotency ON request (key_id, idempotency)
  WHERE idempotency IS NOT NULL;
CREATE TABLE IF NOT EXISTS ruling (
  run TEXT PRIMARY KEY, key_id TEXT NOT NULL, at TEXT NOT NULL, choice TEXT NOT NULL, settled TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS request_open ON request (process) WHERE status IS NULL;
"""


class AdmittedRequest(NamedTuple):
    """A request that was admitted: its run, and what is known of its end."""

    run: str
    digest: bytes
    kind: str
    process: str
    started: str
    status: int | None
    reply: bytes | None


class ServiceState:
    """The service's own database; may be shared by several processes, safe in threads.

    It survives the end of the process at any point. After a loss of power the last moments may be
    missing: what must survive that is in the ledger.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._lock = threading.Lock()
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self.folder / FILE
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as error:
            raise InputError(f"{self.folder}: {error.strerror}") from None
        with _translated():
            self._db: apsw.Connection = open_shared(str(path))
            self._db.execute(f"BEGIN IMMEDIATE; {_TABLES} COMMIT")

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._db.close()

    def _run(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock, _translated():
            return list(self._db.execute(statement, tuple(values)))

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run one statement for a part of the service that keeps tables of its own here."""
        return self._run(statement, values)

    def key(self, key_id: str) -> KeyRecord | None:
        """Return the key with this id, or None."""
        found = self._run(f"{_SELECT_KEY} WHERE id = ?", (key_id,))
        return _key(found[0]) if found else None

    def keys(self) -> tuple[KeyRecord, ...]:
        """Return all keys, oldest first."""
        return tuple(map(_key, self._run(f"{_SELECT_KEY} ORDER BY created, id")))

    def create_key(
        self,
        name: str,
        scopes: frozenset[KeyScope],
        *,
        limits: KeyLimits = KeyLimits(),  # noqa: B008 - frozen
        expires: str | None = None,
    ) -> tuple[str, KeyRecord]:
        """Make a key; return its text, which is not kept, and what is kept of it."""
        text, key_id, digest = new_secret()
        values = (
            key_id, name, " ".join(sorted(scopes)), digest, time_text(utc_now()), expires,
            limits.per_minute, limits.concurrent, limits.budget,
        )  # fmt: skip
        self._run(
            "INSERT INTO api_key (id, name, scopes, digest, created, expires, per_minute,"
            " concurrent, budget) VALUES (?,?,?,?,?,?,?,?,?)",
            values,
        )
        kept = self.key(key_id)
        assert kept is not None
        return text, kept

    def revoke_key(self, key_id: str) -> KeyRecord:
        """Make a key invalid from now on."""
        kept = self.key(key_id)
        if kept is None:
            raise InputError(f"there is no key {key_id}")
        now = time_text(utc_now())
        self._run("UPDATE api_key SET revoked = coalesce(revoked, ?) WHERE id = ?", (now, key_id))
        again = self.key(key_id)
        assert again is not None
        return again

    def spend(self, key_id: str, requests: int) -> bool:
        """Count requests against a key's budget; False when it is spent."""
        done = self._run(
            "UPDATE api_key SET used = used + ?2 WHERE id = ?1"
            " AND (budget IS NULL OR used + ?2 <= budget) RETURNING used",
            (key_id, requests),
        )
        return bool(done)

    def begin(
        self,
        run: str,
        *,
        key_id: str,
        idempotency: str | None,
        digest: bytes,
        kind: str,
        process: str,
    ) -> AdmittedRequest | None:
        """Note an admitted request; return the earlier one with the same idempotency key."""
        inserted = self._run(
            "INSERT INTO request (run, key_id, idempotency, digest, kind, process, started)"
            " VALUES (?,?,?,?,?,?,?) ON CONFLICT DO NOTHING RETURNING run",
            (run, key_id, idempotency, digest, kind, process, time_text(utc_now())),
        )
        if inserted:
            return None
        found = self._run(
            f"{_SELECT_REQUEST} WHERE key_id = ? AND idempotency = ?", (key_id, idempotency)
        )
        return AdmittedRequest(*found[0]) if found else None

    def finish(self, run: str, *, status: int, reply: bytes) -> None:
        """Note the end of a request; its reply is kept only for an idempotency key."""
        if not reply:
            self._run("DELETE FROM request WHERE run = ? AND idempotency IS NULL", (run,))
            return
        self._run("UPDATE request SET status = ?, reply = ? WHERE run = ?", (status, reply, run))

    def forget(self, runs: Sequence[str]) -> None:
        """Delete requests and kept replies, as when a run is erased."""
        for run in runs:
            self._run("DELETE FROM request WHERE run = ?", (run,))

    def forget_before(self, moment: str) -> None:
        """Delete kept replies of requests that began before this time."""
        self._run("DELETE FROM request WHERE status IS NOT NULL AND started < ?", (moment,))

    def unfinished(self) -> tuple[AdmittedRequest, ...]:
        """Return the requests whose end was not noted."""
        return tuple(
            AdmittedRequest(*row) for row in self._run(f"{_SELECT_REQUEST} WHERE status IS NULL")
        )

    def rule(self, run: str, *, key_id: str, choice: str) -> bool:
        """Take a case for one reviewer; False when it has been ruled on already."""
        return bool(
            self._run(
                "INSERT INTO ruling (run, key_id, at, choice) VALUES (?,?,?,?)"
                " ON CONFLICT DO NOTHING RETURNING run",
                (run, key_id, time_text(utc_now()), choice),
            )
        )

    def settle(self, run: str, settled: str | None) -> None:
        """Note the run that records the ruling, or give the case back when there is none."""
        if settled is None:
            self._run("DELETE FROM ruling WHERE run = ?", (run,))
        else:
            self._run("UPDATE ruling SET settled = ? WHERE run = ?", (settled, run))

    def ruling(self, run: str) -> dict[str, Any] | None:
        """Return who ruled on a case, when, how, and the run that records it."""
        found = self._run("SELECT key_id, at, choice, settled FROM ruling WHERE run = ?", (run,))
        return dict(zip(("key", "at", "choice", "run"), found[0], strict=True)) if found else None


_SELECT_REQUEST = "SELECT run, digest, kind, process, started, status, reply FROM request"
_SELECT_KEY = (
    "SELECT id, name, scopes, digest, created, expires, revoked, per_minute, concurrent, budget,"
    " used FROM api_key"
)


def _key(row: Sequence[Any]) -> KeyRecord:
    return KeyRecord(
        id=row[0],
        name=row[1],
        scopes=frozenset(map(KeyScope, row[2].split())),
        digest=row[3],
        created=row[4],
        expires=row[5],
        revoked=row[6],
        limits=KeyLimits(per_minute=row[7], concurrent=row[8], budget=row[9]),
        used=row[10],
    )


@contextmanager
def _translated() -> Iterator[None]:
    import apsw

    try:
        yield
    except apsw.Error as error:
        raise LedgerUnavailable(f"service state: {type(error).__name__}: {error}") from error
