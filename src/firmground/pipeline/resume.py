"""A question whose case waits for a person, read back and settled by their ruling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from firmground.core.canon import parse, unpack_text
from firmground.core.escalation import Escalated, Escalation, Ruling
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings, Preflight
from firmground.core.question import Question
from firmground.core.run import AttemptReason, Shape, Stage
from firmground.decide import Policy, decide
from firmground.decide.rules import NoClaims
from firmground.errors import InputError
from firmground.ledger.log import StoredRun
from firmground.pipeline.ask_result import AskResult
from firmground.pipeline.loop import Attempt, Draft, Judged, Trajectory
from firmground.pipeline.record import LARGEST_PAYLOAD
from firmground.pipeline.record_ask import Progress, lookup_path, record_ask
from firmground.pipeline.request import Mode
from firmground.pipeline.revive import findings_of, revive, settled_findings


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCase:
    """What was known when a question was left to a person."""

    question: Question
    case: Escalation
    findings: Findings
    judge: str
    preflight: Preflight | None = None
    answer: str | None = None
    """The best answer; None when there was none."""
    evidence: tuple[Evidence, ...] = ()
    before: tuple[Escalated, ...] = ()
    """Cases of the same question that were ruled on."""
    mode: Mode = Mode.PROSE


def waiting_case(asked: AskResult, judge: str = "") -> WaitingCase:
    """Return the open case of a question that was asked in this process."""
    case = asked.escalation
    if case is None:
        raise InputError("the run is not waiting for a ruling")
    best = asked.best
    return WaitingCase(
        question=asked.question,
        case=case,
        findings=asked.findings,
        judge=judge,
        preflight=asked.preflight,
        answer=best.draft.answer if best else None,
        evidence=best.draft.evidence if best else (),
        before=asked.escalated[:-1],
        mode=asked.mode,
    )


def recorded_case(stored: StoredRun) -> WaitingCase:
    """Return the open case of a recorded run; an error when it is not waiting for a ruling."""
    label_payload = stored.payload(Stage.FINAL_LABEL)
    label = _document(label_payload)
    escalated = revive(_WaitingEscalations, {"cases": label.get("escalated", [])}).cases
    if not escalated or escalated[-1].ruling is not None:
        raise InputError(f"run {stored.body.run} is not waiting for a ruling")
    best = recorded_best(stored)
    verify = stored.payload(Stage.VERIFY, attempt=best)
    asked = _document(stored.payload(Stage.QUESTION))
    known = "findings" in _document(verify)
    found = settled_findings(findings_of(verify), label_payload) if known else Findings()
    answer = evidence = None
    if known:
        answer = recorded_answer(stored, best)
        evidence = recorded_evidence(stored, best)
    return WaitingCase(
        question=revive(Question, asked["question"]),
        case=escalated[-1].case,
        findings=found,
        judge=str(_document(verify).get("judge", "")),
        preflight=found.preflight,
        answer=answer,
        evidence=evidence or (),
        before=escalated[:-1],
        mode=recorded_mode(stored),
    )


def ruled(waiting: WaitingCase, ruling: Ruling, policy: Policy) -> AskResult:
    """Settle a waiting case by a ruling that asks for no new attempt."""
    escalated = (*waiting.before, Escalated(case=waiting.case, ruling=ruling))
    rulings = tuple(one.ruling for one in escalated if one.ruling is not None)
    findings = replace(waiting.findings, rulings=rulings)
    answered = waiting.answer is not None
    without = () if answered else (NoClaims.name,)
    decision = decide(findings, policy, without=without)
    trajectory = None
    if waiting.answer is not None:
        draft = Draft(answer=waiting.answer, evidence=waiting.evidence, made={"by": "ruling"})
        one = Attempt(
            kind=AttemptReason.FIRST,
            draft=draft,
            judged=Judged(findings=findings, decision=decision),
        )
        trajectory = Trajectory(
            tries=(one,),
            best=0,
            findings=findings,
            decision=decision,
            spent=findings.spent,
            escalated=escalated,
        )
    progress = Progress(
        question=waiting.question,
        judge=waiting.judge,
        preflight=waiting.preflight,
        tries=trajectory.tries if trajectory else (),
        findings=findings,
        decision=decision,
        escalated=escalated,
        cut_off="" if answered else "a person settled a question that has no answer",
        mode=waiting.mode,
    )
    return AskResult(
        question=waiting.question,
        preflight=waiting.preflight,
        trajectory=trajectory,
        findings=findings,
        decision=decision,
        escalated=escalated,
        run=record_ask(progress),
        mode=waiting.mode,
        lookup_path=lookup_path(progress),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _WaitingEscalations:
    cases: tuple[Escalated, ...]


def _document(payload: bytes) -> dict[str, Any]:
    document = parse(payload, max_bytes=LARGEST_PAYLOAD)
    if not isinstance(document, dict):
        raise InputError("the payload of a stage is not an object")
    return document


def recorded_best(stored: StoredRun) -> int:
    """Which attempt the recorded decision was about."""
    return int(_document(stored.payload(Stage.FINAL_LABEL)).get("best", 0))


def recorded_mode(stored: StoredRun) -> Mode:
    """The form in which a recorded answer was asked for."""
    named = _document(stored.payload(Stage.FINAL_LABEL)).get("answer_mode")
    return next((mode for mode in Mode if mode.points and mode.answer_mode == named), Mode.PROSE)


def recorded_answer(stored: StoredRun, attempt: int) -> str:
    """The answer of an attempt, as the model wrote it or patches left it."""
    stage = Stage.RAW_ANSWER if stored.body.shape is Shape.POINTER else Stage.ANSWER
    return unpack_text(_document(stored.payload(stage, attempt=attempt))["text"])


def recorded_evidence(stored: StoredRun, attempt: int) -> tuple[Evidence, ...]:
    """The evidence of an attempt: what is listed of each piece, and its text.

    An attempt that rewrites the answer has the evidence of the search before it.
    """
    searched = max(
        kept.planned.attempt
        for kept in stored.stages
        if kept.planned.stage is Stage.RETRIEVAL and kept.planned.attempt <= attempt
    )
    listed = _document(stored.payload(Stage.RETRIEVAL, attempt=searched))["evidence"]
    if stored.body.shape is Shape.POINTER:
        named = _document(stored.payload(Stage.EVIDENCE_MAP, attempt=searched))["objects"]
        by_id = {unpack_text(one["id"]): one["text"] for one in named}
        texts = [by_id[unpack_text(piece["id"])] for piece in listed]
    else:
        texts = _document(stored.payload(Stage.CONTEXT, attempt=searched))["texts"]
    return tuple(
        revive(Evidence, {**piece, "text": text}) for piece, text in zip(listed, texts, strict=True)
    )
