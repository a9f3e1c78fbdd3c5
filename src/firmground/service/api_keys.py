"""Endpoints about keys: who sends the request, and the keys of the API."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from firmground.service.auth import ROLES, KeyLimits, KeyRecord, Principal, scopes_from
from firmground.service.bodies import parsed, read_body
from firmground.service.problems import HttpProblem
from firmground.service.runtime import service_of
from firmground.service.wire import KeyBody


async def me(request: Request) -> Response:
    """Say whose key the request carries, its scopes and limits."""
    principal: Principal = request.state.principal
    return _json(
        {
            "key": principal.key_id,
            "name": principal.name,
            "scopes": sorted(principal.scopes),
            "roles": sorted(n for n, scopes in ROLES.items() if scopes <= principal.scopes),
            **_limits(principal.limits),
        }
    )


async def list_keys(request: Request) -> Response:
    """List the keys without their secrets, oldest first."""
    found = await asyncio.to_thread(service_of(request).state.keys)
    return _json({"keys": [key_document(key) for key in found]})


async def create_key(request: Request) -> Response:
    """Make a key; the reply is the only place where its text is shown."""
    service = service_of(request)
    body = parsed(KeyBody, (await read_body(request, service.settings.limits)).value)
    limits = KeyLimits(per_minute=body.per_minute, concurrent=body.concurrent, budget=body.budget)
    scopes = scopes_from(body.scopes)
    text, kept = await asyncio.to_thread(
        lambda: service.state.create_key(body.name, scopes, limits=limits, expires=body.expires)
    )
    service.sessions.note(request.state.principal, "new key", f"{kept.id} {kept.name}")
    return _json({"key": text, **key_document(kept)})


async def revoke_key(request: Request) -> Response:
    """Make a key invalid from now on."""
    service, key_id = service_of(request), request.path_params["key"]
    if await asyncio.to_thread(service.state.key, key_id) is None:
        raise HttpProblem("not_found", f"there is no key {key_id}")
    kept = await asyncio.to_thread(service.state.revoke_key, key_id)
    service.sessions.note(request.state.principal, "revoke key", f"{kept.id} {kept.name}")
    return _json(key_document(kept))


def key_document(key: KeyRecord) -> dict[str, Any]:
    """A key as JSON: everything but its secret."""
    return {
        "id": key.id,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "created": key.created,
        "expires": key.expires,
        "revoked": key.revoked,
        **_limits(key.limits),
        "used": key.used,
    }


def _limits(limits: KeyLimits) -> dict[str, Any]:
    return {
        "per_minute": limits.per_minute,
        "concurrent": limits.concurrent,
        "budget": limits.budget,
    }


def _json(document: object) -> Response:
    return Response(orjson.dumps(document), media_type="application/json")
