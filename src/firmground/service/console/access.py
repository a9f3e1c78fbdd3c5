"""Keys, sessions and the trail of actions."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from firmground.ledger.ids import time_text, utc_now
from firmground.service.api_keys import key_document
from firmground.service.auth import KeyScope
from firmground.service.console.pages import page, render
from firmground.service.runtime import service_of

_ROLES = (
    ("application", "checks answers and uses the proxy"),
    ("viewer", "reads runs, proofs and policies"),
    ("reviewer", "reads, and rules on escalations"),
    ("admin", "everything, keys and erasure included"),
)
_SHOWN_ACTIONS = 50


@page(KeyScope.ADMIN)
async def access_page(request: Request) -> Response:
    """Who may do what, who is signed in, and what was done."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        return {
            "keys": [key_document(key) for key in reversed(service.state.keys())],
            "sessions": service.sessions.listed(),
            "actions": service.sessions.actions(before=1 << 53, limit=_SHOWN_ACTIONS),
        }

    values = await asyncio.to_thread(work)
    now = time_text(utc_now())
    return render(
        request, "access.html", roles=_ROLES, now=now, here=request.state.session.id, **values
    )
