"""Endpoints over the ledger: runs, proofs, audits, checkpoints, escalations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import orjson
from starlette.requests import Request
from starlette.responses import Response

from firmground.core.run import Stage
from firmground.decide import POLICIES
from firmground.engine.documents import (
    audit_document,
    bundle_document,
    payload_counts,
    rejudged_document,
    run_document,
    run_row,
)
from firmground.engine.policy_words import policy_document, rule_changes
from firmground.engine.rejudging import rejudge
from firmground.errors import InputError
from firmground.ledger.audit import audit
from firmground.ledger.bundle import verify_bundle
from firmground.ledger.keys import parse_verifier
from firmground.ledger.ledger import Ledger
from firmground.ledger.tiles import checkpoint_bytes, parse_tile_path, resource_bytes
from firmground.service.bodies import parsed, read_body
from firmground.service.problems import HttpProblem
from firmground.service.runtime import Service, service_of
from firmground.service.wire import DecideBody, EraseBody, ExportBody, VerifyBody

T = TypeVar("T")
_MOST_ROWS = 200
_MOST_LOOKED_AT = 2_000
"""Rows that one page of a filtered list looks at; the cursor goes on from there."""
FILTERS = ("verdict", "decision", "outcome", "shape", "surface", "mode", "delivery")
"""What runs can be filtered by: members of their label, and their shape."""


def ledger_of(service: Service) -> Ledger:
    """The log of the service; a problem when it keeps none."""
    log = service.engine.ledger
    if log is None:
        raise HttpProblem("not_configured", "the service keeps no ledger")
    return log


async def _off(work: Callable[[], T]) -> T:
    return await asyncio.to_thread(work)


def _json(document: object, **headers: str) -> Response:
    return Response(orjson.dumps(document), media_type="application/json", headers=headers)


def whole_number(request: Request, name: str, default: int, most: int) -> int:
    """A number in the query; a problem that names it when it is none, or too large."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal()) or len(text) > 18 or not int(text) <= most:
        raise HttpProblem("invalid", f"{name}: must be a whole number up to {most}", field=name)
    return int(text)


def run_filter(request: Request) -> Callable[[dict[str, Any]], bool]:
    """Whether a run's row is one that the query asks for."""
    wanted = {n: request.query_params[n] for n in FILTERS if n in request.query_params}
    since, until = request.query_params.get("since", ""), request.query_params.get("until", "~")

    def fits(row: dict[str, Any]) -> bool:
        stated = {**row["label"], "shape": row["shape"]}
        return since <= row["time"] <= until and all(stated.get(n) == v for n, v in wanted.items())

    return fits


