"""What a log commits itself to: its name, its size and the root over its entries, signed.

The text is C2SP tlog-checkpoint; our own logs write no extension lines. Witnesses add
timestamped cosignatures.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.core.merkle import EMPTY_ROOT, SIZE
from firmground.errors import InputError
from firmground.ledger import note
from firmground.ledger.keyring import KeyAuthority, KeyTerm
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
    extensions: tuple[str, ...] = ()
    """Further lines, of other logs: signed along, with no meaning here."""

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
        """The lines that are signed."""
        more = "".join(f"{line}\n" for line in self.extensions)
        return f"{self.origin}\n{self.size}\n{b64(self.root)}\n{more}"


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
    """Read the three lines, and extension lines behind them, which must not be empty."""
    *lines, end = body.split("\n")
    if end or len(lines) < 3 or not all(lines):
        raise InputError("a checkpoint has the lines origin, size, root, and no empty one")
    origin, size, root, *extensions = lines
    return Checkpoint(
        origin=origin,
        size=count(size, "the size of the checkpoint"),
        root=unb64(root, "the root of the checkpoint"),
        extensions=tuple(extensions),
    )


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


def with_newer(text: str | bytes, lines: Sequence[note.Signature]) -> str:
    """The same, where a line takes the place of an earlier one by the same key."""
    head, signed = parse(text)
    fresh = {(line.name, line.key_id) for line in lines}
    left = [line for line in signed.signatures if (line.name, line.key_id) not in fresh]
    both = in_order(head, (*left, *lines))
    return note.parse(note.Note(body=signed.body, signatures=both).text).text


def in_order(head: Checkpoint, lines: Sequence[note.Signature]) -> tuple[note.Signature, ...]:
    """The lines in the order in which exports carry them: the log's, then by name and key id."""
    return tuple(sorted(lines, key=lambda line: (line.name != head.origin, line.name, line.key_id)))


def verify(
    text: str | bytes,
    *,
    keys: Sequence[VerifierKey],
    terms: Sequence[KeyTerm] = (),
    witnesses: Sequence[VerifierKey] = (),
    quorum: int = 0,
    now: float | None = None,
    max_age_seconds: float | None = None,
) -> CheckpointReport:
    """Check a checkpoint against the caller's keys; never raises on what ``text`` holds.

    A key in ``terms`` counts only for sizes within its term, a bare one in ``keys`` for any size.
    A cosignature from more than a day after ``now`` (POSIX time; this machine's, if not given)
    is not counted, nor one older than ``max_age_seconds``, nor one by any of ``keys``, whatever its
    name.
    """
    try:
        checkpoint, parsed = parse(text)
    except InputError as error:
        return CheckpointReport(reasons=(f"the checkpoint cannot be read: {error}",))
    bounded = {term.key: term for term in terms}
    keys = [*keys, *(key for key in bounded if key not in keys)]
    trusted = [k for k in keys if k.kind is KeyKind.NOTE and k.name == checkpoint.origin]
    if not trusted:
        return CheckpointReport(reasons=(f"no key for the log {checkpoint.origin} was given",))
    watching = [k for k in witnesses if k.kind is KeyKind.COSIGNATURE]
    checked = note.check(parsed, [*trusted, *watching])
    if not checked.valid:
        return CheckpointReport(reasons=(f"the checkpoint does not hold: {checked.problem}",))
    pairs = tuple(zip(checked.signed_by, checked.times, strict=True))
    signed = tuple(key for key, at in pairs if at is None)
    beyond = tuple(
        bounded[key]
        for key in signed
        if key in bounded and bounded[key].authority(checkpoint.size) is not KeyAuthority.HELD
    )
    logs = tuple(key for key in signed if key not in {term.key for term in beyond})
    # A second name for a key of the log's owner is not a second pair of eyes.
    own = {key.public for key in keys}
    clock = time.time() if now is None else now
    latest = clock + TOLERATED_SECONDS
    oldest = 0.0 if max_age_seconds is None else clock - max_age_seconds
    cosigned = tuple(
        Cosignature(witness=key, time=at)
        for key, at in pairs
        if at is not None and oldest <= at <= latest and key.public not in own
    )
    return CheckpointReport(
        reasons=_out_of_term(beyond, checkpoint.size) or _weigh(checkpoint, logs, cosigned, quorum),
        checkpoint=checkpoint,
        signed_by=logs,
        cosigned=cosigned,
        unknown=checked.unknown,
    )


def _out_of_term(beyond: Sequence[KeyTerm], size: int) -> tuple[str, ...]:
    """Why signatures do not count that keys gave outside of their terms."""
    return tuple(
        f"{term.key} signed a checkpoint of {size} entries, outside of its term "
        f"({term.authority(size)}): {term}"
        for term in beyond
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
        reasons.append(f"{quorum} independent witnesses were asked for, {eyes} cosigned in time")
    return tuple(reasons)
