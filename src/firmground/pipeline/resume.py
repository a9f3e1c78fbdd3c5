"""A question whose case waits for a person, read back and settled by their ruling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from firmground.core.canon import parse, unpack_text
from firmground.core.escalation import Escalated, Escalation, Ruling
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings, Preflight
from firmground.core.question import Question
from firmground.core.run import Attempt, Stage
from firmground.decide import Policy, decide
from firmground.decide.rules import NoClaims
from firmground.errors import InputError
from firmground.ledger.log import StoredRun
from firmground.pipeline.asked import Asked
from firmground.pipeline.loop import Draft, Judged, Trajectory, Try
from firmground.pipeline.record import LARGEST_PAYLOAD
from firmground.pipeline.record_ask import Progress, record_ask
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


def waiting_case(asked: Asked, judge: str = "") -> WaitingCase:
    """Return the open case of a question that was asked in this process."""
    case = asked.escalation
    if case is None:
        raise InputError("the run waits for nobody")
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
    )


def recorded_case(stored: StoredRun) -> WaitingCase:
    """Return the open case of a recorded run; an error when it waits for nobody."""
    label_payload = stored.payload(Stage.FINAL_LABEL)
    label = _document(label_payload)
    escalated = revive(_Escalations, {"cases": label.get("escalated", [])}).cases
    if not escalated or escalated[-1].ruling is not None:
        raise InputError(f"run {stored.body.run} waits for nobody")
    best = int(label.get("best", 0))
    verify = stored.payload(Stage.VERIFY, attempt=best)
    asked = _document(stored.payload(Stage.QUESTION))
    known = "findings" in _document(verify)
    found = settled_findings(findings_of(verify), label_payload) if known else Findings()
    answer = evidence = None
    if known:
        answer = unpack_text(_document(stored.payload(Stage.ANSWER, attempt=best))["text"])
        evidence = _evidence(stored, best)
    return WaitingCase(
        question=revive(Question, asked["question"]),
        case=escalated[-1].case,
        findings=found,
        judge=str(_document(verify).get("judge", "")),
        preflight=found.preflight,
        answer=answer,
        evidence=evidence or (),
        before=escalated[:-1],
    )


def ruled(waiting: WaitingCase, ruling: Ruling, policy: Policy) -> Asked:
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
        one = Try(
            kind=Attempt.FIRST, draft=draft, judged=Judged(findings=findings, decision=decision)
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
    )
    return Asked(
        question=waiting.question,
        preflight=waiting.preflight,
        trajectory=trajectory,
        findings=findings,
        decision=decision,
        escalated=escalated,
        run=record_ask(progress),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Escalations:
    cases: tuple[Escalated, ...]


def _document(payload: bytes) -> dict[str, Any]:
    document = parse(payload, max_bytes=LARGEST_PAYLOAD)
    if not isinstance(document, dict):
        raise InputError("the payload of a stage is not an object")
    return document


def _evidence(stored: StoredRun, attempt: int) -> tuple[Evidence, ...]:
    """The evidence of an attempt: what is listed of each piece, and its text."""
    listed = _document(stored.payload(Stage.RETRIEVAL, attempt=attempt))["evidence"]
    texts = _document(stored.payload(Stage.CONTEXT, attempt=attempt))["texts"]
    return tuple(
        revive(Evidence, {**piece, "text": text}) for piece, text in zip(listed, texts, strict=True)
    )
