"""Endpoints over the index of runs: lists, search, facets, live events, figures, reports."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from firmground.adapters.report_html import report_html
from firmground.ledger.ids import time_text, utc_now
from firmground.service.api_log import ledger_of, whole_number
from firmground.service.recorded import recorded_outcome
from firmground.service.run_search import MOST_ROWS, Filters, facet_values, figures, find_runs
from firmground.service.runtime import service_of

_END = 1 << 53
_CATCH_UP = 4
_MOST_HOURS = 24 * 400


def json_response(document: object, **headers: str) -> Response:
    """A JSON response."""
    return Response(orjson.dumps(document), media_type="application/json", headers=headers)


async def runs_page(request: Request) -> dict[str, Any]:
    """One page of runs for the filters in the address."""
    service = service_of(request)
    log = ledger_of(service)
    filters = Filters.of(request.query_params)
    limit = max(1, whole_number(request, "limit", 50, MOST_ROWS))
    before = whole_number(request, "before", _END, _END)

    def work() -> dict[str, Any]:
        behind = service.index.follow(log, batches=_CATCH_UP)
        page = find_runs(service.index, filters, before=before, limit=limit)
        return {"runs": [_row(row) for row in page["runs"]], "next": page["next"], "behind": behind}

    return await asyncio.to_thread(work)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    facets = row["facets"]
    label = dict(pair.split("=", 1) for pair in facets.get("label", ()))
    label |= {name: facets[name][0] for name in ("verdict", "decision") if name in facets}
    return {**row, "label": label, "shape": facets.get("shape", [""])[0]}


async def list_runs(request: Request) -> Response:
    """List runs, newest first; ``next`` is the value of ``before`` for the next page."""
    return json_response(await runs_page(request))


async def list_facets(request: Request) -> Response:
    """The values by which runs can be filtered, with how many runs have each."""
    index = service_of(request).index
    return json_response(await asyncio.to_thread(facet_values, index))


async def overview(request: Request) -> Response:
    """Figures over the last ``hours``: verdicts, reasons, latency, model calls; by hour or day."""
    return json_response(await overview_document(request))


async def overview_document(request: Request) -> dict[str, Any]:
    """The figures of the overview, and the health of the log."""
    service = service_of(request)
    log = ledger_of(service)
    hours = max(1, whole_number(request, "hours", 24, _MOST_HOURS))
    now = utc_now()
    since = time_text(now - timedelta(hours=hours - 1))[:13]

    def work() -> dict[str, Any]:
        behind = service.index.follow(log, batches=_CATCH_UP)
        step = 13 if hours <= 72 else 10
        found = figures(service.index, since=since, until=time_text(now)[:13], step=step)
        return {"hours": hours, **found, "behind": behind}

    return await asyncio.to_thread(work)


async def run_report(request: Request) -> Response:
    """One run as a self-contained HTML page."""
    service, run = service_of(request), request.path_params["run"]
    log = ledger_of(service)
    outcome = await asyncio.to_thread(lambda: recorded_outcome(log.run(run)))
    service.sessions.note(request.state.principal, "report", run)
    page = await asyncio.to_thread(report_html, outcome)
    headers = {
        "Content-Disposition": f'attachment; filename="{run}.html"',
        "Content-Security-Policy": "sandbox allow-scripts",
    }
    return Response(page, media_type="text/html", headers=headers)
