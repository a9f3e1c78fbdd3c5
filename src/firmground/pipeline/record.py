"""Every arrow of a check becomes a node, so that the run can be re-checked later."""

from __future__ import annotations

from firmground.core.canon import Value, canonical, pack_text
from firmground.core.decision import Decision
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings
from firmground.core.run import Attempt, Node, Run, Shape, Stage
from firmground.pipeline.plain import plain
from firmground.pipeline.request import Request

LARGEST_PAYLOAD = 512 << 20
_NOT_IN_LIST = frozenset({"text", "origin_runs"})


def record_check(request: Request, findings: Findings, decision: Decision, judge: str) -> Run:
    """Return the run of a check whose answer was given rather than asked for."""
    evidence = [listed(piece) for piece in request.evidence]
    texts: list[Value] = [pack_text(piece.text) for piece in request.evidence]
    payloads: dict[Stage, Value] = {
        Stage.QUESTION: {"given": "answer", "question": plain(request.question)},
        Stage.RETRIEVAL: {"given": True, "evidence": evidence},
        Stage.CONTEXT: {"texts": texts},
        Stage.PROMPT: {"known": False},
        Stage.ANSWER: {"text": pack_text(request.answer)},
        Stage.VERIFY: {"judge": judge, "findings": plain(findings)},
        Stage.FINAL_LABEL: {"decision": plain(decision)},
    }
    nodes = tuple(
        Node(stage=stage, attempt=0, payload=canonical(payload, max_bytes=LARGEST_PAYLOAD))
        for stage, payload in payloads.items()
    )
    return Run(shape=Shape.QUOTE, preflight=False, attempts=(Attempt.FIRST,), nodes=nodes)


def listed(piece: Evidence) -> Value:
    """Everything about a piece of evidence but its text."""
    full = plain(piece)
    assert isinstance(full, dict)
    return {key: value for key, value in full.items() if key not in _NOT_IN_LIST}
