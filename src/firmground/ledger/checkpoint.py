"""What a log commits itself to: its name, its size and the root over its entries, signed.

The text is C2SP tlog-checkpoint without extension lines; witnesses add timestamped cosignatures.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.core.merkle import EMPTY_ROOT, SIZE
from firmground.errors import InputError
from firmground.ledger import note
from firmground.ledger.keys import KeyedSigner, KeyKind, VerifierKey, check_name
from firmground.ledger.text import MAX_COUNT, b64, count, unb64

TOLERATED_SECONDS = 86_400
"""How far a witness's clock may be ahead of the verifier's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The first ``size`` entries of the log ``origin`` have this root."""

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        check_name(self.origin)
        if not 0 <= self.size <= MAX_COUNT:
            raise InputError(f"checkpoint.size lies in [0, 2**63), got {self.size}")
        if len(self.root) != SIZE:
            raise InputError(f"checkpoint.root has {SIZE} bytes, got {len(self.root)}")
        if (self.size == 0) != (self.root == EMPTY_ROOT):
            raise InputError("the empty log, and only it, has the root of nothing")

    @property
    def body(self) -> str:
        """The three lines that are signed."""
        return f"{self.origin}\n{self.size}\n{b64(self.root)}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cosignature:
    """A witness saw this checkpoint as the largest consistent one at this POSIX time."""

    witness: VerifierKey
    time: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointReport:
    """Whether a checkpoint may be believed; empty ``reasons`` mean that it may."""

    reasons: tuple[str, ...]
    checkpoint: Checkpoint | None = None
    signed_by: tuple[VerifierKey, ...] = ()
    cosigned: tuple[Cosignature, ...] = ()
    """Those that count: by witnesses who are not the log itself, at a time that has come."""
    unknown: tuple[note.Signature, ...] = ()
    """Lines by keys the caller did not name. They prove nothing and are not checked."""

    def __bool__(self) -> bool:
        return self.valid

    @property
    def valid(self) -> bool:
        """True when the log's own key signed, and as many witnesses as were asked for."""
        return not self.reasons


def parse_body(body: str) -> Checkpoint:
    """Read the three lines; extension lines are refused."""
    lines = body.split("\n")
    if len(lines) != 4 or lines[3]:
        raise InputError("a checkpoint has exactly three lines: origin, size, root")
    root = unb64(lines[2], "the root of the checkpoint")
    size = count(lines[1], "the size of the checkpoint")
    return Checkpoint(origin=lines[0], size=size, root=root)


def parse(text: str | bytes) -> tuple[Checkpoint, note.Note]:
    """Read a signed checkpoint without believing it."""
    signed = note.parse(text)
    return parse_body(signed.body), signed


def sign(checkpoint: Checkpoint, signers: Sequence[KeyedSigner]) -> str:
    """Sign a checkpoint with the log's key, or with two of them while a key is rotated."""
    for signer in signers:
        if signer.name != checkpoint.origin or signer.verifier.kind is not KeyKind.NOTE:
            raise InputError(f"{signer.name} may not sign checkpoints of {checkpoint.origin}")
    return note.sign(checkpoint.body, signers).text


def cosign(text: str | bytes, witness: KeyedSigner, *, time: int) -> note.Signature:
    """Make a witness's line for a checkpoint; whether it may is the witness's own business."""
    checkpoint, _ = parse(text)
    return note.signature(checkpoint.body, witness, time=time)


def with_signatures(text: str | bytes, lines: Sequence[note.Signature]) -> str:
    """Add signature lines to a signed checkpoint; lines that are there already stay single."""
    head, signed = parse(text)
    new = tuple(line for line in lines if line not in signed.signatures)
    both = in_order(head, signed.signatures + new)
    return note.parse(note.Note(body=signed.body, signatures=both).text).text


def in_order(head: Checkpoint, lines: Sequence[note.Signature]) -> tuple[note.Signature, ...]:
    """The lines in the order in which exports carry them: the log's, then by name and key id."""
    return tuple(sorted(lines, key=lambda line: (line.name != head.origin, line.name, line.key_id)))


def verify(
    text: str | bytes,
    *,
    keys: Sequence[VerifierKey],
    witnesses: Sequence[VerifierKey] = (),
    quorum: int = 0,
    now: float | None = None,
) -> CheckpointReport:
    """Check a checkpoint against the caller's keys; never raises on what ``text`` holds.

    A cosignature from more than a day after ``now`` (POSIX time; this machine's, if not given)
    is not counted, and neither is one by any of ``keys``, whatever its name.
    """
    try:
        checkpoint, signed = parse(text)
    except InputError as error:
        return CheckpointReport(reasons=(f"the checkpoint cannot be read: {error}",))
    trusted = [k for k in keys if k.kind is KeyKind.NOTE and k.name == checkpoint.origin]
    if not trusted:
        return CheckpointReport(reasons=(f"no key for the log {checkpoint.origin} was given",))
    watching = [k for k in witnesses if k.kind is KeyKind.COSIGNATURE]
    checked = note.check(signed, [*trusted, *watching])
    if not checked.valid:
        return CheckpointReport(reasons=(f"the checkpoint does not hold: {checked.problem}",))
    pairs = tuple(zip(checked.signed_by, checked.times, strict=True))
    logs = tuple(key for key, at in pairs if at is None)
    # A second name for a key of the log's owner is not a second pair of eyes.
    own = {key.public for key in keys}
    latest = (time.time() if now is None else now) + TOLERATED_SECONDS
    cosigned = tuple(
        Cosignature(witness=key, time=at)
        for key, at in pairs
        if at is not None and at <= latest and key.public not in own
    )
    return CheckpointReport(
        reasons=_weigh(checkpoint, logs, cosigned, quorum),
        checkpoint=checkpoint,
        signed_by=logs,
        cosigned=cosigned,
        unknown=checked.unknown,
    )


def _weigh(
    checkpoint: Checkpoint,
    logs: tuple[VerifierKey, ...],
    cosigned: tuple[Cosignature, ...],
    quorum: int,
) -> tuple[str, ...]:
    eyes = len({each.witness.public for each in cosigned})
    reasons = []
    if not logs:
        reasons.append(f"no known key of the log {checkpoint.origin} has signed")
    if eyes < quorum:
        reasons.append(f"{quorum} independent witnesses were asked for, {eyes} cosigned")
    return tuple(reasons)
