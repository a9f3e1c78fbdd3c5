"""Where an incremental audit begins: behind a checkpoint that was audited before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firmground.core.merkle import (
    Frontier,
    consistency_path,
    frontier_of,
    inclusion_path,
    leaf_hash,
    verify_consistency,
    verify_inclusion,
)
from firmground.errors import InputError, RecordNotFound
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.entry import Entry, parse_entry
from firmground.ledger.keys import VerifierKey
from firmground.ledger.store import StoreReader


@dataclass(frozen=True, slots=True)
class AuditStart:
    """The part of a log that was audited before, as its stored tree has it."""

    checkpoint: Checkpoint
    frontier: Frontier
    last: bytes

    def root(self, reader: StoreReader, size: int) -> bytes | None:
        """The root of an earlier size, if the stored tree proves that it belongs to this part."""
        end = self.checkpoint.size
        try:
            found = frontier_of(size, reader.node).root()
            path = consistency_path(size, end, reader.node)
        except RecordNotFound:
            return None
        proved = verify_consistency(
            old=size, new=end, old_root=found, new_root=self.checkpoint.root, path=path
        )
        return found if proved else None

    def key_entries(self, reader: StoreReader) -> Iterator[Entry]:
        """The key entries of this part, each proved to be in it."""
        size, root = self.checkpoint.size, self.checkpoint.root
        for seq in reader.acts("key"):
            if seq >= size:
                return
            for row in reader.entries(seq, seq + 1):
                path = inclusion_path(seq, size, reader.node)
                leaf = leaf_hash(row.body)
                if not verify_inclusion(leaf=leaf, index=seq, size=size, path=path, root=root):
                    raise InputError(f"key entry {seq} is not the one that was audited")
                yield parse_entry(row.body)


def audit_start(reader: StoreReader, note: str | bytes, keys: Sequence[VerifierKey]) -> AuditStart:
    """Take up a log behind a checkpoint; an error when the log does not continue it."""
    report = checkpoints.verify(note, keys=keys)
    if report.checkpoint is None or not report.valid:
        raise InputError(f"the checkpoint to begin at: {'; '.join(report.reasons)}")
    stated = report.checkpoint
    try:
        frontier = frontier_of(stated.size, reader.node)
        last = reader.node(0, stated.size - 1) if stated.size else b""
    except RecordNotFound:
        raise InputError(
            f"the log does not have the {stated.size} entries audited before"
        ) from None
    if frontier.root() != stated.root:
        raise InputError(f"the first {stated.size} entries are not those that were audited before")
    return AuditStart(stated, frontier, last)
