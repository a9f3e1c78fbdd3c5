"""Read a log: entries, runs, tree heads and proofs, each in O(log n) reads."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.core.merkle import consistency_path, frontier_of, inclusion_path
from firmground.core.run import PlannedStage, Stage
from firmground.errors import InputError, LedgerError, RecordErased, RecordNotFound
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.entry import Entry, KeyEntry, RunEntry, parse_entry
from firmground.ledger.extras import NAME as ASIDE
from firmground.ledger.extras import ErasableExtras, commit_extras, read_extras
from firmground.ledger.keyring import Keyring, keyring
from firmground.ledger.keys import parse_verifier
from firmground.ledger.proof import Proof
from firmground.ledger.record import check_stages
from firmground.ledger.sealing import NEEDS_KEYS, stays_sealed
from firmground.ledger.store import CheckpointRow, EntryRow, StoreReader, VaultRow


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredStage:
    """One stage as it is kept; the payload is None once it was erased."""

    ordinal: int
    planned: PlannedStage
    commit: bytes
    salt: bytes | None
    payload: bytes | None
    sealed: bool = False
    """True when the payload is there and was read without the key that opens it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredExtras:
    """What is kept beside the stages; salt and payload are None once they were erased."""

    commit: bytes
    salt: bytes | None
    payload: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """One run as it is kept, with its stages checked against its entry."""

    row: EntryRow
    entry: Entry
    body: RunEntry
    leaves: tuple[bytes, ...]
    stages: tuple[StoredStage, ...]
    aside: StoredExtras | None = None

    def beside(self) -> ErasableExtras:
        """Return what is kept beside the stages, checked against the entry."""
        kept = self.aside
        if kept is None:
            return ErasableExtras()
        if kept.salt is None or kept.payload is None:
            raise RecordErased(f"what was kept beside the stages of run {self.body.run} was erased")
        if commit_extras(salt=kept.salt, payload=kept.payload) != kept.commit:
            raise LedgerError(f"what is kept beside the stages of run {self.body.run} was changed")
        return read_extras(kept.payload)

    def payload(self, stage: Stage, *, attempt: int | None = None) -> bytes:
        """What a stage produced, by default in the last attempt that has it."""
        return self.stage(stage, attempt=attempt)[1]

    def stage(self, stage: Stage, *, attempt: int | None = None) -> tuple[StoredStage, bytes]:
        """Return the stage and its payload, or say that it is absent or erased."""
        found = [
            kept
            for kept in self.stages
            if kept.planned.stage is stage and attempt in (None, kept.planned.attempt)
        ]
        if not found:
            raise RecordNotFound(f"run {self.body.run} has no stage {stage}")
        if found[-1].sealed:
            raise LedgerError(f"the {stage} of run {self.body.run} is sealed: {NEEDS_KEYS}")
        if found[-1].payload is None:
            raise RecordErased(f"the {stage} of run {self.body.run} was erased")
        return found[-1], found[-1].payload


