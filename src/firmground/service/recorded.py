"""A recorded run read back as the values it was made of, for pages and reports."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from firmground.core.canon import parse, unpack_text
from firmground.core.decision import Decision
from firmground.core.escalation import Escalated
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings
from firmground.core.question import Question
from firmground.core.run import AttemptReason, Node, Run, Stage
from firmground.errors import InputError, LedgerError, RecordErased
from firmground.ledger.log import StoredRun
from firmground.pipeline.outcome import CheckOutcome
from firmground.pipeline.record import LARGEST_PAYLOAD
from firmground.pipeline.request import Request
from firmground.pipeline.revive import revive, settled_findings


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAttempt:
    """One attempt at an answer; what was erased or never happened is None or empty."""

    number: int
    kind: AttemptReason
    answer: str | None = None
    evidence: tuple[Evidence, ...] = ()
    findings: Findings | None = None
    decision: Decision | None = None
    judge: str = ""
    made: dict[str, Any] | None = None
    """How the prompt was made, where that is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun:
    """Everything that is left of a run."""

    question: Question | None
    attempts: tuple[RecordedAttempt, ...]
    best: int
    decision: Decision | None
    escalated: tuple[Escalated, ...] = ()
    cut_off: str = ""
    failure_stage: str | None = None

    @property
    def shown(self) -> RecordedAttempt | None:
        """The attempt that the decision is about."""
        return self.attempts[self.best] if self.best < len(self.attempts) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cases:
    cases: tuple[Escalated, ...]


def read_recorded(stored: StoredRun) -> RecordedRun:
    """Read a run back; parts that were erased, or that are not as we write them, are left out."""
    label = _document(stored, Stage.FINAL_LABEL, None)
    best = label.get("best", 0)
    best = best if isinstance(best, int) and 0 <= best < len(stored.body.attempts) else 0
    decision = _made(Decision, label.get("decision"))
    attempts = tuple(
        _attempt(stored, number, kind, label, decision if number == best else None)
        for number, kind in enumerate(stored.body.attempts)
    )
    cases = _made(_Cases, {"cases": label.get("escalated", [])})
    asked = _document(stored, Stage.QUESTION, None)
    return RecordedRun(
        question=_made(Question, asked.get("question")),
        attempts=attempts,
        best=best,
        decision=decision,
        escalated=cases.cases if cases else (),
        cut_off=_text(label.get("cut_off", "")),
        failure_stage=label.get("failure_stage"),
    )


def _attempt(
    stored: StoredRun,
    number: int,
    kind: AttemptReason,
    label: dict[str, Any],
    decision: Decision | None,
) -> RecordedAttempt:
    verify = _document(stored, Stage.VERIFY, number)
    answer = _document(stored, Stage.ANSWER, number).get("text")
    prompt = _document(stored, Stage.PROMPT, number)
    findings = _made(Findings, verify.get("findings"))
    if findings is not None and decision is not None:
        with suppress(LedgerError, InputError):
            findings = settled_findings(findings, stored.payload(Stage.FINAL_LABEL))
    return RecordedAttempt(
        number=number,
        kind=kind,
        answer=None if answer is None else _text(answer),
        evidence=_evidence(stored, number),
        findings=findings,
        decision=_made(Decision, verify.get("decision")) or decision,
        judge=_text(verify.get("judge", "")),
        made=prompt.get("made") if prompt.get("known") else None,
    )


def _evidence(stored: StoredRun, attempt: int) -> tuple[Evidence, ...]:
    """The evidence of an attempt; a rewrite rests on what the search before it found."""
    for number in range(attempt, -1, -1):
        listed = _document(stored, Stage.RETRIEVAL, number).get("evidence")
        texts = _document(stored, Stage.CONTEXT, number).get("texts")
        if isinstance(listed, list) and isinstance(texts, list):
            pairs = zip(listed, texts, strict=False)
            made = [_made(Evidence, {**piece, "text": text}) for piece, text in pairs]
            return tuple(piece for piece in made if piece is not None)
    return ()


def recorded_outcome(stored: StoredRun) -> CheckOutcome:
    """The outcome of a recorded run, as the report shows it; an error when parts were erased."""
    run, recorded = stored.body.run, read_recorded(stored)
    attempt = recorded.shown
    if any(kept.payload is None for kept in stored.stages):
        raise RecordErased(f"the content of run {run} was erased")
    if attempt is None or attempt.answer is None or attempt.findings is None:
        raise InputError(f"run {run} came to no answer that could be shown as a report")
    if recorded.decision is None:
        raise InputError(f"run {run} records no decision")
    nodes = tuple(
        Node(stage=kept.planned.stage, attempt=kept.planned.attempt, payload=kept.payload or b"")
        for kept in stored.stages
    )
    request = Request(answer=attempt.answer, evidence=attempt.evidence, question=recorded.question)
    return CheckOutcome(
        request=request,
        findings=replace(attempt.findings),
        decision=recorded.decision,
        run=Run(
            shape=stored.body.shape,
            preflight=stored.body.preflight,
            attempts=stored.body.attempts,
            nodes=nodes,
        ),
    )


def _document(stored: StoredRun, stage: Stage, attempt: int | None) -> dict[str, Any]:
    try:
        value = parse(stored.payload(stage, attempt=attempt), max_bytes=LARGEST_PAYLOAD)
    except (LedgerError, InputError):
        return {}
    return value if isinstance(value, dict) else {}


def _made(kind: Any, value: Any) -> Any:
    try:
        return None if value is None else revive(kind, value)
    except InputError:
        return None


def _text(value: Any) -> str:
    try:
        return unpack_text(value)
    except InputError:
        return ""
