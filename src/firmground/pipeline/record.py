"""The record of a check: every stage becomes a node, so that the run can be verified later."""

from __future__ import annotations

from dataclasses import replace

from firmground.claims import (
    build_evidence_map,
    json_claims,
    pointer_claims,
    render_lattice,
    verify_json_answer,
    verify_pointer_answer,
)
from firmground.core.canon import Value, canonical, pack_text, plain
from firmground.core.decision import Decision
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings
from firmground.core.localize import failure_stage
from firmground.core.run import Attempt, Node, Run, Shape, Stage, stage_plan
from firmground.pipeline.request import Mode, Request

LARGEST_PAYLOAD = 512 << 20
_NOT_IN_LIST = frozenset({"text", "origin_runs"})


def record_check(request: Request, findings: Findings, decision: Decision, judge: str) -> Run:
    """Return the run of a check whose answer was given rather than asked for."""
    pointing = request.mode in (Mode.POINTER, Mode.JSON)
    payloads = _lattice(request) if pointing else _plain_answer(request)
    payloads |= {
        Stage.QUESTION: {"given": "answer", "question": plain(request.question)},
        Stage.RETRIEVAL: {"given": True, "evidence": [listed(p) for p in request.evidence]},
        Stage.PROMPT: {"known": False},
        Stage.VERIFY: {"judge": judge, "findings": plain(repeatable(findings))},
        Stage.FINAL_LABEL: {
            "decision": plain(decision),
            "failure_stage": failure_stage(findings, decision, evidence=len(request.evidence)),
        },
    }
    shape = Shape.POINTER if pointing else Shape.QUOTE
    nodes = tuple(
        Node(
            stage=planned.stage,
            attempt=0,
            payload=canonical(payloads[planned.stage], max_bytes=LARGEST_PAYLOAD),
        )
        for planned in stage_plan(shape=shape, preflight=False)
    )
    return Run(shape=shape, preflight=False, attempts=(Attempt.FIRST,), nodes=nodes)


def repeatable(findings: Findings) -> Findings:
    """Findings without what differs from run to run: time, duration, price."""
    models = tuple(
        replace(used, cost=None, claims=tuple(replace(one, cost=None) for one in used.claims))
        for used in findings.models
    )
    hooks = tuple(replace(reply, at="") for reply in findings.hooks)
    spent = replace(findings.spent, seconds=0.0)
    return replace(findings, spent=spent, models=models, hooks=hooks)


def _plain_answer(request: Request) -> dict[Stage, Value]:
    return {
        Stage.CONTEXT: {"texts": [pack_text(piece.text) for piece in request.evidence]},
        Stage.ANSWER: {"text": pack_text(request.answer)},
    }


def _lattice(request: Request) -> dict[Stage, Value]:
    """The stages of an answer that points: what it pointed into, what it said, how it is shown."""
    asked = request.question.text if request.question else ""
    evidence_map = build_evidence_map(request.evidence, asked)
    objects: list[Value] = [
        {"pointer": one.pointer_id, "evidence": one.evidence_id, "text": pack_text(one.span)}
        for one in evidence_map.objects
    ]
    if request.mode is Mode.JSON:
        parsed = plain(json_claims(request.answer))
        verified = verify_json_answer(request.answer, request.evidence, asked)
    else:
        parsed = plain(pointer_claims(request.answer))
        verified = verify_pointer_answer(request.answer, request.evidence, asked)
    return {
        Stage.EVIDENCE_MAP: {"objects": objects},
        Stage.RAW_ANSWER: {"text": pack_text(request.answer)},
        Stage.PARSED_CLAIMS: {"claims": parsed},
        Stage.RENDER: {"text": pack_text(render_lattice(verified))},
    }


def listed(piece: Evidence) -> Value:
    """Everything about a piece of evidence but its text."""
    full = plain(piece)
    assert isinstance(full, dict)
    return {key: value for key, value in full.items() if key not in _NOT_IN_LIST}
