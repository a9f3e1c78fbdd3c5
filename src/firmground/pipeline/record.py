"""The record of a check: every stage becomes a node, so that the run can be verified later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count

from firmground.claims import (
    build_evidence_map,
    json_claims,
    pointer_claims,
    render_lattice,
    verify_json_answer,
    verify_pointer_answer,
)
from firmground.claims.audit import mode_of
from firmground.core.canon import Value, canonical, pack_text, plain
from firmground.core.claim import Assessment
from firmground.core.decision import Decision
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings
from firmground.core.localize import failure_stage
from firmground.core.question import Question
from firmground.core.run import AttemptReason, Node, Run, Shape, Stage, stage_plan
from firmground.pipeline.request import Mode, Request

LARGEST_PAYLOAD = 512 << 20
_NOT_IN_LIST = frozenset({"text", "origin_runs"})
_HASHES = frozenset({"digest"})


def record_check(request: Request, findings: Findings, decision: Decision, judge: str) -> Run:
    """Return the run of a check whose answer was given rather than asked for."""
    payloads, audit = answer_payloads(
        request.mode, request.answer, request.evidence, request.question, findings.assessments
    )
    payloads |= {
        Stage.QUESTION: {"given": "answer", "question": plain(request.question)},
        Stage.RETRIEVAL: {"given": True, "evidence": [recorded(p) for p in request.evidence]},
        Stage.PROMPT: {"known": False},
        Stage.VERIFY: {"judge": judge, "findings": plain(repeatable(findings)), "audit": audit},
        Stage.FINAL_LABEL: {
            "decision": plain(decision),
            "failure_stage": failure_stage(findings, decision, evidence=len(request.evidence)),
            "lookup_path": "given",
            "answer_mode": request.mode.answer_mode,
        },
    }
    shape = Shape.POINTER if request.mode.points else Shape.QUOTE
    names = record_names(request.evidence)
    nodes = tuple(
        Node(
            stage=planned.stage,
            attempt=0,
            payload=canonical(renamed(payloads[planned.stage], names), max_bytes=LARGEST_PAYLOAD),
        )
        for planned in stage_plan(shape=shape, preflight=False)
    )
    return Run(shape=shape, preflight=False, attempts=(AttemptReason.FIRST,), nodes=nodes)


def repeatable(findings: Findings) -> Findings:
    """Findings without what differs from run to run: time, duration, price."""
    models = tuple(
        replace(used, cost=None, claims=tuple(replace(one, cost=None) for one in used.claims))
        for used in findings.models
    )
    hooks = tuple(replace(reply, at="") for reply in findings.hooks)
    spent = replace(findings.spent, seconds=0.0)
    return replace(findings, spent=spent, models=models, hooks=hooks)


def answer_payloads(
    mode: Mode,
    answer: str,
    evidence: Sequence[Evidence],
    question: Question | None,
    assessments: Sequence[Assessment],
) -> tuple[dict[Stage, Value], Value]:
    """The stages that hold an answer and its evidence, and the audit of it for ``verify``.

    The audit of an answer that points is the lattice verifier's; of any other it counts how many
    of the claims stand.
    """
    if mode.points:
        return _lattice(mode, answer, evidence, question.text if question else "")
    standings = [one.standing for one in assessments if one.claim.checkable]
    verified = sum(one.stands for one in standings)
    audit: Value = {
        "mode": str(mode_of(len(standings), verified)),
        "method": "standing",
        "units": len(standings),
        "verified": verified,
        "statuses": [str(one) for one in standings],
    }
    return {
        Stage.CONTEXT: {"texts": [pack_text(piece.text) for piece in evidence]},
        Stage.ANSWER: {"text": pack_text(answer)},
    }, audit


def _lattice(
    mode: Mode, answer: str, evidence: Sequence[Evidence], asked: str
) -> tuple[dict[Stage, Value], Value]:
    """The stages of an answer that points: what it pointed into, what it said, how it is shown."""
    evidence_map = build_evidence_map(evidence, asked)
    objects: list[Value] = [
        {"pointer": one.pointer_id, "evidence": one.evidence_id, "id": pack_text(one.evidence),
         "text": pack_text(one.span)}
        for one in evidence_map.objects
    ]  # fmt: skip
    if mode is Mode.JSON:
        parsed = plain(json_claims(answer))
        verified = verify_json_answer(answer, evidence, asked)
    else:
        parsed = plain(pointer_claims(answer))
        verified = verify_pointer_answer(answer, evidence, asked)
    audit: Value = {
        "mode": str(verified.audit_mode),
        "method": str(verified.method),
        "units": verified.n_units,
        "verified": verified.n_verified,
        "statuses": [str(one.status) for one in verified.claims],
        "label": verified.display,
        "violations": [[str(violation), claim] for violation, claim in verified.violations],
    }
    return {
        Stage.EVIDENCE_MAP: {"objects": objects},
        Stage.RAW_ANSWER: {"text": pack_text(answer)},
        Stage.PARSED_CLAIMS: {"claims": parsed},
        Stage.RENDER: {"text": pack_text(render_lattice(verified))},
    }, audit


def record_names(evidence: Iterable[Evidence]) -> dict[str, str]:
    """What a record calls pieces that are named by their content.

    Such an id is a hash of the text: a guess could be confirmed with a stage that has it, shown
    alone or left behind after the text was erased. A record counts the pieces instead.
    """
    pieces = list({piece.id: piece for piece in evidence}.values())
    taken = {piece.id for piece in pieces}
    free = (name for number in count(1) if (name := f"e#{number}") not in taken)
    return {piece.id: next(free) for piece in pieces if piece.id == "e" + piece.digest}


def renamed(value: Value, names: Mapping[str, str]) -> Value:
    """The same document with these ids replaced wherever one stands as a whole text."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list | tuple):
        return [renamed(item, names) for item in value]
    if isinstance(value, Mapping):
        return {key: renamed(item, names) for key, item in value.items()}
    return value


def recorded(piece: Evidence) -> Value:
    """What a record says of a piece of evidence beside its text: nothing computed from the text."""
    full = listed(piece)
    assert isinstance(full, dict)
    return {key: value for key, value in full.items() if key not in _HASHES}


def listed(piece: Evidence) -> Value:
    """Everything about a piece of evidence but its text."""
    full = plain(piece)
    assert isinstance(full, dict)
    return {key: value for key, value in full.items() if key not in _NOT_IN_LIST}
