"""Whether what one entry says about earlier entries is true."""

from __future__ import annotations

from collections.abc import Iterator

from firmground.core.merkle import Frontier
from firmground.ledger.entry import (
    BurnEntry,
    Entry,
    EraseEntry,
    FalsifyEntry,
    LookupEntry,
    ResealEntry,
)
from firmground.ledger.store import Reader
from firmground.ledger.walk import Part, Problem, Wrong


def problems(reader: Reader, entry: Entry, before: Frontier) -> Iterator[Problem]:
    """Name references of an entry that lead nowhere; ``before`` is the tree up to the entry."""
    body = entry.body
    if isinstance(body, ResealEntry) and body.root != before.root():
        yield _problem(entry.seq, f"the first {body.size} entries do not have the root it states")
    if isinstance(body, (FalsifyEntry, BurnEntry, LookupEntry)):
        run = _run_at(reader, body.of) if body.of < entry.seq else None
        if run is None:
            yield _problem(entry.seq, f"it is about entry {body.of}, which is no earlier run")
        elif isinstance(body, LookupEntry) and body.run != run:
            yield _problem(entry.seq, f"it names run {body.run}, but entry {body.of} is run {run}")
    if isinstance(body, EraseEntry):
        found = reader.find_run(body.run)
        if found is None or found >= entry.seq:
            yield _problem(entry.seq, f"it erases run {body.run}, which is not recorded before it")


def _run_at(reader: Reader, seq: int) -> str | None:
    return next((row.run for row in reader.entries(seq, seq + 1)), None)


def _problem(seq: int, detail: str) -> Problem:
    return Problem(part=Part.ENTRY, wrong=Wrong.CHANGED, seq=seq, detail=detail)