def _page(
    log: Ledger, before: int, limit: int, fits: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """Rows that fit, from at most ``_MOST_LOOKED_AT`` runs before a place in the log."""
    found: list[dict[str, Any]] = []
    looked, end = 0, before
    while len(found) < limit and looked < _MOST_LOOKED_AT:
        part = log.reader.runs(end, min(_MOST_ROWS, _MOST_LOOKED_AT - looked))
        for row in part:
            end, looked = row.seq, looked + 1
            document = run_row(row)
            if fits(document):
                found.append(document | payload_counts(log, row))
            if len(found) == limit:
                break
        if not part:
            return {"runs": found, "next": None}
    return {"runs": found, "next": end or None}


async def show_run(request: Request) -> Response:
    """Show one run with its stages."""
    log, run = ledger_of(service_of(request)), request.path_params["run"]
    return _json(await _off(lambda: run_document(log.run(run))))


async def export_run(request: Request) -> Response:
    """Export one run as a bundle that can be verified offline."""
    service = service_of(request)
    body = parsed(ExportBody, (await read_body(request, service.settings.limits)).value)
    log, run = ledger_of(service), request.path_params["run"]
    stages = None if body.disclose == "all" else _stages(body.disclose, "disclose")
    bundle = await _off(lambda: log.export(run, disclose=stages))
    service.sessions.note(request.state.principal, "export", run)
    return Response(bundle.data, media_type="application/json")


def _stages(names: list[str] | str, field: str) -> tuple[Stage, ...]:
    try:
        return tuple(Stage(name) for name in names)
    except ValueError as error:
        raise HttpProblem("invalid", f"{field}: {error}", field=field) from None


async def erase_runs(request: Request) -> Response:
    """Erase the content of runs for good; the log keeps who did it and why."""
    service = service_of(request)
    body = parsed(EraseBody, (await read_body(request, service.settings.limits)).value)
    log, stages = ledger_of(service), None
    if body.stages is not None:
        stages = _stages(body.stages, "stages")
    actor = f"key {request.state.principal.key_id} ({request.state.principal.name})"

    def work() -> dict[str, Any]:
        done = log.erase(body.runs, actor=actor, reason=body.reason, stages=stages)
        service.state.forget(body.runs)
        service.sessions.note(request.state.principal, "erase", " ".join(body.runs))
        return {
            "runs": list(done.run_ids),
            "payloads": done.payloads,
            "entries": list(done.seqs),
            "scrubbed": done.scrubbed,
        }

    return _json(await service.own(_off(work)))


async def decide_run(request: Request) -> Response:
    """Judge a recorded run again under another policy; no model is called."""
    service = service_of(request)
    body = parsed(DecideBody, (await read_body(request, service.settings.limits)).value)
    policy = _known_policy(service, body.policy)
    log, run = ledger_of(service), request.path_params["run"]
    return _json(await _off(lambda: rejudged_document(rejudge(log.run(run), policy))))


def _known_policy(service: Service, name: str) -> Any:
    if name == service.engine.policy.name:
        return service.engine.policy
    if name not in POLICIES:
        known = ", ".join(sorted(POLICIES))
        raise HttpProblem("not_found", f"there is no policy {name!r}; known: {known}")
    return POLICIES[name]


async def verify(request: Request) -> Response:
    """Verify a bundle under keys that the caller trusts."""
    service = service_of(request)
    body = parsed(VerifyBody, (await read_body(request, service.settings.limits)).value)
    try:
        keys = [parse_verifier(key) for key in body.keys]
    except InputError as error:
        raise HttpProblem("invalid", f"keys: {error}", field="keys") from None
    data = orjson.dumps(body.bundle, option=orjson.OPT_SORT_KEYS)
    return _json(bundle_document(await _off(lambda: verify_bundle(data, keys=keys))))


async def audit_log(request: Request) -> Response:
    """Audit the whole log; takes time in proportion to its size."""
    service = service_of(request)
    log = ledger_of(service)
    async with service.admitted(request.state.principal):
        found = await _off(lambda: audit(log.reader))
        words = "holds" if found.holds else f"{len(found.problems)} problems"
        service.sessions.note(request.state.principal, "audit", f"{found.size} entries: {words}")
        return _json(audit_document(found))


async def log_status(request: Request) -> Response:
    """The size of the log and its newest checkpoint."""
    log = ledger_of(service_of(request))

    def work() -> dict[str, Any]:
        size, root = log.tree_head()
        newest = log.newest_checkpoint()
        return {
            "size": size,
            "root": root.hex(),
            "origin": log.origin(),
            "checkpoint_size": None if newest is None else newest.size,
            "behind": size - (newest.size if newest else 0),
        }

    return _json(await _off(work))


async def checkpoint(request: Request) -> Response:
    """The newest signed checkpoint (C2SP tlog-checkpoint)."""
    log = ledger_of(service_of(request))
    return Response(await _off(lambda: checkpoint_bytes(log.reader)), media_type="text/plain")


async def tile(request: Request) -> Response:
    """A tile of the log (C2SP tlog-tiles)."""
    log = ledger_of(service_of(request))
    path = parse_tile_path("tile/" + request.path_params["path"])
    data = await _off(lambda: resource_bytes(log.reader, path))
    return Response(data, media_type="application/octet-stream")


async def list_policies(request: Request) -> Response:
    """Name the policies; ``default`` is the service's own."""
    own = service_of(request).engine.policy
    listed = {own.name: own} | {p.name: p for p in POLICIES.values() if p.name != own.name}
    rows = [{"name": p.name, "digest": p.digest} for p in listed.values()]
    return _json({"default": own.name, "policies": rows})


async def explain_policy(request: Request) -> Response:
    """Explain a policy in words."""
    policy = _known_policy(service_of(request), request.path_params["policy"])
    return _json(policy_document(policy))


async def diff_policies(request: Request) -> Response:
    """How two policies differ in their rules."""
    service = service_of(request)
    one = _known_policy(service, request.path_params["policy"])
    other = _known_policy(service, request.path_params["other"])
    return _json({"one": one.digest, "other": other.digest, "rules": rule_changes(one, other)})
