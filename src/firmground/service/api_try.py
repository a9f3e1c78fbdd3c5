"""Endpoints that try things out and record nothing: checks, policies on past runs, curves."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from firmground.adapters.document import request_from_value
from firmground.calibrate import (
    LabelledScore,
    area_under,
    calibration_error,
    reliability,
    risk_coverage,
)
from firmground.core.decision import Decision
from firmground.decide import POLICIES, Policy, decide
from firmground.engine import Overrides
from firmground.engine.judges import JUDGES
from firmground.engine.rejudging import Rejudged, rejudge, stricter, tally
from firmground.engine.result import Result
from firmground.errors import InputError
from firmground.pipeline.check import check as run_check
from firmground.service.api_log import ledger_of, whole_number
from firmground.service.api_runs import json_response
from firmground.service.bodies import parsed, read_body
from firmground.service.problems import HttpProblem
from firmground.service.run_search import Filters, find_runs
from firmground.service.runtime import Service, service_of
from firmground.service.wire import CurvesBody, TryBody

_MOST_REPLAYED = 1000
_SHOWN_CHANGES = 100


def known_policies(service: Service) -> dict[str, Policy]:
    """The service's own policy first, then the others by name."""
    own = service.engine.policy
    return {own.name: own} | {n: p for n, p in sorted(POLICIES.items()) if n != own.name}


async def try_check(request: Request) -> Response:
    """Check one answer under every policy and record nothing."""
    result, decisions = await tried(request)
    policies = {name: decision_document(one) for name, one in decisions.items()}
    return json_response({**result.to_dict(), "policies": policies})


async def tried(request: Request) -> tuple[Result, dict[str, Decision]]:
    """The result under the service's policy, and the decision under each policy."""
    service = service_of(request)
    body = parsed(TryBody, (await read_body(request, service.settings.limits)).value)
    row = body.model_dump(exclude={"judge"})
    given = request_from_value(row, "body")
    if body.judge and body.judge not in JUDGES:
        known = ", ".join(JUDGES)
        raise HttpProblem(
            "invalid", f"judge: there is no {body.judge!r}; known: {known}", field="judge"
        )
    over = Overrides(judge=body.judge or None)
    async with service.admitted(request.state.principal):
        plan = await asyncio.to_thread(service.engine.plan, over)
        outcome = await run_check(given, plan, seconds=service.settings.limits.seconds)
    decisions = {
        name: decide(outcome.findings, policy) for name, policy in known_policies(service).items()
    }
    return Result.of(outcome), decisions


def decision_document(decision: Decision) -> dict[str, Any]:
    """A decision as JSON."""
    return {
        "decision": decision.step.label,
        "verdict": str(decision.verdict),
        "objections": [{"rule": o.rule, "reason": o.reason} for o in decision.objections],
        "waived": [o.rule for o in decision.waived],
    }


async def replay_policy(request: Request) -> Response:
    """What a policy would have done to the last runs; no model is called."""
    return json_response(await replayed(request, request.path_params["policy"]))


async def replayed(request: Request, name: str) -> dict[str, Any]:
    """How many of the last runs go from which decision to which, and those that change."""
    service = service_of(request)
    policies = known_policies(service)
    if name not in policies:
        raise HttpProblem("not_found", f"there is no policy {name!r}")
    last = max(1, whole_number(request, "last", 200, _MOST_REPLAYED))
    log = ledger_of(service)

    def work() -> dict[str, Any]:
        service.index.follow(log, batches=4)
        rows = _last_runs(service, last)
        judged = [rejudge(log.run(row["run"]), policies[name]) for row in rows]
        questions = {row["run"]: row["question"] or row["answer"] for row in rows}
        changed = [one for one in judged if one.changed]
        moves = [{"from": a, "to": b, "runs": n} for (a, b), n in tally(judged).items()]
        return {
            "policy": name,
            "runs": len(judged),
            "changed": len(changed),
            "stricter": sum(stricter(one) is True for one in changed),
            "milder": sum(stricter(one) is False for one in changed),
            "could_not_judge": sum(one.decision is None for one in judged),
            "moves": moves,
            "changes": [_change(one, questions) for one in changed[:_SHOWN_CHANGES]],
        }

    return await asyncio.to_thread(work)


def _last_runs(service: Service, last: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    before = 1 << 53
    while len(found) < last:
        page = find_runs(service.index, Filters(), before=before, limit=min(200, last - len(found)))
        found += page["runs"]
        if page["next"] is None:
            break
        before = page["next"]
    return found


def _change(one: Rejudged, questions: dict[str, str]) -> dict[str, Any]:
    decision = one.decision
    reasons = decision.objections if decision else ()
    return {
        "run": one.run_id,
        "question": questions.get(one.run_id, ""),
        "from": one.recorded,
        "to": decision.step.label if decision else "",
        "reason": reasons[0].reason if reasons else "no rule objects",
    }


async def calibration_curves(request: Request) -> Response:
    """Risk-coverage and reliability curves of labelled scores."""
    return json_response(await curves(request))


async def curves(request: Request) -> dict[str, Any]:
    """The curves of the rows in the body."""
    service = service_of(request)
    body = parsed(CurvesBody, (await read_body(request, service.settings.limits)).value)
    try:
        labelled = [LabelledScore(risk=row.risk, wrong=row.wrong) for row in body.rows]
    except InputError as error:
        raise HttpProblem("invalid", str(error), field="rows") from None
    points, bins = risk_coverage(labelled), reliability(labelled)
    return {
        "rows": len(labelled),
        "wrong": sum(one.wrong for one in labelled),
        "area_under_risk_coverage": area_under(points),
        "calibration_error": calibration_error(bins),
        "risk_coverage": [asdict(point) for point in points],
        "reliability": [asdict(one) for one in bins],
    }
