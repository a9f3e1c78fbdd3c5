"""The queue of cases that wait for a person, and one of them to rule on."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from firmground.service.api_escalations import etag, queue
from firmground.service.api_log import ledger_of
from firmground.service.auth import KeyScope
from firmground.service.console.pages import page, render
from firmground.service.console.run import run_values
from firmground.service.runtime import Service, service_of

_ORDER = {"high": 0, "medium": 1, "low": 2}
_MOST_CASES = 100


@page(KeyScope.READ)
async def escalations_page(request: Request) -> Response:
    """Open cases, the most urgent and oldest first; ``case`` in the address opens one."""
    service = service_of(request)
    settled = request.query_params.get("show") == "settled"
    found = await asyncio.to_thread(
        lambda: queue(service, limit=_MOST_CASES, only_open=not settled)
    )
    cases = [case for case in found["escalations"] if (case["ruling"] is not None) == settled]
    if not settled:
        cases.sort(key=lambda case: (_ORDER[case["priority"]], case["seq"]))
    wanted = request.query_params.get("case") or (cases[0]["run"] if cases else "")
    values: dict[str, Any] = {
        "cases": cases,
        "settled": settled,
        "case": wanted,
        "more": found["next"],
    }
    if wanted:
        log = ledger_of(service)
        values |= await asyncio.to_thread(lambda: _case(service, log, wanted))
    return render(request, "escalations.html", **values)


def _case(service: Service, log: Any, run: str) -> dict[str, Any]:
    values = run_values(service, log.run(run))
    case = values["recorded"].escalated[-1].case if values["recorded"].escalated else None
    return {**values, "put": case, "etag": etag(values["ruling"])}
