"""The playground: check an answer under every policy, with nothing recorded."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from firmground.adapters.document import request_from_value
from firmground.core.run import AttemptReason
from firmground.engine.judges import JUDGES
from firmground.examples import example_names, example_text
from firmground.pipeline.outcome import CheckOutcome
from firmground.service.api_try import tried
from firmground.service.auth import KeyScope
from firmground.service.console.pages import page, render
from firmground.service.console.run import answer_parts, standings
from firmground.service.problems import HttpProblem
from firmground.service.recorded import RecordedAttempt
from firmground.service.runtime import service_of
from firmground.service.sessions import TOKEN_HEADER

SEPARATOR = "---"
"""A line that parts pieces of evidence in the text field."""


@page(KeyScope.CHECK)
async def playground_page(request: Request) -> Response:
    """The form, with an example to begin with."""
    examples = [json.loads(example_text(name)) for name in example_names()]
    chosen = request.query_params.get("example", examples[0]["id"])
    first = next((one for one in examples if one["id"] == chosen), examples[0])
    return render(
        request,
        "playground.html",
        examples=[(one["id"], one["title"]) for one in examples],
        chosen=first["id"],
        about=first["about"],
        question=first.get("question", ""),
        answer=first["answer"],
        evidence=f"\n{SEPARATOR}\n".join(_texts(first)),
        judges=JUDGES,
    )


def _texts(example: dict[str, Any]) -> list[str]:
    """The texts of an example's evidence, records written out as they are judged."""
    row = {name: example[name] for name in ("answer", "evidence")}
    return [piece.text for piece in request_from_value(row, "example").evidence]


@page(KeyScope.CHECK)
async def playground_result(request: Request) -> Response:
    """The part of the page that shows a result; scripts exchange it for the one before."""
    if request.headers.get(TOKEN_HEADER) != request.state.session.token:
        raise HttpProblem("bad_token")
    service_of(request).admission.count(request.state.principal)
    result, decisions = await tried(request)
    shown = _attempt(result)
    return render(
        request,
        "playground_result.html",
        decisions=decisions,
        answer_parts=answer_parts(shown),
        standings=standings(shown),
        support=result.support,
        risk=result.risk,
    )


def _attempt(outcome: CheckOutcome) -> RecordedAttempt:
    return RecordedAttempt(
        number=0,
        kind=AttemptReason.FIRST,
        answer=outcome.request.answer,
        evidence=outcome.request.evidence,
        findings=outcome.findings,
        decision=outcome.decision,
    )
