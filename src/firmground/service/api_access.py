"""Endpoints about sessions, the trail of actions, and the health of the log."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from firmground.ledger import checkpoint as checkpoints
from firmground.service.api_log import ledger_of, whole_number
from firmground.service.api_runs import json_response
from firmground.service.problems import HttpProblem
from firmground.service.runtime import Service, service_of


async def list_sessions(request: Request) -> Response:
    """List the sessions of people who are signed in, without their secrets."""
    found = await asyncio.to_thread(service_of(request).sessions.listed)
    return json_response({"sessions": found})


async def end_session(request: Request) -> Response:
    """End a session."""
    service, number = service_of(request), request.path_params["session"]
    if not await asyncio.to_thread(service.sessions.end, number):
        raise HttpProblem("not_found", f"there is no session {number}")
    service.sessions.note(request.state.principal, "end session", number)
    return json_response({"ended": number})


async def list_actions(request: Request) -> Response:
    """What people did in the console and with keys, newest first."""
    limit = max(1, whole_number(request, "limit", 50, 200))
    before = whole_number(request, "before", 1 << 53, 1 << 53)
    sessions = service_of(request).sessions
    rows = await asyncio.to_thread(lambda: sessions.actions(before=before, limit=limit))
    following = rows[-1]["number"] if len(rows) == limit else None
    return json_response({"actions": rows, "next": following})


async def log_health(request: Request) -> Response:
    """How far the log is signed and witnessed, and when it was audited last."""
    service = service_of(request)
    ledger_of(service)
    return json_response(await asyncio.to_thread(health, service))


def health(service: Service) -> dict[str, Any]:
    """The state of the log for the overview."""
    log = service.engine.ledger
    assert log is not None
    size, newest = log.size(), log.newest_checkpoint()
    covered = 0 if newest is None else newest.size
    witnesses = 0
    if newest is not None:
        head, note = checkpoints.parse(newest.note)
        witnesses = sum(line.name != head.origin for line in note.signatures)
    audit = service.state.execute(
        "SELECT at, name, detail FROM action WHERE what = 'audit' ORDER BY number DESC LIMIT 1"
    )
    return {
        "size": size,
        "signed": covered,
        "unsigned": size - covered,
        "unsigned_since": log.entry(covered).ts if covered < size else None,
        "witnesses": witnesses,
        "trouble": None if log.trouble is None else str(log.trouble),
        "audit": dict(zip(("at", "by", "found"), audit[0], strict=True)) if audit else None,
    }
