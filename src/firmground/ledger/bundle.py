"""Verifies an exported run offline, from the file and the caller's keys alone.

Cheap checks come first and signatures last; the first layer that fails gives the reason. Trust
anchors and accepted profiles come from the caller, never from the file, and no input makes this
raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmground.core.merkle import verify_inclusion
from firmground.core.run import AttemptReason, Shape, Stage
from firmground.errors import InputError
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger import dsse, proof
from firmground.ledger.bundlefile import (
    Bundle,
    DisclosedStage,
    Disclosure,
    expected_statement,
    make_bundle,
    open_all,
    parse_bundle,
    read_run,
)
from firmground.ledger.checkpoint import Checkpoint, CheckpointReport, Cosignature
from firmground.ledger.entry import Entry, RunEntry, entry_hash
from firmground.ledger.extras import ErasableExtras
from firmground.ledger.key_history import trusted_keys
from firmground.ledger.keyring import KeyAuthority, KeyTerm
from firmground.ledger.keys import VerifierKey
from firmground.ledger.record import Stages, check_stages

BOUND = (
    "every stage: its name, place, attempt, run id and what it rests on",
    "the commitment to every payload, disclosed or not",
    "the label and the policy the run was recorded under",
    "the place of the run in the log",
)
NOT_PROVED = (
    "that what was recorded is true: evidence forged before it was recorded looks the same",
    "that every run was recorded",
    "what undisclosed payloads say",
)
NOT_WITNESSED = "that the log shows everybody the same history: no witness was asked for"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedRun:
    """Everything a valid bundle proves, and nothing that it merely says."""

    run: str
    shape: Shape
    attempts: tuple[AttemptReason, ...]
    label: tuple[tuple[str, str], ...]
    stages: tuple[Stage, ...]
    disclosed: tuple[DisclosedStage, ...]
    origin: str
    index: int
    size: int
    """Entries in the log when the checkpoint was signed."""
    recorded: str
    """The time the log states; only witnesses speak about time independently."""
    durability: str
    stream: str
    policy: str | None
    cache_key: str | None
    """Only when it is disclosed."""
    compat_root: str | None
    """Only when it is disclosed and the caller accepts the profile fg0."""
    signed_by: tuple[str, ...]
    witnessed: tuple[Cosignature, ...]
    stated: bool
    """Whether a signed statement covers the whole file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleReport:
    """Whether a bundle holds; if so what it proves, if not why."""

    reasons: tuple[str, ...] = ()
    verified: VerifiedRun | None = None
    bound: tuple[str, ...] = ()
    not_proved: tuple[str, ...] = NOT_PROVED

    def __bool__(self) -> bool:
        return self.valid

    @property
    def valid(self) -> bool:
        """True when everything in the file was checked and holds."""
        return self.verified is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """The consistent parts of a bundle, before any signature is checked."""

    bundle: Bundle
    entry: Entry
    run: RunEntry
    stages: Stages
    disclosed: tuple[DisclosedStage, ...]
    beside: ErasableExtras
    head: Checkpoint
    signed: str


def verify_bundle(
    data: bytes,
    *,
    keys: Sequence[VerifierKey] = (),
    terms: Sequence[KeyTerm] = (),
    profiles: Sequence[str] = ("fg1",),
    witnesses: Sequence[VerifierKey] = (),
    quorum: int = 0,
    require_statement: bool = True,
    now: float | None = None,
    max_age_seconds: float | None = None,
) -> BundleReport:
    """Check an exported run against the caller's keys; never raises on what ``data`` holds.

    ``keys`` are trusted for any entry, ``terms`` for the entries of each key's term only. Where the
    file carries the log's key history, every signature must lie within its key's term, and a
    signature counts if the history leads from a key of the caller's to the key that made it.

    Without ``require_statement`` a file whose statement was left out is accepted too: then payloads
    or unrequested cosignatures may have been withheld, but nothing that is there was altered.
    ``now`` is the verifier's POSIX time, by default this machine's; cosignatures from more than a
    day after it do not count.
    """
    if "fg1" not in profiles:
        return BundleReport(reasons=("the bundle is of profile fg1, which you do not accept",))
    try:
        parts = _put_together(data)
        keys, terms = trusted_keys(parts.bundle.history, parts.head, keys, terms)
        stated = _check_statement(parts, keys, terms, required=require_statement)
    except InputError as error:
        return BundleReport(reasons=(str(error),))
    report = checkpoints.verify(
        parts.signed,
        keys=keys,
        terms=terms,
        witnesses=witnesses,
        quorum=quorum,
        now=now,
        max_age_seconds=max_age_seconds,
    )
    reasons = report.reasons or (() if stated else _unvouched(parts, report))
    if reasons:
        return BundleReport(reasons=reasons)
    verified = _verified(parts, report, stated, "fg0" in profiles)
    missing = () if quorum else (NOT_WITNESSED,)
    return BundleReport(verified=verified, bound=BOUND, not_proved=NOT_PROVED + missing)


