"""Runs: the stages of one run, what each depends on, and one root over all.

A run is a list of stages that its *shape* fixes completely: which stages, in which order, each
depending on which others. A run may hold several attempts: the first one, then rewrites
(``regenerate``: same evidence, new wording) and new searches (``replan``: new evidence). Every
attempt stays in the run. ``stage_plan`` is the whole grammar; a verifier derives the plan again and
accepts nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from firmground.core import merkle
from firmground.core.canon import Value, canonical, digest
from firmground.errors import InputError

VERSION = "fg1"
MAX_ATTEMPTS = 64
SALT_BYTES = 32
_PLAIN_NAME = re.compile(r"[0-9A-Za-z_.-]{0,128}\Z")


class Stage(StrEnum):
    """One step on the way from question to label."""

    QUESTION = "question"
    PREFLIGHT = "preflight"
    RETRIEVAL = "retrieval"
    CONTEXT = "context"
    EVIDENCE_MAP = "evidence_map"
    PROMPT = "prompt"
    ANSWER = "answer"
    RAW_ANSWER = "raw_answer"
    PARSED_CLAIMS = "parsed_claims"
    VERIFY = "verify"
    RENDER = "render"
    FINAL_LABEL = "final_label"


class Shape(StrEnum):
    """Which way the answer was made, and therefore which stages there must be."""

    QUOTE = "quote"
    POINTER = "pointer"
    REJECT = "reject"


class AttemptReason(StrEnum):
    """Why an attempt was made: the first one, a rewrite, or a new search."""

    FIRST = "first"
    REGENERATE = "regenerate"
    REPLAN = "replan"


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """One position in the plan of a run: its stage and the stages it depends on."""

    stage: Stage
    attempt: int
    parents: tuple[int, ...]


_EVIDENCE = {Shape.QUOTE: Stage.CONTEXT, Shape.POINTER: Stage.EVIDENCE_MAP}
_ANSWERING = {
    Shape.QUOTE: (Stage.ANSWER, Stage.VERIFY),
    Shape.POINTER: (Stage.RAW_ANSWER, Stage.PARSED_CLAIMS, Stage.VERIFY, Stage.RENDER),
}


def stage_plan(
    *, shape: Shape, preflight: bool, attempts: Sequence[AttemptReason] = (AttemptReason.FIRST,)
) -> tuple[PlannedStage, ...]:
    """The only list of stages, with their parents, that this shape and these attempts allow."""
    # Compared by identity below, where a plain "regenerate" would silently pass for a replan.
    if type(shape) is not Shape or any(type(attempt) is not AttemptReason for attempt in attempts):
        raise InputError("a plan needs a Shape and Attempts, not their names")
    if shape is Shape.REJECT:
        if not preflight or tuple(attempts) != ():
            raise InputError("a rejected run has a preflight and no attempts")
        return (
            PlannedStage(Stage.QUESTION, 0, ()),
            PlannedStage(Stage.PREFLIGHT, 0, (0,)),
            PlannedStage(Stage.FINAL_LABEL, 0, (0, 1)),
        )
    _check_attempts(attempts)
    plan = [PlannedStage(Stage.QUESTION, 0, ())]
    if preflight:
        plan.append(PlannedStage(Stage.PREFLIGHT, 0, (0,)))
    asked = tuple(range(len(plan)))
    verdicts: list[int] = []
    evidence = 0
    for number, kind in enumerate(attempts):
        before = tuple(verdicts[-1:])
        if kind is not AttemptReason.REGENERATE:
            evidence = _add_search(plan, shape, number, asked + before)
        verdicts.append(_add_answer(plan, shape, number, evidence, before))
    last = tuple(i for i, p in enumerate(plan) if p.stage is Stage.RENDER)
    plan.append(
        PlannedStage(Stage.FINAL_LABEL, len(attempts) - 1, tuple(sorted({*verdicts, *last})))
    )
    return tuple(plan)


def _check_attempts(attempts: Sequence[AttemptReason]) -> None:
    if (
        not attempts
        or attempts[0] is not AttemptReason.FIRST
        or AttemptReason.FIRST in attempts[1:]
    ):
        raise InputError("a run begins with exactly one first attempt")
    if len(attempts) > MAX_ATTEMPTS:
        raise InputError(f"a run holds at most {MAX_ATTEMPTS} attempts, got {len(attempts)}")


def _add_search(
    plan: list[PlannedStage], shape: Shape, number: int, parents: tuple[int, ...]
) -> int:
    plan.append(PlannedStage(Stage.RETRIEVAL, number, parents))
    plan.append(PlannedStage(_EVIDENCE[shape], number, (len(plan) - 1,)))
    return len(plan) - 1


def _add_answer(
    plan: list[PlannedStage], shape: Shape, number: int, evidence: int, before: tuple[int, ...]
) -> int:
    """Add prompt, answer and verify; return where verify stands."""
    plan.append(PlannedStage(Stage.PROMPT, number, tuple(sorted({0, evidence, *before}))))
    verify = 0
    for stage in _ANSWERING[shape]:
        parents: tuple[int, ...] = (len(plan) - 1,)
        if stage is Stage.VERIFY:
            verify, parents = len(plan), (evidence, len(plan) - 1)
        plan.append(PlannedStage(stage, number, parents))
    return verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One stage of one run and the exact bytes it produced."""

    stage: Stage
    attempt: int
    payload: bytes


