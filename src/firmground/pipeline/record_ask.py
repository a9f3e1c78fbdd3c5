"""The run of a question: every attempt, stage by stage, whether or not it was the last word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firmground.core.canon import Value, canonical, pack_text, plain
from firmground.core.decision import Decision
from firmground.core.escalation import Escalated
from firmground.core.finding import Findings, Preflight
from firmground.core.localize import failure_stage
from firmground.core.question import Question
from firmground.core.run import Attempt, Node, Planned, Run, Shape, Stage, stage_plan
from firmground.decide.rules import FailedHooks, PreflightObjects
from firmground.pipeline.loop import Try
from firmground.pipeline.record import LARGEST_PAYLOAD, listed, repeatable

NOT_DONE: Value = {"done": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What has happened so far; enough to record a run that was cut off."""

    question: Question | None
    judge: str
    preflight: Preflight | None = None
    clauses: Value = None
    """What preflight was told to do."""
    retrieval: Value = None
    """How evidence was searched for; None when it was given."""
    model_profile: Value = None
    """Which model answered, and what its replies were drawn with."""
    tries: tuple[Try, ...] = ()
    best: int = 0
    findings: Findings | None = None
    decision: Decision | None = None
    escalated: tuple[Escalated, ...] = ()
    """What was put to a person, and what they ruled."""
    cut_off: str = ""
    """Why the run did not come to its end; empty when it did."""


def record_ask(progress: Progress) -> Run:
    """Return the run, complete in every stage; what did not happen is said not to have."""
    if progress.preflight is not None and not progress.tries and not progress.cut_off:
        return _run(progress, Shape.REJECT, ())
    kinds = tuple(one.kind for one in progress.tries) or (Attempt.FIRST,)
    return _run(progress, Shape.QUOTE, kinds)


def _run(progress: Progress, shape: Shape, attempts: Sequence[Attempt]) -> Run:
    looked = progress.preflight is not None
    plan = stage_plan(shape=shape, preflight=looked, attempts=attempts)
    nodes = tuple(
        Node(
            stage=planned.stage,
            attempt=planned.attempt,
            payload=canonical(_payload(progress, planned), max_bytes=LARGEST_PAYLOAD),
        )
        for planned in plan
    )
    return Run(shape=shape, preflight=looked, attempts=tuple(attempts), nodes=nodes)


def _payload(progress: Progress, planned: Planned) -> Value:
    match planned.stage:
        case Stage.QUESTION:
            return {"given": "question", "question": plain(progress.question)}
        case Stage.PREFLIGHT:
            return {"seen": plain(progress.preflight), "clauses": progress.clauses}
        case Stage.FINAL_LABEL:
            return _label(progress)
        case _:
            if planned.attempt >= len(progress.tries):
                return NOT_DONE
            return _of_try(progress, progress.tries[planned.attempt], planned.stage)


def _of_try(progress: Progress, one: Try, stage: Stage) -> Value:
    draft = one.draft
    match stage:
        case Stage.RETRIEVAL:
            return {
                "given": False,
                "plan": progress.retrieval,
                "evidence": [listed(piece) for piece in draft.evidence],
            }
        case Stage.CONTEXT:
            return {"texts": [pack_text(piece.text) for piece in draft.evidence]}
        case Stage.PROMPT:
            return {"known": True, "model_profile": progress.model_profile, "made": draft.made}
        case Stage.ANSWER:
            return {"text": pack_text(draft.answer)}
        case _:
            return {
                "judge": progress.judge,
                "findings": plain(repeatable(one.judged.findings)),
                "decision": plain(one.judged.decision),
            }


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
    }


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
