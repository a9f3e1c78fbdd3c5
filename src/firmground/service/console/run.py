"""The page about one run."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from firmground.adapters.report_html import pieces
from firmground.core.merkle import leaf_hash
from firmground.decide import POLICIES
from firmground.ledger.log import StoredRun
from firmground.pipeline.serialize import hooks_list
from firmground.service.api_escalations import ruling_of
from firmground.service.api_log import ledger_of
from firmground.service.auth import KeyScope
from firmground.service.console.pages import page, render
from firmground.service.recorded import RecordedAttempt, read_recorded
from firmground.service.runtime import Service, service_of

_PREVIEW = 3_000


@page(KeyScope.READ)
async def run_page(request: Request) -> Response:
    """Answer and evidence side by side, why it was decided so, and the proof."""
    service, run = service_of(request), request.path_params["run"]
    log = ledger_of(service)
    stored = await asyncio.to_thread(log.run, run)
    attempt = request.query_params.get("attempt", "")
    values = await asyncio.to_thread(run_values, service, stored, attempt)
    return render(request, "run.html", **values)


def run_values(service: Service, stored: StoredRun, attempt: str = "") -> dict[str, Any]:
    """Everything that the template shows about a run."""
    recorded = read_recorded(stored)
    label = dict(stored.body.label)
    number = int(attempt) if attempt.isdecimal() and len(attempt) < 4 else recorded.best
    tried = recorded.attempts[number] if number < len(recorded.attempts) else recorded.shown
    findings = tried.findings if tried else None
    ruling = ruling_of(service, stored.body.run)
    return {
        "run": stored.body.run,
        "seq": stored.row.seq,
        "time": stored.entry.ts,
        "label": label,
        "shape": str(stored.body.shape),
        "root": stored.body.root.hex(),
        "entry_hash": stored.row.hash.hex(),
        "recorded": recorded,
        "tried": tried,
        "decision": recorded.decision,
        "findings": findings,
        "hooks": hooks_list(findings) if findings else [],
        "answer_parts": answer_parts(tried),
        "standings": standings(tried),
        "stages": [_stage(stored, number) for number in range(len(stored.stages))],
        "erased": sum(kept.payload is None for kept in stored.stages),
        "policies": sorted({*POLICIES, service.engine.policy.name}),
        "keys": log_keys(service),
        "ruling": ruling,
        "milliseconds": _milliseconds(service, stored.row.seq),
    }


def _milliseconds(service: Service, seq: int) -> int | None:
    found = service.index.query("SELECT milliseconds FROM run WHERE seq = ?", (seq,))
    return found[0][0] if found else None


def log_keys(service: Service) -> list[str]:
    """The verifier keys of the log, as this server states them."""
    log = service.engine.ledger
    signer = None if log is None else log.signer
    return [] if signer is None else [str(signer.verifier)]


def answer_parts(tried: RecordedAttempt | None) -> dict[str, Markup] | None:
    """The answer, its claims and its evidence as HTML; None when there is no answer."""
    if tried is None or tried.answer is None:
        return None
    assessments = tried.findings.assessments if tried.findings else ()
    known = {piece.id for piece in tried.evidence}
    usable = all(span.evidence_id in known for one in assessments for span in one.evidence)
    assessments = assessments if usable else ()
    made = {
        "answer": pieces.answer_html(tried.answer, assessments),
        "cards": pieces.cards_html(assessments, tried.evidence),
        "evidence": pieces.evidence_html(tried.evidence, assessments),
    }
    # pieces escapes every text that it is given.
    return {name: Markup("\n".join(html)) for name, html in made.items()}  # noqa: S704


def standings(tried: RecordedAttempt | None) -> list[tuple[str, str, str, int]]:
    """(standing, sign, words, number) for the buttons that show claims of one standing."""
    found = [
        one.standing for one in (tried.findings.assessments if tried and tried.findings else ())
    ]
    return [
        (str(standing), pieces.SIGNS[standing], pieces.words(standing), found.count(standing))
        for standing in pieces.HARSHEST_FIRST
        if standing in found
    ]


def _stage(stored: StoredRun, number: int) -> dict[str, Any]:
    kept = stored.stages[number]
    text = None if kept.payload is None else _readable(kept.payload)
    return {
        "ord": kept.ordinal,
        "stage": str(kept.planned.stage),
        "attempt": kept.planned.attempt,
        "parents": kept.planned.parents,
        "commit": kept.commit.hex(),
        "leaf": leaf_hash(stored.leaves[number]).hex(),
        "bytes": None if kept.payload is None else len(kept.payload),
        "text": text,
    }


def _readable(payload: bytes) -> str:
    """The beginning of a payload, indented where it is JSON."""
    if len(payload) > 1 << 18:
        return payload[:_PREVIEW].decode("utf-8", "replace") + "…"
    try:
        text = orjson.dumps(orjson.loads(payload), option=orjson.OPT_INDENT_2).decode()
    except orjson.JSONDecodeError:
        text = payload.decode("utf-8", "replace")
    return text if len(text) <= _PREVIEW else text[:_PREVIEW] + "…"