@dataclass(frozen=True, kw_only=True)
class Run:
    """All stages of one run, in the only order its shape allows."""

    shape: Shape
    preflight: bool
    attempts: tuple[AttemptReason, ...]
    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        have = [(node.stage, node.attempt) for node in self.nodes]
        want = [(planned.stage, planned.attempt) for planned in self.plan]
        if have != want:
            raise InputError(
                f"a {self.shape} run must have the stages "
                f"{' '.join(f'{s}:{a}' for s, a in want)}; "
                f"got {' '.join(f'{s}:{a}' for s, a in have) or 'none'}"
            )

    @cached_property
    def plan(self) -> tuple[PlannedStage, ...]:
        """The stages and edges this run must have."""
        return stage_plan(shape=self.shape, preflight=self.preflight, attempts=self.attempts)

    @cached_property
    def content_root(self) -> str:
        """Root over what was computed, in hexadecimal: same inputs and settings, same root.

        It carries no salt, run id or time. The ledger commits the run under salts instead, so
        this value can be guessed from guessed content and stays out of the log.
        """
        commits = [digest("fg1/content/" + n.stage, n.payload) for n in self.nodes]
        leaves = leaf_bytes(self, run_id="", commitments=commits)
        return merkle.root([merkle.leaf_hash(leaf) for leaf in leaves]).hex()

    def payloads(self, stage: Stage) -> tuple[bytes, ...]:
        """What this stage produced, attempt by attempt."""
        return tuple(node.payload for node in self.nodes if node.stage is stage)


def commitment(*, salt: bytes, stage: str, payload: bytes) -> bytes:
    """Commit to a payload so that it can be shown or erased, and not be guessed."""
    if len(salt) != SALT_BYTES:
        raise InputError(f"a salt has {SALT_BYTES} bytes, got {len(salt)}")
    message = b"fg1/payload\0" + stage.encode("ascii") + b"\0" + payload
    return hmac.digest(salt, message, hashlib.sha256)


def leaf_bytes(run: Run, *, run_id: str, commitments: Sequence[bytes]) -> tuple[bytes, ...]:
    """The exact bytes of every stage leaf: name, place, run, commitment, true parents."""
    if len(commitments) != len(run.nodes):
        raise InputError(f"{len(run.nodes)} stages need as many commitments")
    leaves: list[bytes] = []
    hashes: list[str] = []
    for ordinal, (planned, commit) in enumerate(zip(run.plan, commitments, strict=True)):
        parents = [hashes[parent] for parent in planned.parents]
        leaves.append(stage_bytes(planned, ordinal, run_id, commit, parents))
        hashes.append(merkle.leaf_hash(leaves[-1]).hex())
    return tuple(leaves)


def stage_bytes(
    planned: PlannedStage, ordinal: int, run_id: str, commit: bytes, parents: Sequence[str]
) -> bytes:
    """The exact bytes of one stage leaf; ``parents`` are leaf hashes in hexadecimal."""
    if _PLAIN_NAME.match(run_id):
        # Nothing in here needs escaping, so the canonical form can be written down directly.
        listed = ",".join(f'"{parent}"' for parent in parents)
        return (
            f'{{"attempt":{planned.attempt},"commit":"{commit.hex()}","ord":{ordinal},'
            f'"parents":[{listed}],"run":"{run_id}","stage":"{planned.stage}","v":"{VERSION}"}}'
        ).encode("ascii")
    document: dict[str, Value] = {
        "v": VERSION,
        "stage": str(planned.stage),
        "ord": ordinal,
        "attempt": planned.attempt,
        "run": run_id,
        "commit": commit.hex(),
        "parents": list(parents),
    }
    return canonical(document)


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedRun:
    """A run as the ledger commits it: leaves under salts, and their root."""

    run: Run
    run_id: str
    salts: tuple[bytes, ...]
    stages: tuple[bytes, ...]
    root: bytes


def seal(run: Run, *, run_id: str, salts: Sequence[bytes]) -> SealedRun:
    """Commit every stage of a run under its salt."""
    if not run_id:
        raise InputError("a sealed run needs a run id")
    if len(salts) != len(run.nodes) or len(set(salts)) != len(salts):
        raise InputError(f"{len(run.nodes)} stages need as many salts, all different")
    commits = [
        commitment(salt=salt, stage=node.stage, payload=node.payload)
        for salt, node in zip(salts, run.nodes, strict=True)
    ]
    stages = leaf_bytes(run, run_id=run_id, commitments=commits)
    root = merkle.root([merkle.leaf_hash(stage) for stage in stages])
    return SealedRun(run=run, run_id=run_id, salts=tuple(salts), stages=stages, root=root)
