"""What a caller holds in hand after recording: where the run stands and how far it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firmground.ledger.entry import Durability


class Kept(StrEnum):
    """How far a record is kept; each word includes the ones before it."""

    ACCEPTED = "accepted"
    """In the log; survives the process, not yet the loss of power."""
    DURABLE = "durable"
    """On the disk."""
    CHECKPOINTED = "checkpointed"
    """Under a signed checkpoint: the log's owner cannot deny it to whoever holds that."""
    WITNESSED = "witnessed"
    """Under a checkpoint that a known witness has cosigned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The record of one run has this place in the log."""

    run_id: str
    seq: int
    entry_hash: bytes
    kept: Kept
    durability: Durability
    checkpoint_size: int | None = None
    """Entries under the newest checkpoint that covers this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """Which payloads are gone, and whether their bytes have left every file."""

    run_ids: tuple[str, ...]
    payloads: int
    seqs: tuple[int, ...]
    """The entries that record the erasure."""
    scrubbed: bool
    """False while another reader still holds pages in which erased bytes may stand."""
