"""Re-derive everything from the stored bytes and compare; say exactly what does not match.

An audit needs no signing key. Without a checkpoint from outside the log it cannot see two things,
and says so: a rewrite by whoever holds the signing key, and entries cut off after the newest
checkpoint that is still there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from firmground.core.run import commitment
from firmground.errors import InputError, LedgerError, LedgerUnavailable, RecordNotFound
from firmground.ledger import audit_references as references
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.aside import NAME as ASIDE
from firmground.ledger.aside import read_aside
from firmground.ledger.audit_vault import Payloads, Place
from firmground.ledger.cache_audit import CacheHistory
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.entry import Entry, EraseEntry, KeyEntry, RunEntry
from firmground.ledger.keyring import Keyring, Office
from firmground.ledger.keys import VerifierKey, parse_verifier
from firmground.ledger.record import Stages, check_stages
from firmground.ledger.store import Reader, StageRow, VaultRow
from firmground.ledger.walk import Part, Problem, Step, Walk, Wrong

UNANCHORED = (
    "no checkpoint from outside this log was given: a rewrite by whoever holds the signing key, "
    "and entries cut off after the newest stored checkpoint, would not be seen"
)
ANCHORED = (
    "whoever holds the signing key could have rewritten entries from {size} on: "
    "the newest checkpoint from outside covers the {size} before"
)
UNKEYED = "no key was given: signatures were checked against the key history in the log itself"
UNCOVERED = (
    "{above} entries, from {size} on, stand above the newest valid checkpoint: "
    "anybody who can write the file could have changed these, without any key"
)

Progress = Callable[[int, int], None]
"""Told (entries walked, entries in the log)."""
R = TypeVar("R", StageRow, VaultRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What an audit found. ``holds`` only when everything stored was checked and matches."""

    size: int
    root: bytes
    problems: tuple[Problem, ...]
    omitted: int
    """Problems beyond those that are listed."""
    runs: int
    stages: int
    payloads: int
    erased: int
    checkpoints: int
    anchors: int
    """Checkpoints from outside that were compared."""
    unseen: tuple[str, ...]
    """What this audit could not have noticed."""

    @property
    def holds(self) -> bool:
        """True when nothing is wrong, missing, moved or cut off."""
        return not self.problems


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
    part: Part
    checkpoint: Checkpoint
    signed_by: tuple[VerifierKey, ...]


