"""What a caller holds in hand after recording: where the run stands and how far it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from firmground.errors import InputError
from firmground.ledger import note as notes
from firmground.ledger.entry import Durability
from firmground.ledger.keyring import KeyAuthority, KeyTerm
from firmground.ledger.keys import KeyedSigner, KeyKind, VerifierKey
from firmground.ledger.text import b64, count, unb64

RECEIPT = "firmground receipt v1"
"""How a signed receipt begins; it holds blanks, which no name of a log has."""


class RecordPersistence(StrEnum):
    """How far a record is kept; each word includes the ones before it."""

    ACCEPTED = "accepted"
    """In the log; survives the process, not yet the loss of power."""
    DURABLE = "durable"
    """On the disk."""
    CHECKPOINTED = "checkpointed"
    """Under a signed checkpoint: the log's owner cannot deny it to a holder of that checkpoint."""
    WITNESSED = "witnessed"
    """Under a checkpoint that a known witness has cosigned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The record of one run has this place in the log."""

    run_id: str
    seq: int
    entry_hash: bytes
    kept: RecordPersistence
    durability: Durability
    checkpoint_size: int | None = None
    """Entries under the newest checkpoint that covers this one."""
    note: str = ""
    """The receipt signed by the log's key: its holder can prove what the log promised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """Which payloads are gone, and whether their bytes have left every file."""

    run_ids: tuple[str, ...]
    payloads: int
    seqs: tuple[int, ...]
    """The entries that record the erasure."""
    scrubbed: bool
    """False while another reader still holds pages in which erased bytes may stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedReceipt:
    """What the log's key promised: this entry stands at this place."""

    origin: str
    seq: int
    entry_hash: bytes
    run_id: str
    durability: str
    signed_by: tuple[VerifierKey, ...]


def receipt_note(receipt: Receipt, signer: KeyedSigner) -> str:
    """The receipt as a signed note, in the name of the log."""
    body = "\n".join(
        (
            RECEIPT,
            signer.name,
            str(receipt.seq),
            b64(receipt.entry_hash),
            receipt.run_id,
            str(receipt.durability),
            "",
        )
    )
    return notes.sign(body, [signer]).text


def read_receipt(
    text: str | bytes, *, keys: Sequence[VerifierKey], terms: Sequence[KeyTerm] = ()
) -> SignedReceipt:
    """Read a signed receipt; an error unless a key of that log signed it within its term."""
    try:
        note = notes.parse(text)
        first, origin, seq, entry_hash, run_id, durability, end = note.body.split("\n")
        if first != RECEIPT or end:
            raise InputError(f"it does not begin with {RECEIPT!r}")
        place = count(seq, "its place")
        digest = unb64(entry_hash, "its hash")
    except ValueError as error:
        raise InputError(f"this is no signed receipt: {error}") from None
    bounded = {term.key: term for term in terms}
    known = [key for key in {*keys, *bounded} if key.name == origin and key.kind is KeyKind.NOTE]
    checked = notes.check(note, known)
    if not checked.valid:
        raise InputError(f"the receipt for entry {place} does not hold: {checked.problem}")
    for key in checked.signed_by:
        if key in bounded and bounded[key].authority(place + 1) is not KeyAuthority.HELD:
            raise InputError(
                f"the receipt for entry {place} is signed outside of its key's term: {bounded[key]}"
            )
    return SignedReceipt(
        origin=origin,
        seq=place,
        entry_hash=digest,
        run_id=run_id,
        durability=durability,
        signed_by=checked.signed_by,
    )