def _put_together(data: bytes) -> _Parts:
    """Everything that can be checked without a key."""
    bundle = parse_bundle(data)
    entry, run = read_run(bundle.entry)
    stages = check_stages(bundle.stages, run)
    disclosed, beside = open_all(bundle, run, stages)
    head, signed = _check_place(bundle, entry)
    return _Parts(
        bundle=bundle,
        entry=entry,
        run=run,
        stages=stages,
        disclosed=disclosed,
        beside=beside,
        head=head,
        signed=signed,
    )


def _verified(parts: _Parts, report: CheckpointReport, stated: bool, compat: bool) -> VerifiedRun:
    run, beside = parts.run, parts.beside
    return VerifiedRun(
        run=run.run,
        shape=run.shape,
        attempts=run.attempts,
        label=run.label,
        stages=tuple(planned.stage for planned in parts.stages.plan),
        disclosed=parts.disclosed,
        origin=parts.head.origin,
        index=parts.entry.seq,
        size=parts.head.size,
        recorded=parts.entry.ts,
        durability=str(parts.entry.durability),
        stream=str(run.stream),
        policy=None if run.policy is None else run.policy.hex(),
        cache_key=None if beside.cache_key is None else beside.cache_key.hex(),
        compat_root=beside.compat.hex() if beside.compat and compat else None,
        signed_by=tuple(str(key) for key in report.signed_by),
        witnessed=report.cosigned,
        stated=stated,
    )


def _check_place(bundle: Bundle, entry: Entry) -> tuple[Checkpoint, str]:
    """Return the checkpoint and its text if the entry stands where the proof says."""
    shown = proof.parse(bundle.proof)
    if shown.extra is not None:
        raise InputError("the proof carries extra data, which nothing authenticates")
    if shown.index != entry.seq:
        raise InputError(f"the proof is for entry {shown.index}, this is entry {entry.seq}")
    head, _ = checkpoints.parse(shown.checkpoint)
    leaf = entry_hash(bundle.entry)
    if not verify_inclusion(
        leaf=leaf, index=shown.index, size=head.size, path=shown.path, root=head.root
    ):
        raise InputError("the entry is not in the log that the checkpoint describes")
    return head, shown.checkpoint


def _check_statement(
    parts: _Parts, keys: Sequence[VerifierKey], terms: Sequence[KeyTerm], *, required: bool
) -> bool:
    bundle = parts.bundle
    if bundle.dsse is None:
        if required:
            raise InputError("the file carries no signed statement over its parts")
        return False
    expected = expected_statement(bundle, parts.entry.seq, parts.run, parts.stages.plan, parts.head)
    bounded = {term.key for term in terms}
    usable = [key for key in (*keys, *bounded) if key.name == expected.origin]
    opened = dsse.open_envelope(bundle.dsse, usable)
    if not opened.valid:
        raise InputError(f"the statement does not hold: {opened.problem}")
    size = parts.head.size
    for term in terms:
        if term.key in opened.signed_by and term.authority(size) is not KeyAuthority.HELD:
            raise InputError(f"the statement is signed outside of its key's term: {term}")
    if opened.payload != expected.data:
        raise InputError("the statement speaks about something else than this file")
    return True


def _unvouched(parts: _Parts, report: CheckpointReport) -> tuple[str, ...]:
    """Without a statement, parts that no signature covers are refused."""
    _, signed = checkpoints.parse(parts.signed)
    if checkpoints.in_order(parts.head, signed.signatures) != signed.signatures:
        return ("the signature lines are not in their order",)
    return tuple(
        f"the checkpoint carries a line by {line.name}, whose key was not given"
        for line in report.unknown
    )


__all__ = [
    "Bundle",
    "BundleReport",
    "DisclosedStage",
    "Disclosure",
    "VerifiedRun",
    "make_bundle",
    "parse_bundle",
    "verify_bundle",
]
