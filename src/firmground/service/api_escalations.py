"""Endpoints over cases that were left to a person: the queue, rulings, and who waits for them."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from firmground.core.escalation import Choice, Ruling
from firmground.engine.documents import run_document
from firmground.service.api_log import ledger_of, whole_number
from firmground.service.api_runs import json_response
from firmground.service.auth import KeyScope, Principal
from firmground.service.bodies import parsed, read_body
from firmground.service.problems import HttpProblem
from firmground.service.recorded import read_recorded
from firmground.service.run_search import Filters, find_runs
from firmground.service.runtime import Service, service_of
from firmground.service.wire import RulingBody

_MOST_ROWS = 200
_MOST_LOOKED_AT = 5_000
_MOST_WAIT = 60
_POLL_SECONDS = 0.25
_END = 1 << 53
_HIGH = frozenset({"contradiction", "critical_claim_unsupported", "faults"})
_OWNERS = """
CREATE TABLE IF NOT EXISTS case_owner (run TEXT PRIMARY KEY, key_id TEXT NOT NULL) STRICT;
"""


def queue(
    service: Service, *, limit: int = 50, before: int = _END, only_open: bool = False
) -> dict[str, Any]:
    """Escalated runs, newest first, each with its ruling, priority and age."""
    service.index.follow(ledger_of_service(service), batches=4)
    filters = Filters(facets={"label": "outcome=escalate"})
    found: list[dict[str, Any]] = []
    looked = 0
    while looked < _MOST_LOOKED_AT:
        page = find_runs(service.index, filters, before=before, limit=_MOST_ROWS)
        for row in page["runs"]:
            before, looked = row["seq"], looked + 1
            ruling = ruling_of(service, row["run"])
            if ruling is None or not only_open:
                found.append({**row, "ruling": ruling, "priority": priority(row)})
            if len(found) == limit:
                return {"escalations": found, "next": before}
        if page["next"] is None:
            return {"escalations": found, "next": None}
    return {"escalations": found, "next": before}


def ledger_of_service(service: Service) -> Any:
    """The ledger of the service, or a problem when it keeps none."""
    if service.engine.ledger is None:
        raise HttpProblem("not_configured", "the service keeps no ledger")
    return service.engine.ledger


def priority(row: dict[str, Any]) -> str:
    """``high`` when facts conflict or a check failed, ``medium`` when claims fall, or ``low``."""
    if _HIGH & set(row["facets"].get("rule", ())):
        return "high"
    return "medium" if row["failing"] or "hooks" in row["facets"].get("rule", ()) else "low"


def ruling_of(service: Service, run: str) -> dict[str, Any] | None:
    """Who ruled on a case, with the name of their key; None while it is open."""
    ruling = service.state.ruling(run)
    if ruling is not None:
        key = service.state.key(ruling["key"])
        ruling["name"] = "" if key is None else key.name
    return ruling


async def list_escalations(request: Request) -> Response:
    """List runs that were left to a person, newest first, with the ruling if there is one."""
    service = service_of(request)
    limit = max(1, whole_number(request, "limit", 50, _MOST_ROWS))
    before = whole_number(request, "before", _END, _END)
    only_open = request.query_params.get("open") == "1"
    return json_response(
        await asyncio.to_thread(
            lambda: queue(service, limit=limit, before=before, only_open=only_open)
        )
    )


async def escalated(request: Request) -> tuple[Any, dict[str, Any] | None]:
    """The run of a case and its ruling; a problem when it was not left to a person."""
    service, run = service_of(request), request.path_params["run"]
    log = ledger_of(service)
    stored = await asyncio.to_thread(lambda: log.run(run))
    if dict(stored.body.label).get("outcome") != "escalate":
        raise HttpProblem("not_found", f"run {run} was not left to a person")
    return stored, await asyncio.to_thread(ruling_of, service, run)


async def show_escalation(request: Request) -> Response:
    """Show one escalated run; its ETag is needed to rule on it."""
    stored, ruling = await escalated(request)
    return json_response({**run_document(stored), "ruling": ruling}, ETag=etag(ruling))


def etag(ruling: dict[str, Any] | None) -> str:
    """The version of a case, which a ruling must name."""
    return '"open"' if ruling is None else f'"ruled-{ruling["at"]}"'


async def rule_on(request: Request) -> Response:
    """Rule on an escalated run; the second of two reviewers gets 412 or 409."""
    service, run = service_of(request), request.path_params["run"]
    body = parsed(RulingBody, (await read_body(request, service.settings.limits)).value)
    _, ruling = await escalated(request)
    stated = request.headers.get("if-match")
    if stated is None:
        raise HttpProblem("needs_version")
    if stated != etag(ruling):
        raise HttpProblem("stale", "another person has ruled on it", ruling=ruling)
    if ruling is not None:
        raise HttpProblem("conflict", "the case is settled", ruling=ruling)
    return json_response(await service.own(_settle(service, run, body, request.state.principal)))


async def _settle(
    service: Service, run: str, body: RulingBody, principal: Principal
) -> dict[str, Any]:
    state = service.state
    who = f"{principal.name} (key {principal.key_id})"
    ruling = Ruling(choice=Choice(body.choice), note=body.note, by=who, answer=body.answer)
    taken = await asyncio.to_thread(
        lambda: state.rule(run, key_id=principal.key_id, choice=body.choice)
    )
    if not taken:
        made = ruling_of(service, run)
        raise HttpProblem("conflict", "another person has ruled on it", ruling=made)
    try:
        settled = await service.engine.aresume(run, ruling)
    except BaseException:
        await asyncio.to_thread(state.settle, run, None)
        raise
    await asyncio.to_thread(state.settle, run, settled.run_id)
    service.sessions.note(principal, f"ruling: {body.choice}", run)
    return settled.to_dict()


def note_owner(service: Service, run: str, key_id: str) -> None:
    """Keep which key asked a question that was left to a person; it may fetch the answer."""
    service.state.execute(_OWNERS)
    service.state.execute("INSERT OR IGNORE INTO case_owner VALUES (?,?)", (run, key_id))


def _require_owner(service: Service, run: str, principal: Principal) -> None:
    if principal.may(KeyScope.READ):
        return
    service.state.execute(_OWNERS)
    found = service.state.execute("SELECT key_id FROM case_owner WHERE run = ?", (run,))
    if not found or found[0][0] != principal.key_id:
        raise HttpProblem("not_found", f"this key has asked no question that waits as run {run}")


async def ruled_answer(request: Request) -> Response:
    """The answer that a person released, for the application that asked; waits up to ``wait`` s."""
    service, run = service_of(request), request.path_params["run"]
    await asyncio.to_thread(_require_owner, service, run, request.state.principal)
    wait = whole_number(request, "wait", 0, _MOST_WAIT)
    _, ruling = await escalated(request)
    until = time.monotonic() + wait
    while (ruling is None or ruling["run"] is None) and time.monotonic() < until:
        if service.stopping.is_set():
            break
        await asyncio.sleep(_POLL_SECONDS)
        ruling = await asyncio.to_thread(ruling_of, service, run)
    if ruling is None or ruling["run"] is None:
        return json_response({"run": run, "state": "waiting", "answer": None})
    log = ledger_of(service)
    recorded = await asyncio.to_thread(lambda: read_recorded(log.run(ruling["run"])))
    released = ruling["choice"] != "abort"
    shown = recorded.shown
    return json_response(
        {
            "run": run,
            "state": "released" if released else "withheld",
            "answer": shown.answer if released and shown else None,
            "ruling": ruling,
        }
    )
