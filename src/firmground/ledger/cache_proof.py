"""Does the log itself, under what was signed, say that this answer may be served?

The index that finds an answer is a table that anybody who can write the file can change. Before a
hit is served, the entry that gave the row its state is read again, later acts about the key are
looked for, and every byte of the run is checked up to a root that was signed.
"""

from __future__ import annotations

from collections.abc import Callable

from firmground.core.merkle import verify_inclusion
from firmground.core.run import commitment
from firmground.errors import LedgerError, RecordErased
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.entry import (
    BurnEntry,
    CacheState,
    FalsifyEntry,
    RunEntry,
    entry_hash,
    parse_entry,
)
from firmground.ledger.log import Log, StoredRun
from firmground.ledger.signing import CheckpointSigner
from firmground.ledger.store import CacheRow, EntryRow, Reader


class CacheProof:
    """Checks hits of one log; holds the signer's memory against it where there is a signer."""

    def __init__(self, signer: Callable[[], CheckpointSigner | None]) -> None:
        self._signer = signer
        self._believed: bytes | None = None

    def verified(self, reader: Reader, row: CacheRow) -> StoredRun:
        """Read the run behind a row and check every byte of it against what was committed."""
        log = Log(reader)
        _require_state(log, row)
        stored = log.run_at(row.seq)
        if stored.body.cache_key != row.key or stored.entry.seq != row.seq:
            raise LedgerError(f"entry {row.seq} does not answer this key")
        size, root = self._root(log, row.seq)
        _require_included(log, stored.row, size, root)
        _require_payloads(stored)
        return stored

    def _root(self, log: Log, seq: int) -> tuple[int, bytes]:
        """The newest root that was signed, if it covers the entry; else the present one."""
        signer = self._signer()
        last = None if signer is None else signer.last_signed()
        if last is not None and last.size > seq:
            return last.size, last.root
        newest = log.newest_checkpoint()
        if newest is None or newest.size <= seq:
            return log.tree_head()
        self._believe(log, newest.note)
        stated, _ = checkpoints.parse(newest.note)
        return stated.size, stated.root

    def _believe(self, log: Log, note: bytes) -> None:
        if note == self._believed:
            return
        origin = log.origin()
        terms = () if origin is None else log.keyring(origin).terms
        report = checkpoints.verify(note, keys=[term.key for term in terms])
        if not report.valid:
            raise LedgerError(f"the newest checkpoint: {'; '.join(report.reasons)}")
        self._believed = note


def _require_state(log: Log, row: CacheRow) -> None:
    """The log gave this key this state at the entry the row names, and none afterwards."""
    body = parse_entry(log.row(row.changed).body).body
    if isinstance(body, RunEntry):
        given = row.state == CacheState.LIVE and row.changed == row.seq
    else:
        given = isinstance(body, FalsifyEntry) and row.state == body.state
    if not given or getattr(body, "cache_key", None) != row.key:
        raise LedgerError(f"entry {row.changed} does not make this answer {row.state}")
    for kind in (FalsifyEntry.type, BurnEntry.type):
        for seq in log.reader.acts(kind, after=row.changed):
            if _is_about(log.row(seq), row.key):
                raise LedgerError(f"entry {seq} takes back what entry {row.changed} says")


def _is_about(row: EntryRow, key: bytes) -> bool:
    body = parse_entry(row.body).body
    return isinstance(body, (FalsifyEntry, BurnEntry)) and body.cache_key == key


def _require_included(log: Log, row: EntryRow, size: int, root: bytes) -> None:
    path = log.inclusion(row.seq, size)
    leaf = entry_hash(row.body)
    if not verify_inclusion(leaf=leaf, index=row.seq, size=size, path=path, root=root):
        raise LedgerError(f"entry {row.seq} is not the one in the tree")


def _require_payloads(stored: StoredRun) -> None:
    for kept in stored.stages:
        stage = kept.planned.stage
        if kept.salt is None or kept.payload is None:
            raise RecordErased(f"the {stage} of run {stored.body.run} was erased")
        if commitment(salt=kept.salt, stage=stage, payload=kept.payload) != kept.commit:
            raise LedgerError(f"the {stage} of run {stored.body.run} was changed")
