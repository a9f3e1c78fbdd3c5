"""The run of a question: every attempt, stage by stage, whether or not it was the last word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from firmground.core.canon import Value, canonical, pack_text, plain
from firmground.core.decision import Decision
from firmground.core.escalation import Escalated
from firmground.core.finding import Findings, Preflight
from firmground.core.localize import failure_stage
from firmground.core.question import Question
from firmground.core.run import AttemptReason, Node, PlannedStage, Run, Shape, Stage, stage_plan
from firmground.decide.rules import FailedHooks, PreflightObjects
from firmground.pipeline.loop import Attempt
from firmground.pipeline.record import (
    LARGEST_PAYLOAD,
    answer_payloads,
    record_names,
    recorded,
    renamed,
    repeatable,
)
from firmground.pipeline.request import Mode

NOT_DONE: Value = {"done": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What has happened so far; enough to record a run that was cut off."""

    question: Question | None
    judge: str
    preflight: Preflight | None = None
    clauses: Value = None
    """The preflight settings."""
    retrieval: Value = None
    """How evidence was searched for; None when it was given."""
    model_profile: Value = None
    """Which model answered, and what its replies were drawn with."""
    tries: tuple[Attempt, ...] = ()
    best: int = 0
    findings: Findings | None = None
    decision: Decision | None = None
    escalated: tuple[Escalated, ...] = ()
    """What was put to a person, and what they ruled."""
    cut_off: str = ""
    """Why the run did not come to its end; empty when it did."""
    mode: Mode = Mode.PROSE
    """In which form the answer was asked for."""


def record_ask(progress: Progress) -> Run:
    """Return the run, complete in every stage; what did not happen is said not to have."""
    if progress.preflight is not None and not progress.tries and not progress.cut_off:
        return _run(progress, Shape.REJECT, ())
    kinds = tuple(one.kind for one in progress.tries) or (AttemptReason.FIRST,)
    return _run(progress, Shape.POINTER if progress.mode.points else Shape.QUOTE, kinds)


def _run(progress: Progress, shape: Shape, attempts: Sequence[AttemptReason]) -> Run:
    looked = progress.preflight is not None
    plan = stage_plan(shape=shape, preflight=looked, attempts=attempts)
    tries = [_of_try(progress, one) for one in progress.tries]
    names = record_names(piece for one in progress.tries for piece in one.draft.evidence)
    nodes = tuple(
        Node(
            stage=planned.stage,
            attempt=planned.attempt,
            payload=canonical(
                renamed(_payload(progress, planned, tries), names), max_bytes=LARGEST_PAYLOAD
            ),
        )
        for planned in plan
    )
    return Run(shape=shape, preflight=looked, attempts=tuple(attempts), nodes=nodes)


def _payload(
    progress: Progress, planned: PlannedStage, tries: Sequence[Mapping[Stage, Value]]
) -> Value:
    match planned.stage:
        case Stage.QUESTION:
            return {"given": "question", "question": plain(progress.question)}
        case Stage.PREFLIGHT:
            return {"seen": plain(progress.preflight), "clauses": progress.clauses}
        case Stage.FINAL_LABEL:
            return _label(progress)
        case stage:
            return tries[planned.attempt][stage] if planned.attempt < len(tries) else NOT_DONE


def _of_try(progress: Progress, one: Attempt) -> dict[Stage, Value]:
    """What every stage of one attempt produced."""
    draft, found = one.draft, one.judged.findings
    payloads, audit = answer_payloads(
        progress.mode, draft.answer, draft.evidence, progress.question, found.assessments
    )
    exposed: Value = {
        "evidence": [pack_text(piece.id) for piece in draft.evidence],
        "characters": sum(len(piece.text) for piece in draft.evidence),
    }
    stages: dict[Stage, Value] = {
        Stage.RETRIEVAL: {
            "given": False,
            "plan": progress.retrieval,
            "evidence": [recorded(piece) for piece in draft.evidence],
        },
        Stage.PROMPT: {
            "known": True,
            "model_profile": progress.model_profile,
            "exposed": exposed,
            "made": draft.made,
        },
        Stage.VERIFY: {
            "judge": progress.judge,
            "findings": plain(repeatable(found)),
            "decision": plain(one.judged.decision),
            "audit": audit,
        },
    }
    return payloads | stages


def _label(progress: Progress) -> Value:
    found = progress.findings
    spent = None if found is None else replace(found.spent, seconds=0.0)
    return {
        "decision": plain(progress.decision),
        "best": progress.best,
        "spent": plain(spent),
        "faults": plain(() if found is None else found.faults),
        "escalated": plain(progress.escalated),
        "cut_off": pack_text(progress.cut_off),
        "failure_stage": failed_at(progress),
        "lookup_path": lookup_path(progress),
        "answer_mode": progress.mode.answer_mode,
    }


def lookup_path(progress: Progress) -> str:
    """Where the answer came from: a model, or nowhere because preflight or something else ended it.

    An answer from the cache has no run of its own; the log has an entry for the look-up.
    """
    if progress.tries:
        return "computed"
    return "none" if progress.cut_off else "preflight"


def failed_at(progress: Progress) -> str | None:
    """The first failing stage of a run; None when its answer stands."""
    found, decision = progress.findings, progress.decision
    if found is None or decision is None or not progress.tries:
        blocked = decision is not None and any(
            o.rule in (PreflightObjects.name, FailedHooks.name) for o in decision.objections
        )
        return str(Stage.PREFLIGHT if blocked else Stage.ANSWER)
    evidence = len(progress.tries[progress.best].draft.evidence)
    return failure_stage(found, decision, evidence=evidence)
