"""The overview: verdicts, reasons and latency over time, and the health of the log."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from firmground.service.api_access import health
from firmground.service.api_runs import overview_document
from firmground.service.auth import KeyScope
from firmground.service.console.charts import latency_chart, verdict_chart
from firmground.service.console.pages import page, render
from firmground.service.runtime import service_of

SPANS = ((24, "24 hours"), (72, "3 days"), (168, "7 days"), (720, "30 days"))


@page(KeyScope.READ)
async def overview_page(request: Request) -> Response:
    """Figures over a span of time."""
    found = await overview_document(request)
    state = await asyncio.to_thread(health, service_of(request))
    series = found["series"]
    return render(
        request,
        "overview.html",
        found=found,
        spans=SPANS,
        health=state,
        verdicts=verdict_chart(series) if series else None,
        latency=latency_chart(series) if series else None,
        most=max((one["runs"] for one in found["codes"]), default=1),
        most_rules=max((one["runs"] for one in found["rules"]), default=1),
    )