class Audit:
    """One audit of one log."""

    def __init__(
        self,
        reader: Reader,
        *,
        keys: Sequence[VerifierKey] = (),
        kept: Sequence[str | bytes] = (),
        progress: Progress = lambda done, total: None,
        list_at_most: int = 1_000,
    ) -> None:
        self._reader = reader
        self._keys = tuple(keys)
        self._kept = tuple(kept)
        self._progress = progress
        self._limit = list_at_most
        self._problems: list[Problem] = []
        self._omitted = 0
        self._walk = Walk()
        self._ring: Keyring | None = None
        self._payloads = Payloads()
        self._covered = 0
        self._cache = CacheHistory()
        self._roots: dict[int, bytes] = {}
        self._stated: list[_Stated] = []
        self._size = 0
        self._counts = {"runs": 0, "stages": 0, "payloads": 0}

    def run(self) -> AuditReport:
        """Walk the log once, as far as it goes now; others may go on writing meanwhile.

        Damage that keeps a part from being read is named, and the parts that can be read are
        checked all the same.
        """
        self._roots[0] = self._walk.frontier.root()
        steps = (
            self._check_tables,
            self._measure,
            self._read_checkpoints,
            self._read_orders,
            self._walk_log,
            self._check_strays,
            self._check_cache,
            self._check_checkpoints,
        )
        for step in steps:
            try:
                step()
            except LedgerUnavailable:
                raise
            except LedgerError as error:
                part, wrong = Part.TABLES, Wrong.UNREADABLE
                self._note(Problem(part=part, wrong=wrong, seq=None, detail=str(error)))
        return self._report(self._stated)

    def _measure(self) -> None:
        self._size = self._reader.head().size

    def _check_tables(self) -> None:
        for defect in self._reader.defects():
            self._note(Problem(part=Part.TABLES, wrong=Wrong.CHANGED, seq=None, detail=defect))

    def _walk_log(self) -> None:
        wanted = {each.checkpoint.size for each in self._stated}
        size = self._size
        stages = _Grouped(self._reader.stages(0, size))
        vault = _Grouped(self._reader.vault(0, size))
        for row in self._reader.entries(0, size):
            before = self._walk
            step = before.step(row)
            self._note(*step.problems)
            self._walk = step.walk
            self._check_nodes(step)
            self._check_body(row.seq, step.entry, stages.take(row.seq), vault.take(row.seq))
            if step.entry is not None:
                self._note(*references.problems(self._reader, step.entry, before.frontier))
            if self._walk.size in wanted:
                self._roots[self._walk.size] = self._walk.frontier.root()
            self._progress(row.seq + 1, size)
        self._note(*self._walk.missing(size))
        self._read_new_orders()  # a payload that was erased while the audit walked is not missing
        self._note(*self._payloads.rest(size))

    def _read_orders(self) -> None:
        """Read which payloads the log ordered to be erased, and which are marked as wiped."""
        self._payloads.mark(self._reader.erased())
        self._read_new_orders()

    def _read_new_orders(self) -> None:
        for seq in self._reader.acts(EraseEntry.type, after=self._payloads.last):
            for row in self._reader.entries(seq, seq + 1):
                entry = Walk().step(row).entry
                if entry is not None and isinstance(entry.body, EraseEntry):
                    self._payloads.order(seq, entry.body)

    def _check_cache(self) -> None:
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
                    problem = Problem(
                        part=Part.CACHE, wrong=Wrong.EXTRA, seq=row.seq, detail=detail
                    )
                    self._note(problem)

    def _check_checkpoints(self) -> None:
        for each in self._stated:
            if self._check_checkpoint(each):
                self._covered = max(self._covered, each.checkpoint.size)
        if self._keys and self._walk.size and not self._covered:
            detail = "the log has entries and no checkpoint that a given key has signed"
            self._note(Problem(part=Part.CHECKPOINT, wrong=Wrong.MISSING, seq=None, detail=detail))

    def _note(self, *problems: Problem) -> None:
        room = max(0, self._limit - len(self._problems))
        self._problems.extend(problems[:room])
        self._omitted += len(problems[room:])

    def _check_nodes(self, step: Step) -> None:
        for level, index, value in step.nodes:
            try:
                stored = self._reader.node(level, index)
            except RecordNotFound:
                self._node_problem(Wrong.MISSING, level, index)
                continue
            if stored != value:
                self._node_problem(Wrong.CHANGED, level, index)

    def _node_problem(self, wrong: Wrong, level: int, index: int) -> None:
        first, last = index << level, ((index + 1) << level) - 1
        detail = f"the tree node over entries {first} to {last} (level {level}, index {index})"
        self._note(Problem(part=Part.NODE, wrong=wrong, seq=last, detail=detail))

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
            self._note(Problem(part=Part.STAGE, wrong=Wrong.EXTRA, seq=seq, detail=detail))
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
                    Problem(part=Part.STAGE, wrong=Wrong.CHANGED, seq=seq, detail=str(error))
                )
        self._note(*problems)
        if (found := self._reader.find_run(body.run)) != seq:
            detail = f"the index finds entry {found} for run {body.run}, which is entry {seq}"
            self._note(Problem(part=Part.ENTRY, wrong=Wrong.CHANGED, seq=seq, detail=detail))
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
            self._vault_problem(Wrong.EXTRA, seq, ordinal, "the run has no such stage")

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
        detail = f"the {name} payload is not the one that was committed to"
        self._vault_problem(Wrong.CHANGED, *place, detail)
        return False

    def _check_aside(self, place: Place, body: RunEntry, row: VaultRow | None) -> None:
        commit = body.aside or b""
        if not self._check_payload(place, body.run, ASIDE, commit, row) or row is None:
            return
        try:
            key = read_aside(row.payload).cache_key
        except InputError as error:
            self._vault_problem(Wrong.UNREADABLE, *place, str(error))
            return
        if key is not None:
            self._cache.run(place[0], key)

    def _vault_problem(self, wrong: Wrong, seq: int, ordinal: int, detail: str) -> None:
        self._note(Problem(part=Part.VAULT, wrong=wrong, seq=seq, ordinal=ordinal, detail=detail))

    def _check_key(self, entry: Entry, body: KeyEntry) -> None:
        try:
            ring = self._ring or Keyring(origin=parse_verifier(body.key).name)
            self._ring = ring.after(entry)
        except InputError as error:
            self._note(
                Problem(part=Part.KEY, wrong=Wrong.CHANGED, seq=entry.seq, detail=str(error))
            )

    def _check_strays(self) -> None:
        """Look for rows without an entry; the size is read last, since others may be writing."""
        end, walked, most = 1 << 53, self._walk.size, self._limit
        found = [(Part.STAGE, row.seq) for row in islice(self._reader.stages(walked, end), most)]
        found += [(Part.VAULT, row.seq) for row in islice(self._reader.vault(walked, end), most)]
        nodes = self._reader.node_count()
        size = self._reader.head().size
        for part, seq in found:
            if seq >= size:
                detail = "it belongs to an entry that is not in the log"
                self._note(Problem(part=part, wrong=Wrong.EXTRA, seq=seq, detail=detail))
        surplus = nodes - (size - size.bit_count())
        if surplus > 0:
            detail = f"{surplus} tree nodes stand for entries that are not in the log"
            self._note(Problem(part=Part.NODE, wrong=Wrong.EXTRA, seq=size, detail=detail))

    def _read_checkpoints(self) -> None:
        found = [(Part.CHECKPOINT, row.note, row.size) for row in self._reader.checkpoints()]
        kept = [(Part.KEPT, note, None) for note in self._kept]
        stated = (self._read_checkpoint(*each) for each in (*found, *kept))
        self._stated = [each for each in stated if each is not None]

    def _read_checkpoint(self, part: Part, note: str | bytes, size: int | None) -> _Stated | None:
        try:
            checkpoint, _ = checkpoints.parse(note)
        except InputError as error:
            self._note(Problem(part=part, wrong=Wrong.UNREADABLE, seq=size, detail=str(error)))
            return None
        if size is not None and checkpoint.size != size:
            detail = f"it is stored under size {size} and speaks about {checkpoint.size}"
            self._note(Problem(part=part, wrong=Wrong.CHANGED, seq=size, detail=detail))
        report = checkpoints.verify(note, keys=self._keys or self._own_keys())
        if not report.valid:
            detail = "; ".join(report.reasons)
            self._note(Problem(part=part, wrong=Wrong.CHANGED, seq=checkpoint.size, detail=detail))
            if part is Part.KEPT:
                return None
        return _Stated(part, checkpoint, report.signed_by)

    def _own_keys(self) -> list[VerifierKey]:
        """The keys the log itself names, read without believing them; the walk checks them."""
        keys: dict[str, VerifierKey] = {}
        for seq in self._reader.acts("key"):
            for row in self._reader.entries(seq, seq + 1):
                entry = Walk().step(row).entry
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
            self._note(Problem(part=part, wrong=Wrong.TRUNCATED, seq=size, detail=detail))
        elif root != stated.checkpoint.root:
            detail = f"the first {size} entries are not those that were signed"
            self._note(Problem(part=part, wrong=Wrong.CHANGED, seq=size, detail=detail))
        for key in stated.signed_by:
            office = Office.HELD if self._ring is None else self._ring.office(key, size=size)
            if office is not Office.HELD:
                holds = False
                detail = f"{key} signed it, whose office at that size is: {office}"
                self._note(Problem(part=Part.KEY, wrong=Wrong.CHANGED, seq=size, detail=detail))
        return holds

    def _report(self, stated: list[_Stated]) -> AuditReport:
        outside = [each.checkpoint.size for each in stated if each.part is Part.KEPT]
        unseen = [ANCHORED.format(size=max(outside)) if outside else UNANCHORED]
        if not self._keys:
            unseen.append(UNKEYED)
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


def audit(
    reader: Reader,
    *,
    keys: Sequence[VerifierKey] = (),
    kept: Sequence[str | bytes] = (),
    progress: Progress = lambda done, total: None,
) -> AuditReport:
    """Check a whole log; ``kept`` are checkpoints that somebody kept outside of it."""
    return Audit(reader, keys=keys, kept=kept, progress=progress).run()


def _opens(row: VaultRow, commit: bytes, stage: str) -> bool:
    try:
        return commitment(salt=row.salt, stage=stage, payload=row.payload) == commit
    except InputError:
        return False


def _misplaced(seq: int, have: list[int], wanted: int) -> Iterator[Problem]:
    for ordinal in sorted(set(range(wanted)) - set(have)):
        yield Problem(
            part=Part.STAGE,
            wrong=Wrong.MISSING,
            seq=seq,
            ordinal=ordinal,
            detail="the run has no such stage any more",
        )
    for ordinal in sorted(set(have) - set(range(wanted))):
        yield Problem(
            part=Part.STAGE,
            wrong=Wrong.EXTRA,
            seq=seq,
            ordinal=ordinal,
            detail="the run was recorded without it",
        )
