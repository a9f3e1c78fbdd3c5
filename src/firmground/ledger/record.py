"""Checks that stage leaves belong to a run, by deriving them again from the grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.core import merkle
from firmground.core.run import PlannedStage, SealedRun, stage_bytes, stage_plan
from firmground.errors import InputError
from firmground.ledger.entry import RunEntry, Stream

_COMMIT = re.compile(rb'\{"attempt":[0-9]{1,2},"commit":"([0-9a-f]{64})",')


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """The verified stages of one run: what stands where, and the commitment to its payload."""

    plan: tuple[PlannedStage, ...]
    commits: tuple[bytes, ...]


def check_stages(stages: Sequence[bytes], entry: RunEntry) -> Stages:
    """Return the stages if they are exactly those the entry commits to; else say which is not.

    Name, place, attempt, run id and parents of every leaf are computed from the entry and
    compared byte by byte; only the commitments are read from the leaves, and the root binds them.
    """
    plan = stage_plan(shape=entry.shape, preflight=entry.preflight, attempts=entry.attempts)
    if len(stages) != len(plan):
        raise InputError(f"the run has {len(plan)} stages, {len(stages)} are here")
    commits: list[bytes] = []
    hashes: list[bytes] = []
    for ordinal, (planned, data) in enumerate(zip(plan, stages, strict=True)):
        found = _COMMIT.match(data)
        commit = bytes.fromhex(found[1].decode("ascii")) if found else b""
        parents = [hashes[parent].hex() for parent in planned.parents]
        if data != stage_bytes(planned, ordinal, entry.run, commit, parents):
            raise InputError(f"stage {ordinal} is not the {planned.stage} of run {entry.run}")
        commits.append(commit)
        hashes.append(merkle.leaf_hash(data))
    if merkle.root(hashes) != entry.root:
        raise InputError("the stages do not lead to the root that the entry states")
    return Stages(plan=plan, commits=tuple(commits))


def run_entry(
    sealed: SealedRun,
    *,
    label: tuple[tuple[str, str], ...],
    aside: bytes | None = None,
    policy: bytes | None = None,
    stream: Stream = Stream.BUFFERED,
) -> RunEntry:
    """What the log says about a sealed run."""
    return RunEntry(
        run=sealed.run_id,
        shape=sealed.run.shape,
        preflight=sealed.run.preflight,
        attempts=sealed.run.attempts,
        n=len(sealed.stages),
        root=sealed.root,
        label=tuple(sorted(label)),
        aside=aside,
        policy=policy,
        stream=stream,
    )
