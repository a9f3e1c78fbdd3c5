"""Walk a log from its first entry and re-derive chain, tree and keys from the stored bytes.

The walk is a small value: it can be copied at any entry and continued on another history, which is
how an audit is tested at every position of a log.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from firmground.core.merkle import Frontier, leaf_hash
from firmground.errors import InputError
from firmground.ledger.entry import NO_ENTRY, Entry, RunEntry, parse_entry
from firmground.ledger.store import EntryRow


class LogPart(StrEnum):
    """Which part of a log a problem is about."""

    ENTRY = "entry"
    STAGE = "stage"
    NODE = "node"
    VAULT = "vault"
    CHECKPOINT = "checkpoint"
    KEPT = "kept checkpoint"
    KEY = "key"
    CACHE = "cache"
    TABLES = "tables"
    """What the database itself is made of."""


class LogProblemKind(StrEnum):
    """What is wrong with it."""

    CHANGED = "changed"
    MISSING = "missing"
    MOVED = "moved"
    EXTRA = "extra"
    TRUNCATED = "truncated"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogProblem:
    """One thing that does not match what was recorded."""

    part: LogPart
    wrong: LogProblemKind
    seq: int | None
    """The entry it belongs to; for a checkpoint, its size."""
    detail: str
    ordinal: int | None = None
    """The stage, where a stage is concerned."""

    def __str__(self) -> str:
        where = "" if self.seq is None else f" {self.seq}"
        stage = "" if self.ordinal is None else f" stage {self.ordinal}"
        return f"{self.part}{where}{stage}: {self.wrong}: {self.detail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayStep:
    """What one row showed: the walk after it, its entry if it can be read, its problems."""

    walk: LogReplay
    entry: Entry | None
    nodes: tuple[tuple[int, int, bytes], ...]
    problems: tuple[LogProblem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogReplay:
    """Everything derived from the entries so far."""

    last: bytes = NO_ENTRY
    frontier: Frontier = field(default_factory=Frontier)

    @property
    def size(self) -> int:
        """How many entries were walked."""
        return self.frontier.size

    def missing(self, seq: int) -> tuple[LogProblem, ...]:
        """Name the entries that are absent before ``seq``."""
        if seq <= self.size:
            return ()
        gap = f"{self.size}" if seq == self.size + 1 else f"{self.size} to {seq - 1}"
        return (
            LogProblem(
                part=LogPart.ENTRY,
                wrong=LogProblemKind.MISSING,
                seq=self.size,
                detail=f"the log has no entry {gap}",
            ),
        )

    def step(self, row: EntryRow) -> ReplayStep:
        """Take one stored row; go on behind it whatever it holds."""
        problems = list(self.missing(row.seq))
        value = leaf_hash(row.body)
        entry: Entry | None = None
        try:
            entry = parse_entry(row.body)
        except InputError as error:
            problems.append(_problem(LogProblemKind.UNREADABLE, row.seq, str(error)))
        if value != row.hash:
            problems.append(
                _problem(
                    LogProblemKind.CHANGED,
                    row.seq,
                    "its bytes do not have the hash stored beside it",
                )
            )
        if entry is not None:
            problems.extend(self._compare(row, entry))
        # Continue with the hash of the bytes: an attacker who changed them cannot choose it.
        frontier, nodes = self.frontier.append(value)
        walk = replace(self, last=value, frontier=frontier)
        return ReplayStep(walk=walk, entry=entry, nodes=nodes[1:], problems=tuple(problems))

    def _compare(self, row: EntryRow, entry: Entry) -> list[LogProblem]:
        found = []
        if entry.seq != row.seq:
            found.append(
                _problem(
                    LogProblemKind.MOVED, row.seq, f"what stands here was recorded as {entry.seq}"
                )
            )
        if entry.prev != self.last:
            found.append(
                _problem(
                    LogProblemKind.CHANGED,
                    row.seq,
                    "it does not follow the entry before it: one of the two was changed, "
                    "moved, inserted or removed",
                )
            )
        run = entry.body.run if isinstance(entry.body, RunEntry) else None
        if (row.prev, row.type, row.run) != (entry.prev, entry.body.type, run):
            found.append(
                _problem(
                    LogProblemKind.CHANGED, row.seq, "the columns beside it contradict its bytes"
                )
            )
        return found


def _problem(wrong: LogProblemKind, seq: int, detail: str) -> LogProblem:
    return LogProblem(part=LogPart.ENTRY, wrong=wrong, seq=seq, detail=detail)
