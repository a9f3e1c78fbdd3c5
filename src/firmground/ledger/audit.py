"""Audits a log: derives everything again from the stored bytes and reports every mismatch.

An audit needs no signing key. Without a checkpoint from outside the log it cannot see two things,
and says so: a rewrite by the holder of the signing key, and entries cut off after the newest
checkpoint that is still there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypedDict, TypeVar, Unpack

from firmground.core.run import commitment
from firmground.errors import InputError, LedgerError, LedgerUnavailable, RecordNotFound
from firmground.ledger import audit_references as references
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.audit_promises import quorum_problems, receipt_problems
from firmground.ledger.audit_report import (
    ANCHORED,
    BACKWARD,
    NOT_READ,
    SEALED,
    UNANCHORED,
    UNCOVERED,
    UNKEYED,
    UNSCRUBBED,
    AuditReport,
)
from firmground.ledger.audit_since import AuditStart, audit_start
from firmground.ledger.audit_vault import Payloads, Place
from firmground.ledger.cache_audit import CacheHistory
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.entry import Entry, EraseEntry, KeyEntry, RunEntry
from firmground.ledger.extras import NAME as ASIDE
from firmground.ledger.extras import read_extras
from firmground.ledger.keyring import KeyAuthority, Keyring, KeyTerm
from firmground.ledger.keys import VerifierKey, parse_verifier
from firmground.ledger.record import Stages, check_stages
from firmground.ledger.replay import LogPart, LogProblem, LogProblemKind, LogReplay, ReplayStep
from firmground.ledger.sealing import is_sealed
from firmground.ledger.store import StageRow, StoreReader, VaultRow

Progress = Callable[[int, int], None]
"""Told (entries walked, entries in the log)."""
R = TypeVar("R", StageRow, VaultRow)


class _Grouped(Generic[R]):
    """Hands out the rows of one entry after the other from one ordered stream."""

    def __init__(self, rows: Iterator[R]) -> None:
        self._rows: Iterator[R] = rows
        self._waiting: R | None = next(rows, None)

    def take(self, seq: int) -> list[R]:
        """Return the rows of entries up to ``seq`` that were not handed out before."""
        taken: list[R] = []
        while self._waiting is not None and self._waiting.seq <= seq:
            taken.append(self._waiting)
            self._waiting = next(self._rows, None)
        return taken


@dataclass(frozen=True, slots=True)
class _Stated:
    part: LogPart
    checkpoint: Checkpoint
    signed_by: tuple[VerifierKey, ...]


class Audit:
    """One audit of one log."""

    def __init__(
        self,
        reader: StoreReader,
        *,
        keys: Sequence[VerifierKey] = (),
        terms: Sequence[KeyTerm] = (),
        kept: Sequence[str | bytes] = (),
        receipts: Sequence[str | bytes] = (),
        witnesses: Sequence[VerifierKey] = (),
        quorum: int = 0,
        max_age_seconds: float | None = None,
        since: str | bytes | None = None,
        progress: Progress = lambda done, total: None,
        list_at_most: int = 1_000,
    ) -> None:
        self._reader = reader
        self._keys = (*keys, *(term.key for term in terms))
        self._terms = tuple(terms)
        self._kept = tuple(kept)
        self._receipts = tuple(receipts)
        self._witnesses = tuple(witnesses)
        self._quorum = quorum
        self._max_age = max_age_seconds
        self._since = since
        self._start: AuditStart | None = None
        self._progress = progress
        self._limit = list_at_most
        self._problems: list[LogProblem] = []
        self._omitted = 0
        self._walk = LogReplay()
        self._ring: Keyring | None = None
        self._payloads = Payloads()
        self._covered = 0
        self._cache = CacheHistory()
        self._roots: dict[int, bytes] = {}
        self._stated: list[_Stated] = []
        self._size = 0
        self._backward = 0
        self._first_backward = 0
        self._sealed = 0
        self._counts = {"runs": 0, "stages": 0, "payloads": 0}

    def run(self) -> AuditReport:
        """Read the log once, up to its present end; other processes may go on writing.

        Damage that keeps a part from being read is reported, and the readable parts are still
        checked.
        """
        self._roots[0] = self._walk.frontier.root()
        steps = (
            self._check_tables,
            self._measure,
            self._begin,
            self._read_checkpoints,
            self._read_orders,
            self._walk_log,
            self._check_strays,
            self._check_cache,
            self._check_checkpoints,
            self._check_receipts,
        )
        for step in steps:
            try:
                step()
            except LedgerUnavailable:
                raise
            except LedgerError as error:
                part, wrong = LogPart.TABLES, LogProblemKind.UNREADABLE
                self._note(LogProblem(part=part, wrong=wrong, seq=None, detail=str(error)))
        return self._report(self._stated)

    def _measure(self) -> None:
        self._size = self._reader.head().size

    def _begin(self) -> None:
        """Begin behind the checkpoint that was audited before, if the log continues it."""
        if self._since is None:
            return
        known = (*self._keys, *self._own_keys())
        try:
            start = audit_start(self._reader, self._since, known)
            for entry in start.key_entries(self._reader):
                if isinstance(entry.body, KeyEntry):
                    self._check_key(entry, entry.body)
        except InputError as error:
            self._ring = None
            self._note(
                LogProblem(
                    part=LogPart.KEPT, wrong=LogProblemKind.CHANGED, seq=None, detail=str(error)
                )
            )
            return
        self._start = start
        if start.checkpoint.size:
            self._walk = LogReplay(last=start.last, frontier=start.frontier)

    def _check_tables(self) -> None:
        for defect in self._reader.defects():
            self._note(
                LogProblem(
                    part=LogPart.TABLES, wrong=LogProblemKind.CHANGED, seq=None, detail=defect
                )
            )

    def _walk_log(self) -> None:
        wanted = {each.checkpoint.size for each in self._stated}
        size = self._size
        begin = self._walk.size
        for each in wanted:
            if self._start is not None and each <= begin:
                root = self._start.root(self._reader, each)
                self._roots |= {} if root is None else {each: root}
        stages = _Grouped(self._reader.stages(begin, size))
        vault = _Grouped(self._reader.vault(begin, size))
        latest = ""
        for row in self._reader.entries(begin, size):
            before = self._walk
            step = before.step(row)
            self._note(*step.problems)
            self._walk = step.walk
            self._check_nodes(step)
            self._check_body(row.seq, step.entry, stages.take(row.seq), vault.take(row.seq))
            if step.entry is not None:
                if step.entry.ts < latest:
                    self._first_backward = self._first_backward or row.seq
                    self._backward += 1
                latest = max(latest, step.entry.ts)
                self._note(*references.problems(self._reader, step.entry, before.frontier))
            if self._walk.size in wanted:
                self._roots[self._walk.size] = self._walk.frontier.root()
            self._progress(row.seq + 1, size)
        self._note(*self._walk.missing(size))
        self._read_new_orders()  # a payload that was erased while the audit walked is not missing
        self._note(*self._payloads.rest(size, begin))

    def _read_orders(self) -> None:
        """Read which payloads the log ordered to be erased, and which are marked as wiped."""
        self._payloads.mark(self._reader.erased())
        self._read_new_orders()

    def _read_new_orders(self) -> None:
        for seq in self._reader.acts(EraseEntry.type, after=self._payloads.last):
            for row in self._reader.entries(seq, seq + 1):
                entry = LogReplay().step(row).entry
                if entry is not None and isinstance(entry.body, EraseEntry):
                    self._payloads.order(seq, entry.body)

    def _check_cache(self) -> None:
        if self._start is not None:
            return
        rows = self._reader.cache_rows()
        now = self._reader.head().size
        settled = [row for row in rows if not self._size <= row.changed < now]
        self._note(*self._cache.problems(settled))
        known = {(row.tenant, row.key) for row in rows}
        for row in settled:
            for edge in self._reader.edges(row.tenant, row.key):
                gone = (edge.tenant, edge.child) not in known
                if gone and self._reader.cache_row(edge.tenant, edge.child) is None:
                    detail = f"{edge.child.hex()[:16]} is said to rest on it and is not cached"
                    problem = LogProblem(
                        part=LogPart.CACHE, wrong=LogProblemKind.EXTRA, seq=row.seq, detail=detail
                    )
                    self._note(problem)

    def _check_checkpoints(self) -> None:
        for each in self._stated:
            if self._check_checkpoint(each):
                self._covered = max(self._covered, each.checkpoint.size)
        self._check_given_keys()
        self._check_witnesses()
        if self._keys and self._walk.size and not self._covered:
            detail = "the log has entries and no checkpoint that a given key has signed"
            self._note(
                LogProblem(
                    part=LogPart.CHECKPOINT, wrong=LogProblemKind.MISSING, seq=None, detail=detail
                )
            )

    def _check_witnesses(self) -> None:
        if self._quorum:
            newest = [row.note for row in self._reader.checkpoints(newest=64)]
            found = quorum_problems(
                [*newest, *self._kept],
                size=self._covered,
                keys=(*self._keys, *self._own_keys()),
                witnesses=self._witnesses,
                quorum=self._quorum,
                max_age_seconds=self._max_age,
            )
            self._note(*found)

    def _check_receipts(self) -> None:
        ring = () if self._ring is None else self._ring.terms
        self._note(*receipt_problems(self._reader, self._receipts, self._keys, ring))

    def _check_given_keys(self) -> None:
        """Compare the keys that the caller trusts with those that spoke for the log."""
        if self._ring is None or not self._keys:
            return
        details = []
        if not any(term.key in self._keys for term in self._ring.terms):
            details.append("none of the keys you gave has ever spoken for this log")
        if differs := self._ring.contradiction(self._terms, self._walk.size):
            details.append(f"the log's key history differs from the one you gave: {differs}")
        for detail in details:
            self._note(
                LogProblem(part=LogPart.KEY, wrong=LogProblemKind.CHANGED, seq=None, detail=detail)
            )

    def _note(self, *problems: LogProblem) -> None:
        room = max(0, self._limit - len(self._problems))
        self._problems.extend(problems[:room])
        self._omitted += len(problems[room:])

    def _check_nodes(self, step: ReplayStep) -> None:
        for level, index, value in step.nodes:
            try:
                stored = self._reader.node(level, index)
            except RecordNotFound:
                self._node_problem(LogProblemKind.MISSING, level, index)
                continue
            if stored != value:
                self._node_problem(LogProblemKind.CHANGED, level, index)

    def _node_problem(self, wrong: LogProblemKind, level: int, index: int) -> None:
        first, last = index << level, ((index + 1) << level) - 1
        detail = f"the tree node over entries {first} to {last} (level {level}, index {index})"
        self._note(LogProblem(part=LogPart.NODE, wrong=wrong, seq=last, detail=detail))

    def _check_body(
        self,
        seq: int,
        entry: Entry | None,
        stages: list[StageRow],
        vault: list[VaultRow],
    ) -> None:
        body = None if entry is None else entry.body
        if isinstance(body, RunEntry):
            self._counts["runs"] += 1
            self._check_run(seq, body, stages, vault)
        elif entry is not None and (stages or vault):
            detail = f"an entry of type {entry.body.type} has no stages"
            self._note(
                LogProblem(part=LogPart.STAGE, wrong=LogProblemKind.EXTRA, seq=seq, detail=detail)
            )
        if isinstance(body, EraseEntry):
            self._payloads.confirm(seq, body)
        if isinstance(body, KeyEntry) and entry is not None:
            self._check_key(entry, body)
        if body is not None:
            self._cache.act(seq, body)

    def _check_run(
        self,
        seq: int,
        body: RunEntry,
        stages: list[StageRow],
        vault: list[VaultRow],
    ) -> None:
        self._counts["stages"] += len(stages)
        problems = list(_misplaced(seq, [row.ord for row in stages], body.n))
        checked: Stages | None = None
        if not problems:
            try:
                checked = check_stages([row.body for row in stages], body)
            except InputError as error:
                problems.append(
                    LogProblem(
                        part=LogPart.STAGE, wrong=LogProblemKind.CHANGED, seq=seq, detail=str(error)
                    )
                )
        self._note(*problems)
        if (found := self._reader.find_run(body.run)) != seq:
            detail = f"the index finds entry {found} for run {body.run}, which is entry {seq}"
            self._note(
                LogProblem(part=LogPart.ENTRY, wrong=LogProblemKind.CHANGED, seq=seq, detail=detail)
            )
        if checked is not None:
            self._check_vault(seq, checked, body, {row.ord: row for row in vault})

    def _check_vault(
        self, seq: int, checked: Stages, body: RunEntry, kept: dict[int, VaultRow]
    ) -> None:
        for ordinal, (planned, commit) in enumerate(
            zip(checked.plan, checked.commits, strict=True)
        ):
            row = kept.pop(ordinal, None)
            self._check_payload((seq, ordinal), body.run, planned.stage, commit, row)
        if body.aside is not None:
            self._check_aside((seq, len(checked.plan)), body, kept.pop(len(checked.plan), None))
        for ordinal in kept:
            self._vault_problem(LogProblemKind.EXTRA, seq, ordinal, "the run has no such stage")

    def _check_payload(
        self, place: Place, run: str, name: str, commit: bytes, row: VaultRow | None
    ) -> bool:
        """Compare a payload with its commitment; True when it is there and is the one."""
        self._note(*self._payloads.stage(place, run, commit, present=row is not None))
        if row is None:
            return False
        self._counts["payloads"] += 1
        if _opens(row, commit, name):
            return True
        if is_sealed(row.payload) and not getattr(self._reader, "opens_sealed", False):
            self._sealed += 1
            return False
        detail = f"the {name} payload is not the one that was committed to"
        self._vault_problem(LogProblemKind.CHANGED, *place, detail)
        return False

    def _check_aside(self, place: Place, body: RunEntry, row: VaultRow | None) -> None:
        commit = body.aside or b""
        if not self._check_payload(place, body.run, ASIDE, commit, row) or row is None:
            return
        try:
            key = read_extras(row.payload).cache_key
        except InputError as error:
            self._vault_problem(LogProblemKind.UNREADABLE, *place, str(error))
            return
        if key is not None:
            self._cache.run(place[0], key)

    def _vault_problem(self, wrong: LogProblemKind, seq: int, ordinal: int, detail: str) -> None:
        self._note(
            LogProblem(part=LogPart.VAULT, wrong=wrong, seq=seq, ordinal=ordinal, detail=detail)
        )

    def _check_key(self, entry: Entry, body: KeyEntry) -> None:
        try:
            ring = self._ring or Keyring(origin=parse_verifier(body.key).name)
            self._ring = ring.after(entry)
        except InputError as error:
            self._note(
                LogProblem(
                    part=LogPart.KEY, wrong=LogProblemKind.CHANGED, seq=entry.seq, detail=str(error)
                )
            )

    def _check_strays(self) -> None:
        """Look for rows without an entry; the size is read last, since others may be writing."""
        end, walked, most = 1 << 53, self._walk.size, self._limit
        found = [(LogPart.STAGE, row.seq) for row in islice(self._reader.stages(walked, end), most)]
        found += [(LogPart.VAULT, row.seq) for row in islice(self._reader.vault(walked, end), most)]
        nodes = self._reader.node_count()
        size = self._reader.head().size
        for part, seq in found:
            if seq >= size:
                detail = "it belongs to an entry that is not in the log"
                self._note(
                    LogProblem(part=part, wrong=LogProblemKind.EXTRA, seq=seq, detail=detail)
                )
        surplus = nodes - (size - size.bit_count())
        if surplus > 0:
            detail = f"{surplus} tree nodes stand for entries that are not in the log"
            self._note(
                LogProblem(part=LogPart.NODE, wrong=LogProblemKind.EXTRA, seq=size, detail=detail)
            )

    def _read_checkpoints(self) -> None:
        found = [(LogPart.CHECKPOINT, row.note, row.size) for row in self._reader.checkpoints()]
        kept = [(LogPart.KEPT, note, None) for note in self._kept]
        stated = (self._read_checkpoint(*each) for each in (*found, *kept))
        self._stated = [each for each in stated if each is not None]

    def _read_checkpoint(
        self, part: LogPart, note: str | bytes, size: int | None
    ) -> _Stated | None:
        try:
            checkpoint, _ = checkpoints.parse(note)
        except InputError as error:
            self._note(
                LogProblem(part=part, wrong=LogProblemKind.UNREADABLE, seq=size, detail=str(error))
            )
            return None
        if size is not None and checkpoint.size != size:
            detail = f"it is stored under size {size} and speaks about {checkpoint.size}"
            self._note(LogProblem(part=part, wrong=LogProblemKind.CHANGED, seq=size, detail=detail))
        known = (*self._keys, *self._own_keys())
        report = checkpoints.verify(note, keys=known, terms=self._terms)
        if not report.valid:
            detail = "; ".join(report.reasons)
            self._note(
                LogProblem(
                    part=part, wrong=LogProblemKind.CHANGED, seq=checkpoint.size, detail=detail
                )
            )
            if part is LogPart.KEPT:
                return None
        return _Stated(part, checkpoint, report.signed_by)

    def _own_keys(self) -> list[VerifierKey]:
        """The keys the log itself names, read without believing them; the walk checks them."""
        keys: dict[str, VerifierKey] = {}
        for seq in self._reader.acts("key"):
            for row in self._reader.entries(seq, seq + 1):
                entry = LogReplay().step(row).entry
                if entry is not None and isinstance(entry.body, KeyEntry):
                    with suppress(InputError):  # the walk names the entry
                        keys[entry.body.key] = parse_verifier(entry.body.key)
        return list(keys.values())

    def _check_checkpoint(self, stated: _Stated) -> bool:
        """Compare a checkpoint with the walk; True when it is signed, in office and right."""
        size, part = stated.checkpoint.size, stated.part
        root = self._roots.get(size)
        holds = bool(stated.signed_by) and root == stated.checkpoint.root
        if root is None:
            detail = f"entries {self._walk.size} to {size - 1} are missing from the log"
            self._note(
                LogProblem(part=part, wrong=LogProblemKind.TRUNCATED, seq=size, detail=detail)
            )
        elif root != stated.checkpoint.root:
            detail = f"the first {size} entries are not those that were signed"
            self._note(LogProblem(part=part, wrong=LogProblemKind.CHANGED, seq=size, detail=detail))
        for key in stated.signed_by:
            office = KeyAuthority.HELD if self._ring is None else self._ring.office(key, size=size)
            if office is not KeyAuthority.HELD:
                holds = False
                detail = f"{key} signed it, whose office at that size is: {office}"
                self._note(
                    LogProblem(
                        part=LogPart.KEY, wrong=LogProblemKind.CHANGED, seq=size, detail=detail
                    )
                )
        return holds

    def _report(self, stated: list[_Stated]) -> AuditReport:
        outside = [each.checkpoint.size for each in stated if each.part is LogPart.KEPT]
        unseen = [ANCHORED.format(size=max(outside)) if outside else UNANCHORED]
        if not self._keys:
            unseen.append(UNKEYED)
        if self._start is not None:
            unseen.append(NOT_READ.format(size=self._start.checkpoint.size))
        if self._reader.scrub_pending():
            unseen.append(UNSCRUBBED)
        if self._backward:
            told = BACKWARD.format(number=self._backward, first=self._first_backward)
            unseen.append(told)
        if self._sealed:
            unseen.append(SEALED.format(number=self._sealed))
        if self._walk.size > self._covered:
            above = self._walk.size - self._covered
            unseen.append(UNCOVERED.format(above=above, size=self._covered))
        return AuditReport(
            size=self._walk.size,
            root=self._walk.frontier.root(),
            problems=tuple(self._problems),
            omitted=self._omitted,
            runs=self._counts["runs"],
            stages=self._counts["stages"],
            payloads=self._counts["payloads"],
            erased=self._payloads.walked,
            checkpoints=len(stated) - len(outside),
            anchors=len(outside),
            unseen=tuple(unseen),
        )


class AuditOptions(TypedDict, total=False):
    """What an audit compares a log with."""

    keys: Sequence[VerifierKey]
    """Keys of the log that you trust. One is enough whatever keys the log had: the key entries in
    the log, each signed by the key before, lead to the others."""
    terms: Sequence[KeyTerm]
    """Keys together with the terms that you know of."""
    kept: Sequence[str | bytes]
    """Checkpoints that were kept outside of the log."""
    receipts: Sequence[str | bytes]
    """Signed receipts that were given out for entries."""
    witnesses: Sequence[VerifierKey]
    quorum: int
    """How many of the witnesses must have cosigned the newest checkpoint."""
    max_age_seconds: float | None
    """How old those cosignatures may be."""
    since: str | bytes | None
    """A checkpoint up to which the log was audited before: only what follows is read."""
    progress: Progress


def audit(reader: StoreReader, **options: Unpack[AuditOptions]) -> AuditReport:
    """Check a whole log, or what was added since a checkpoint."""
    return Audit(reader, **options).run()


def _opens(row: VaultRow, commit: bytes, stage: str) -> bool:
    try:
        return commitment(salt=row.salt, stage=stage, payload=row.payload) == commit
    except InputError:
        return False


def _misplaced(seq: int, have: list[int], wanted: int) -> Iterator[LogProblem]:
    for ordinal in sorted(set(range(wanted)) - set(have)):
        yield LogProblem(
            part=LogPart.STAGE,
            wrong=LogProblemKind.MISSING,
            seq=seq,
            ordinal=ordinal,
            detail="the run has no such stage any more",
        )
    for ordinal in sorted(set(have) - set(range(wanted))):
        yield LogProblem(
            part=LogPart.STAGE,
            wrong=LogProblemKind.EXTRA,
            seq=seq,
            ordinal=ordinal,
            detail="the run was recorded without it",
        )
