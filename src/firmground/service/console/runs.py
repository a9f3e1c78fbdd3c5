"""The list of runs."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from firmground.service.api_runs import runs_page
from firmground.service.auth import KeyScope
from firmground.service.console.pages import address, page, render
from firmground.service.run_search import Filters, facet_values
from firmground.service.runtime import service_of

_SELECTS = (
    ("verdict", "Verdict"),
    ("decision", "Decision"),
    ("policy", "Policy"),
    ("model", "Model"),
    ("code", "Reason"),
    ("label", "Label"),
)


@page(KeyScope.READ)
async def runs_list(request: Request) -> Response:
    """Runs, newest first, for the filters in the address."""
    found = await runs_page(request)
    filters = Filters.of(request.query_params)
    facets = await asyncio.to_thread(facet_values, service_of(request).index)
    given = filters.parameters()
    before = request.query_params.get("before", "")
    return render(
        request,
        "runs.html",
        runs=found["runs"],
        behind=found["behind"],
        older=address("/runs", **given, before=found["next"]) if found["next"] else "",
        newest=address("/runs", **given) if before else "",
        given=given,
        chips=[
            (name, value, address("/runs", **{k: v for k, v in given.items() if k != name}))
            for name, value in given.items()
        ],
        selects=[(name, title, facets[name]) for name, title in _SELECTS],
        total=sum(value["runs"] for value in facets["shape"]),
    )