class Log:
    """The reading side of a ledger; needs no key."""

    def __init__(self, reader: StoreReader) -> None:
        self.reader = reader

    def size(self) -> int:
        """How many entries there are."""
        return self.reader.head().size

    def row(self, seq: int) -> EntryRow:
        """One entry as it is stored."""
        for row in self.reader.entries(seq, seq + 1):
            return row
        raise RecordNotFound(f"the log has no entry {seq}")

    def entry(self, seq: int) -> Entry:
        """One entry, read."""
        return parse_entry(self.row(seq).body)

    def find(self, run_id: str) -> int:
        """Where a run is recorded."""
        seq = self.reader.find_run(run_id)
        if seq is None:
            raise RecordNotFound(f"the log has no run {run_id}")
        return seq

    def run(self, run_id: str) -> StoredRun:
        """A run with its stages, and the payloads that were not erased."""
        stored = self.run_at(self.find(run_id))
        if stored.body.run != run_id:
            raise LedgerError(
                f"the index finds entry {stored.row.seq} for run {run_id}, but that entry records "
                f"run {stored.body.run}: run an audit"
            )
        return stored

    def run_at(self, seq: int) -> StoredRun:
        """The run that entry ``seq`` records."""
        row = self.row(seq)
        entry = parse_entry(row.body)
        if entry.seq != seq:
            raise LedgerError(f"entry {seq} was recorded as entry {entry.seq}: run an audit")
        if not isinstance(entry.body, RunEntry):
            raise InputError(f"entry {seq} is of type {entry.body.type}, not a run")
        leaves = tuple(stage.body for stage in self.reader.stages(seq, seq + 1))
        checked = check_stages(leaves, entry.body)
        vault = {kept.ord: kept for kept in self.reader.vault(seq, seq + 1)}
        stages = tuple(
            _stage(number, planned, commit, vault.get(number))
            for number, (planned, commit) in enumerate(
                zip(checked.plan, checked.commits, strict=True)
            )
        )
        return StoredRun(
            row=row,
            entry=entry,
            body=entry.body,
            leaves=leaves,
            stages=stages,
            aside=_aside(entry.body.aside, vault.get(len(stages))),
        )

    def tree_head(self) -> tuple[int, bytes]:
        """Size and root of the log as it is now."""
        size = self.size()
        return size, self.root(size)

    def root(self, size: int) -> bytes:
        """The root over the first ``size`` entries."""
        return frontier_of(size, self.reader.node).root()

    def inclusion(self, seq: int, size: int) -> tuple[bytes, ...]:
        """The proof that entry ``seq`` is among the first ``size``."""
        return inclusion_path(seq, size, self.reader.node)

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        """The proof that the first ``old`` entries are a beginning of the first ``new``."""
        return consistency_path(old, new, self.reader.node)

    def newest_checkpoint(self) -> CheckpointRow | None:
        """The signed note over the most entries, with the most cosignatures it has gathered."""
        found = self.reader.checkpoints(newest=1)
        return found[0] if found else None

    def proof(self, seq: int) -> Proof:
        """The proof, under the newest checkpoint, that entry ``seq`` is in the log."""
        newest = self.newest_checkpoint()
        if newest is None or newest.size <= seq:
            raise RecordNotFound(f"no signed checkpoint covers entry {seq} yet")
        stated, signed = checkpoints.parse(newest.note)
        if stated.size != newest.size or stated.size > self.size():
            raise LedgerError(
                f"the newest checkpoint speaks about {stated.size} entries and is kept under "
                f"{newest.size}, while the log has {self.size()}: an audit says more"
            )
        path = self.inclusion(seq, stated.size)
        return Proof(index=seq, path=path, checkpoint=signed.text)

    def origin(self) -> str | None:
        """The name of the log, as its first key entry has it; None before there is a key."""
        for seq in self.reader.acts("key"):
            body = self.entry(seq).body
            if isinstance(body, KeyEntry):
                return parse_verifier(body.key).name
        return None

    def keyring(self, origin: str) -> Keyring:
        """The keys of this log in the order in which they held office."""
        return keyring(origin, (self.entry(seq) for seq in self.reader.acts("key")))


class LogAt(Log):
    """The log as it was when it had ``size`` entries."""

    def __init__(self, reader: StoreReader, size: int) -> None:
        super().__init__(reader)
        self._size = size

    def size(self) -> int:
        """How many entries there were."""
        return self._size


def _aside(commit: bytes | None, kept: VaultRow | None) -> StoredExtras | None:
    if commit is None:
        return None
    if kept is not None and stays_sealed(kept, commit, ASIDE):
        kept = None
    return StoredExtras(
        commit=commit,
        salt=None if kept is None else kept.salt,
        payload=None if kept is None else kept.payload,
    )


def _stage(number: int, planned: PlannedStage, commit: bytes, kept: VaultRow | None) -> StoredStage:
    sealed = kept is not None and stays_sealed(kept, commit, planned.stage)
    return StoredStage(
        ordinal=number,
        planned=planned,
        commit=commit,
        salt=None if kept is None or sealed else kept.salt,
        payload=None if kept is None or sealed else kept.payload,
        sealed=sealed,
    )
