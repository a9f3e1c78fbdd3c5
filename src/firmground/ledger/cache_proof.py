"""Verifies against the signed log that a cached answer may be served.

The index that finds an answer is a table that any process with write access can change. Before a
hit is served, the entry that gave the row its state is read again, later entries about the key are
looked for, and every byte of the run is checked up to a root. The hit is *vouched for* when that
root was signed: by the signer this log is open with, by its own memory, or by a key of the caller.
Keys stored in the file vouch for nothing, since they can be replaced with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from firmground.core.merkle import verify_inclusion
from firmground.core.run import commitment
from firmground.errors import LedgerError, RecordErased
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.entry import (
    BurnEntry,
    CacheState,
    EraseEntry,
    FalsifyEntry,
    RunEntry,
    entry_hash,
    parse_entry,
)
from firmground.ledger.keys import VerifierKey
from firmground.ledger.log import Log, StoredRun
from firmground.ledger.signing import CheckpointSigner
from firmground.ledger.store import CacheRow, EntryRow, StoreReader


class VerifiedHit(NamedTuple):
    """A run whose bytes verify, and whether they do so under a signed root."""

    run: StoredRun
    vouched: bool


class _Root(NamedTuple):
    size: int
    hash: bytes
    vouched: bool


class CacheProof:
    """Checks hits of one log; holds the signer's memory against it where there is a signer."""

    def __init__(
        self, signer: Callable[[], CheckpointSigner | None], keys: Sequence[VerifierKey] = ()
    ) -> None:
        self._signer = signer
        self._keys = tuple(keys)
        self._believed: bytes | None = None

    def verified(self, reader: StoreReader, row: CacheRow) -> VerifiedHit:
        """Read the run behind a row and check every byte of it against what was committed."""
        log = Log(reader)
        _require_state(log, row)
        stored = log.run_at(row.seq)
        if stored.beside().cache_key != row.key or stored.entry.seq != row.seq:
            raise LedgerError(f"entry {row.seq} does not answer this key")
        root = self._root(log, max(row.seq, row.changed))
        _require_included(log, stored.row, root)
        if row.changed != row.seq:
            _require_included(log, log.row(row.changed), root)
        _require_payloads(stored)
        return VerifiedHit(stored, root.vouched)

    def _root(self, log: Log, seq: int) -> _Root:
        """The newest root that was signed, if it covers the entry; else the present one."""
        signer = self._signer()
        last = None if signer is None else signer.last_signed()
        if last is not None and last.size > seq:
            return _Root(last.size, last.root, vouched=True)
        newest = log.newest_checkpoint()
        if newest is None or newest.size <= seq:
            return _Root(*log.tree_head(), vouched=False)
        self._believe(log, newest.note)
        stated, _ = checkpoints.parse(newest.note)
        return _Root(stated.size, stated.root, vouched=bool(self._keys))

    def _believe(self, log: Log, note: bytes) -> None:
        if note == self._believed:
            return
        report = checkpoints.verify(note, keys=self._keys or _own_keys(log))
        if not report.valid:
            raise LedgerError(f"the newest checkpoint: {'; '.join(report.reasons)}")
        self._believed = note


def _own_keys(log: Log) -> list[VerifierKey]:
    origin = log.origin()
    return [] if origin is None else [term.key for term in log.keyring(origin).terms]


def _require_state(log: Log, row: CacheRow) -> None:
    """The log gave this key this state at the entry the row names, and none afterwards."""
    body = parse_entry(log.row(row.changed).body).body
    if isinstance(body, RunEntry):
        given = row.state == CacheState.LIVE and row.changed == row.seq
    else:
        given = isinstance(body, FalsifyEntry) and (row.state, row.seq) == (body.state, body.of)
    if not given:
        raise LedgerError(f"entry {row.changed} does not make this answer {row.state}")
    for kind in (FalsifyEntry.type, BurnEntry.type):
        for seq in log.reader.acts(kind, after=row.changed):
            if _is_about(log, log.row(seq), row):
                raise LedgerError(f"entry {seq} takes back what entry {row.changed} says")


def _is_about(log: Log, act: EntryRow, row: CacheRow) -> bool:
    """True when an act concerns the key of a row: its run, or one that answered after it."""
    body = parse_entry(act.body).body
    if not isinstance(body, (FalsifyEntry, BurnEntry)) or body.of < row.seq:
        return False
    if body.of == row.seq:
        return True
    stored = log.run_at(body.of)
    try:
        return stored.beside().cache_key == row.key
    except RecordErased:
        # Which key it answered is no longer known, as intended; but a wipe without an erasure entry
        # could hide an entry this way.
        if not _was_ordered(log, stored):
            raise LedgerError(f"what run {stored.body.run} answered is gone, by no order") from None
        return False


def _was_ordered(log: Log, stored: StoredRun) -> bool:
    for seq in log.reader.acts(EraseEntry.type, after=stored.row.seq):
        body = log.entry(seq).body
        if isinstance(body, EraseEntry) and stored.body.aside in body.commits:
            return True
    return False


def _require_included(log: Log, row: EntryRow, root: _Root) -> None:
    path = log.inclusion(row.seq, root.size)
    leaf = entry_hash(row.body)
    if not verify_inclusion(leaf=leaf, index=row.seq, size=root.size, path=path, root=root.hash):
        raise LedgerError(f"entry {row.seq} is not the one in the tree")


def _require_payloads(stored: StoredRun) -> None:
    for kept in stored.stages:
        stage = kept.planned.stage
        if kept.salt is None or kept.payload is None:
            raise RecordErased(f"the {stage} of run {stored.body.run} was erased")
        if commitment(salt=kept.salt, stage=stage, payload=kept.payload) != kept.commit:
            raise LedgerError(f"the {stage} of run {stored.body.run} was changed")
