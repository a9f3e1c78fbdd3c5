"""An index over the runs of a ledger, so that lists, searches and charts stay fast.

It is derived from the log alone and can be deleted at any time. It follows the log entry by entry;
an erase entry removes the texts of its run from here as well.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmground.adapters.sqlite.connection import open_shared
from firmground.errors import LedgerUnavailable
from firmground.ledger.entry import EraseEntry, RunEntry, parse_entry
from firmground.ledger.log import Log
from firmground.service.run_facts import SEARCHED, SNIPPET, RunSummary, facts_of

if TYPE_CHECKING:
    import apsw

FILE = "index.sqlite"
VERSION = 1
BATCH = 500
"""Entries that are read in one transaction."""

_TABLES = """
CREATE TABLE place (
  one INTEGER PRIMARY KEY CHECK (one = 1), next INTEGER NOT NULL,
  hash BLOB NOT NULL, at TEXT NOT NULL
) STRICT;
INSERT INTO place VALUES (1, 0, x'', '');
CREATE TABLE run (
  seq INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, time TEXT NOT NULL,
  at TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL, claims INTEGER NOT NULL,
  failing INTEGER NOT NULL, support REAL, attempts INTEGER NOT NULL, milliseconds INTEGER,
  calls INTEGER NOT NULL, tokens INTEGER NOT NULL, erased INTEGER NOT NULL
) STRICT;
CREATE INDEX run_at ON run (at, seq);
CREATE TABLE facet (
  name TEXT NOT NULL, value TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (name, value, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE facet_of (
  seq INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (seq, name, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE facet_count (
  name TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (name, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE hour (
  hour TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (hour, name, value)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(question, answer, tokenize = 'unicode61');
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
"""
_BY_HOUR = ("verdict", "decision", "code", "rule", "policy", "model")


class RunIndex:
    """The index file of one service; safe in threads, may be shared by several processes."""

    def __init__(self, folder: Path | str) -> None:
        self.path = Path(folder) / FILE
        self._lock = threading.Lock()
        self._read_lock = threading.Lock()
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with _translated():
            self._db: apsw.Connection = open_shared(str(self.path))
            self._make()
            self._reads: apsw.Connection = open_shared(str(self.path))

    def _make(self) -> None:
        """Make the tables; those of another version are dropped, since the log has everything."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            if self._version() != VERSION:
                self._drop()
                self._db.execute(_TABLES)
                self._db.execute(f"PRAGMA user_version = {VERSION}")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _version(self) -> int:
        return int(self._db.pragma("user_version"))

    def _drop(self) -> None:
        names = ("place", "run", "facet", "facet_of", "facet_count", "hour", "words")
        for name in names:
            self._db.execute(f"DROP TABLE IF EXISTS {name}")

    def close(self) -> None:
        """Give the file back."""
        with self._lock, self._read_lock:
            self._db.close()
            self._reads.close()

    def query(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run one statement that reads."""
        with self._read_lock, _translated():
            return list(self._reads.execute(statement, tuple(values)))

    def next(self) -> int:
        """The first entry of the log that was not read yet."""
        return int(self.query("SELECT next FROM place")[0][0])

    def follow(self, log: Log, *, batches: int = 1) -> int:
        """Read what the log has gained, some batches of it; return how many entries are left."""
        for _ in range(batches):
            size = log.size()
            if self.next() >= size and self._same_log(log):
                return 0
            self._read_batch(log, size)
        return max(0, log.size() - self.next())

    def _same_log(self, log: Log) -> bool:
        """True when the entry that was read last is still what the log has in that place."""
        after, known = self.query("SELECT next, hash FROM place")[0]
        if after == 0:
            return True
        if after > log.size():
            return False
        return bool(next(iter(log.reader.entries(after - 1, after))).hash == known)

    def _read_batch(self, log: Log, size: int) -> None:
        """Read one batch in a transaction; several processes take turns."""
        same = self._same_log(log)
        with self._lock, _translated():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                if not same:
                    self._drop()
                    self._db.execute(_TABLES)
                start, at = next(self._db.execute("SELECT next, at FROM place"))
                scrub = self._read(log, start, min(start + BATCH, size), at)
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
            if scrub:
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _read(self, log: Log, start: int, stop: int, at: str) -> bool:
        payloads: dict[int, dict[int, bytes]] = {}
        for kept in log.reader.vault(start, stop):
            payloads.setdefault(kept.seq, {})[kept.ord] = kept.payload
        last, scrub = b"", False
        for row in log.reader.entries(start, stop):
            entry = parse_entry(row.body)
            at, last = max(at, entry.ts), row.hash
            if isinstance(entry.body, RunEntry):
                self._add(facts_of(entry, payloads.get(row.seq, {})), at)
            elif isinstance(entry.body, EraseEntry):
                scrub |= self._erase(log, entry.body.run)
        if last:
            self._db.execute("UPDATE place SET next = ?, hash = ?, at = ?", (stop, last, at))
        return scrub

    def _add(self, facts: RunSummary, at: str) -> None:
        self._db.execute(
            "INSERT INTO run VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                facts.seq, facts.run, facts.time, at, facts.question[:SNIPPET],
                facts.answer[:SNIPPET], facts.claims, facts.failing, facts.support, facts.attempts,
                facts.milliseconds, facts.calls, facts.tokens, int(facts.erased),
            ),
        )  # fmt: skip
        if facts.question or facts.answer:
            self._db.execute(
                "INSERT INTO words (rowid, question, answer) VALUES (?,?,?)",
                (facts.seq, facts.question[:SEARCHED], facts.answer[:SEARCHED]),
            )
        self._add_facets(facts)
        self._count_hour(facts, at[:13])

    def _add_facets(self, facts: RunSummary) -> None:
        rows = [(facts.seq, name, value) for name, value in facts.facets]
        self._db.executemany("INSERT INTO facet_of VALUES (?,?,?)", rows)
        self._db.executemany("INSERT INTO facet (seq, name, value) VALUES (?,?,?)", rows)
        self._db.executemany(
            "INSERT INTO facet_count VALUES (?2,?3,1) ON CONFLICT DO UPDATE SET n = n + 1", rows
        )

    def _drop_facets(self, seq: int) -> None:
        rows = list(self._db.execute("SELECT seq, name, value FROM facet_of WHERE seq = ?", (seq,)))
        self._db.execute("DELETE FROM facet_of WHERE seq = ?", (seq,))
        self._db.executemany("DELETE FROM facet WHERE seq = ? AND name = ? AND value = ?", rows)
        self._db.executemany(
            "UPDATE facet_count SET n = n - 1 WHERE name = ?2 AND value = ?3 AND ?1 >= 0", rows
        )
        self._db.execute("DELETE FROM facet_count WHERE n <= 0")

    def _count_hour(self, facts: RunSummary, hour: str) -> None:
        counted = [(name, value, 1) for name, value in facts.facets if name in _BY_HOUR]
        counted += [("total", "runs", 1), ("total", "calls", facts.calls)]
        counted += [("total", "tokens", facts.tokens)]
        if facts.milliseconds is not None:
            counted.append(("milliseconds", f"{latency_bucket(facts.milliseconds):03d}", 1))
        self._db.executemany(
            "INSERT INTO hour VALUES (?,?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
            [(hour, *one) for one in counted if one[2]],
        )

    def _erase(self, log: Log, run: str) -> bool:
        """Take over what is left of a run; its texts go from here for good."""
        found = list(self._db.execute("SELECT seq FROM run WHERE run = ?", (run,)))
        if not found:
            return False
        seq = found[0][0]
        entry = parse_entry(next(iter(log.reader.entries(seq, seq + 1))).body)
        facts = facts_of(entry, {k.ord: k.payload for k in log.reader.vault(seq, seq + 1)})
        self._db.execute("DELETE FROM words WHERE rowid = ?", (seq,))
        if facts.question or facts.answer:
            self._db.execute(
                "INSERT INTO words (rowid, question, answer) VALUES (?,?,?)",
                (seq, facts.question[:SEARCHED], facts.answer[:SEARCHED]),
            )
        self._drop_facets(seq)
        self._add_facets(facts)
        self._db.execute(
            "UPDATE run SET question = ?, answer = ?, claims = ?, failing = ?, support = ?,"
            " calls = ?, tokens = ?, erased = 1 WHERE seq = ?",
            (
                facts.question[:SNIPPET], facts.answer[:SNIPPET], facts.claims, facts.failing,
                facts.support, facts.calls, facts.tokens, seq,
            ),
        )  # fmt: skip
        return True


def latency_bucket(milliseconds: int) -> int:
    """The number of a bucket of times, each 1.25 times as wide as the one before."""
    bucket, edge = 0, 1.0
    while milliseconds > edge and bucket < 99:
        bucket, edge = bucket + 1, edge * 1.25
    return bucket


def latency_edge(bucket: int) -> float:
    """The largest time in a bucket, in milliseconds."""
    return float(1.25**bucket)


def percentile(buckets: Iterable[tuple[int, int]], share: float) -> float | None:
    """The upper edge of the bucket that holds this share of all times; None without times."""
    counted = sorted(buckets)
    total = sum(n for _, n in counted)
    seen = 0
    for bucket, n in counted:
        seen += n
        if seen >= share * total:
            return latency_edge(bucket)
    return None


@contextmanager
def _translated() -> Iterator[None]:
    import apsw

    try:
        yield
    except apsw.Error as error:
        raise LedgerUnavailable(f"the index of runs: {type(error).__name__}: {error}") from error
