"""Policies in words, how they differ, what they would have done, and curves of labelled scores."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from firmground.engine.policy_words import policy_document, rule_changes
from firmground.service.api_try import curves, known_policies, replayed
from firmground.service.auth import KeyScope
from firmground.service.console.charts import line_chart
from firmground.service.console.pages import page, render
from firmground.service.problems import HttpProblem
from firmground.service.runtime import service_of
from firmground.service.sessions import TOKEN_HEADER


@page(KeyScope.READ)
async def policies_page(request: Request) -> Response:
    """One policy in words, beside another if the address names one."""
    policies = known_policies(service_of(request))
    own = next(iter(policies))
    name, other = request.query_params.get("policy", own), request.query_params.get("other", "")
    for given in (name, other or own):
        if given not in policies:
            raise HttpProblem("not_found", f"there is no policy {given!r}")
    changes = rule_changes(policies[name], policies[other]) if other and other != name else []
    replay = await replayed(request, name) if "last" in request.query_params else None
    return render(
        request,
        "policies.html",
        policies=list(policies),
        own=own,
        name=name,
        other=other,
        document=policy_document(policies[name]),
        changes=changes,
        replay=replay,
        last=request.query_params.get("last", "200"),
    )


@page(KeyScope.READ)
async def curves_result(request: Request) -> Response:
    """The part of the page that shows the curves of a labelled file."""
    if request.headers.get(TOKEN_HEADER) != request.state.session.token:
        raise HttpProblem("bad_token")
    found = await curves(request)
    risk = [(one["coverage"], one["error"]) for one in found["risk_coverage"]]
    sure = [(one["predicted"], one["observed"]) for one in found["reliability"]]
    return render(
        request,
        "curves.html",
        found=found,
        risk=line_chart("Share of wrong answers among those accepted", risk, ideal=False),
        reliability=line_chart("Predicted risk against observed errors", sure, ideal=True),
    )
