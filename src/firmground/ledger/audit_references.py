"""Whether what one entry says about earlier entries is true."""

from __future__ import annotations

from collections.abc import Iterator

from firmground.core.merkle import Frontier, frontier_of
from firmground.errors import LedgerError
from firmground.ledger.entry import (
    BurnEntry,
    Entry,
    EraseEntry,
    FalsifyEntry,
    LookupEntry,
    ResealEntry,
    StampEntry,
)
from firmground.ledger.replay import LogPart, LogProblem, LogProblemKind
from firmground.ledger.store import StoreReader


def problems(reader: StoreReader, entry: Entry, before: Frontier) -> Iterator[LogProblem]:
    """Name references of an entry that lead nowhere; ``before`` is the tree up to the entry."""
    body = entry.body
    if isinstance(body, ResealEntry) and body.root != before.root():
        yield _problem(entry.seq, f"the first {body.size} entries do not have the root it states")
    if isinstance(body, StampEntry) and not _had_root(reader, body, entry.seq):
        yield _problem(entry.seq, f"the first {body.size} entries do not have the root it stamps")
    if isinstance(body, (FalsifyEntry, BurnEntry, LookupEntry)):
        run = _run_at(reader, body.of) if body.of < entry.seq else None
        if run is None:
            yield _problem(entry.seq, f"it is about entry {body.of}, which is not an earlier run")
        elif isinstance(body, LookupEntry) and body.run != run:
            yield _problem(entry.seq, f"it names run {body.run}, but entry {body.of} is run {run}")
    if isinstance(body, EraseEntry):
        found = reader.find_run(body.run)
        if found is None or found >= entry.seq:
            yield _problem(entry.seq, f"it erases run {body.run}, which is not recorded before it")


def _had_root(reader: StoreReader, stamp: StampEntry, seq: int) -> bool:
    try:
        return stamp.size <= seq and frontier_of(stamp.size, reader.node).root() == stamp.root
    except LedgerError:
        return False


def _run_at(reader: StoreReader, seq: int) -> str | None:
    return next((row.run for row in reader.entries(seq, seq + 1)), None)


def _problem(seq: int, detail: str) -> LogProblem:
    return LogProblem(part=LogPart.ENTRY, wrong=LogProblemKind.CHANGED, seq=seq, detail=detail)
