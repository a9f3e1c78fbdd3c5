"""Keys of sealed payloads in a SQLite file of their own."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from firmground.adapters.sqlite.connection import BusyHandler, in_turn, translated
from firmground.adapters.sqlite.version import require_shareable
from firmground.errors import InputError, LedgerError
from firmground.ledger.sealing import KEY_BYTES, EncryptedRun, SealingKey

BUSY_SECONDS = 30.0
_APPLICATION_ID = 0x6667566B
# Rows are appended in order and overwritten where they stand, so SQLite never moves one and leaves
# a copy of its key behind. The indexes hold no key.
_TABLES = f"""
CREATE TABLE IF NOT EXISTS sealing(
    number INTEGER PRIMARY KEY, id BLOB NOT NULL, run TEXT NOT NULL,
    subject BLOB NOT NULL, key BLOB NOT NULL, state INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS sealing_id ON sealing(id);
CREATE INDEX IF NOT EXISTS sealing_subject ON sealing(subject);
CREATE INDEX IF NOT EXISTS sealing_run ON sealing(run);
CREATE INDEX IF NOT EXISTS sealing_doomed ON sealing(state) WHERE state = 1;
PRAGMA application_id = {_APPLICATION_ID};
"""
_LIVE, _DOOMED, _DESTROYED = 0, 1, 2


class SqliteVaultKeys:
    """One file of keys; several processes may share it. Back it up apart from the log, or never."""

    def __init__(self, path: Path | str) -> None:
        import apsw

        require_shareable(apsw.sqlite_lib_version())
        self.path = os.fspath(path)
        self._lock = threading.RLock()
        if not Path(self.path).parent.is_dir():
            raise InputError(f"{self.path}: the key store cannot be made: there is no such folder")
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with translated(self.path):
            self._db = apsw.Connection(self.path)
            self._db.set_busy_handler(BusyHandler(BUSY_SECONDS))
            number = int(self._db.pragma("application_id"))
            if number not in (0, _APPLICATION_ID):
                self._db.close()
                raise LedgerError(f"{self.path} is another program's database, not a key store")
            in_turn(self._set_up)
            if number == 0:
                self._db.execute(_TABLES)

    def _set_up(self) -> None:
        for pragma in (
            "journal_mode = WAL", "synchronous = FULL", "secure_delete = ON",
            "temp_store = MEMORY", "fullfsync = ON",
        ):  # fmt: skip
            self._db.execute(f"PRAGMA {pragma}")

    @contextmanager
    def _changing(self) -> Iterator[Any]:
        with self._lock, translated(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _run(self, sql: str, *args: Any) -> list[Any]:
        with self._lock, translated(self.path):
            return self._db.execute(sql, args).fetchall()

    def make(self, runs: Sequence[EncryptedRun]) -> list[SealingKey]:
        """Make a new key for each run; they are on the disk when this returns."""
        made = [SealingKey(secrets.token_bytes(32), secrets.token_bytes(KEY_BYTES)) for _ in runs]
        rows = [
            (key.id, run.run, _hashed(run.subject), key.key, _LIVE)
            for run, key in zip(runs, made, strict=True)
        ]
        with self._changing() as db:
            db.executemany(
                "INSERT INTO sealing(id, run, subject, key, state) VALUES (?,?,?,?,?)", rows
            )
        return made

    def find(self, id: bytes) -> bytes | None:
        """Return a key, b"" for one that was destroyed, and None for one that was never made."""
        found = self._run("SELECT key, state FROM sealing WHERE id = ?", id)
        if not found:
            return None
        return b"" if found[0][1] == _DESTROYED else bytes(found[0][0])

    def runs_of(self, subject: str) -> tuple[str, ...]:
        """Return the runs that hold data of a subject and whose keys are not destroyed."""
        sql = "SELECT run FROM sealing WHERE subject = ? AND state <> ? ORDER BY number"
        found = self._run(sql, _hashed(subject), _DESTROYED)
        return tuple(dict.fromkeys(row[0] for row in found))

    def doom(self, ids: Iterable[bytes]) -> None:
        """Note that these keys are to be destroyed."""
        self._mark(ids, _LIVE, _DOOMED)

    def spare(self, ids: Iterable[bytes]) -> None:
        """Take the note back."""
        self._mark(ids, _DOOMED, _LIVE)

    def _mark(self, ids: Iterable[bytes], before: int, after: int) -> None:
        rows = [(after, id, before) for id in ids]
        if rows:
            with self._changing() as db:
                db.executemany("UPDATE sealing SET state = ? WHERE id = ? AND state = ?", rows)

    def doomed(self) -> tuple[tuple[bytes, str], ...]:
        """Return (id, run) of keys that are noted and not yet destroyed."""
        found = self._run(f"SELECT id, run FROM sealing WHERE state = {_DOOMED}")  # noqa: S608
        return tuple((bytes(id), run) for id, run in found)

    def destroy(self, ids: Iterable[bytes]) -> None:
        """Overwrite keys and whose they were, then empty the write-ahead file."""
        import apsw

        rows = [(_DESTROYED, id) for id in ids]
        if not rows:
            return
        with self._changing() as db:
            db.executemany(
                "UPDATE sealing SET key = zeroblob(length(key)), subject = randomblob(32), "
                "state = ? WHERE run = (SELECT run FROM sealing WHERE id = ?)",
                rows,
            )
        with self._lock, translated(self.path):
            self._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def destroyed(self, run: str) -> bool:
        """True when a run had keys and all of them are destroyed."""
        found = self._run("SELECT state FROM sealing WHERE run = ?", run)
        return bool(found) and all(row[0] == _DESTROYED for row in found)

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._db.close()


def _hashed(subject: str) -> bytes:
    return hashlib.sha256(b"fg1/subject\0" + subject.encode("utf-8", "surrogatepass")).digest()
