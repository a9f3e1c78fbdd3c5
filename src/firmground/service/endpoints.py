"""The table of endpoints: path, scope, body and handler; routes and OpenAPI come from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import metadata

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from firmground.service import (
    api_access,
    api_check,
    api_escalations,
    api_events,
    api_keys,
    api_log,
    api_runs,
    api_try,
    wire,
)
from firmground.service.auth import KeyScope
from firmground.service.problems import HttpProblem
from firmground.service.run_search import FACETS
from firmground.service.runtime import service_of

Handler = Callable[[Request], Awaitable[Response]]
V1 = "/api/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One operation of the API."""

    method: str
    path: str
    handler: Handler
    scope: KeyScope | frozenset[KeyScope] | None
    """What the key must allow, one of several, or None for everybody."""
    body: type[BaseModel] | None = None
    query: tuple[str, ...] = ()
    media_type: str = "application/json"
    of_log: bool = False
    """True when ``public_log`` opens it to everybody."""

    @property
    def summary(self) -> str:
        """The first line of the handler's description."""
        return (self.handler.__doc__ or "").strip().split("\n")[0]

    def route(self) -> Route:
        """The route, guarded by the scope."""
        return Route(self.path, self._guarded, methods=[self.method], name=self.handler.__name__)

    async def _guarded(self, request: Request) -> Response:
        service = service_of(request)
        if self.scope is not None and not (self.of_log and service.settings.public_log):
            service.authenticate(request, self.scope)
        return await self.handler(request)


async def health(request: Request) -> Response:
    """Say that the process runs."""
    return JSONResponse({"status": "ok"})


async def ready(request: Request) -> Response:
    """Say whether new requests are accepted."""
    service = service_of(request)
    if service.admission.draining:
        raise HttpProblem("draining", retry_after=5)
    if not service.warm:
        raise HttpProblem("overloaded", "the judge is being loaded", retry_after=1)
    return JSONResponse({"status": "ready"})


async def version(request: Request) -> Response:
    """Name the version."""
    return JSONResponse({"version": metadata.version("firmground")})


async def metrics(request: Request) -> Response:
    """Metrics for Prometheus."""
    return Response(service_of(request).metrics.text(), media_type="text/plain; version=0.0.4")


def _on(
    method: str,
    path: str,
    handler: Handler,
    scope: KeyScope | frozenset[KeyScope] | None,
    **more: object,
) -> Endpoint:
    return Endpoint(method=method, path=path, handler=handler, scope=scope, **more)  # type: ignore[arg-type]


_ANY = frozenset(KeyScope)
_READ_OR_CHECK = frozenset({KeyScope.READ, KeyScope.CHECK})
"""A valid key is needed, whatever it allows."""
_C, _R, _U, _A = KeyScope.CHECK, KeyScope.READ, KeyScope.RULE, KeyScope.ADMIN
_PAGE = ("limit", "before")
ENDPOINTS: tuple[Endpoint, ...] = (
    _on("GET", "/health", health, None),
    _on("GET", "/ready", ready, None),
    _on("GET", "/version", version, None),
    _on("GET", "/metrics", metrics, _R, media_type="text/plain"),
    _on("GET", "/checkpoint", api_log.checkpoint, _R, media_type="text/plain", of_log=True),
    _on(
        "GET", "/tile/{path:path}", api_log.tile, _R, media_type="application/octet-stream",
        of_log=True,
    ),
    _on("POST", f"{V1}/check", api_check.check, _C, body=wire.CheckBody),
    _on("POST", f"{V1}/check/many", api_check.check_many, _C, body=wire.ManyBody),
    _on(
        "POST", f"{V1}/check/stream", api_check.stream, _C, body=wire.StreamBody,
        media_type="text/event-stream",
    ),
    _on("POST", f"{V1}/ask", api_check.ask, _C, body=wire.AskBody),
    _on("POST", f"{V1}/preflight", api_check.preflight, _C, body=wire.PreflightBody),
    _on("POST", f"{V1}/gate", api_check.gate, _C, body=wire.GateBody),
    _on("POST", f"{V1}/try", api_try.try_check, _C, body=wire.TryBody),
    _on("GET", f"{V1}/sessions", api_access.list_sessions, _A),
    _on("POST", f"{V1}/sessions/{{session}}/end", api_access.end_session, _A),
    _on("GET", f"{V1}/actions", api_access.list_actions, _A, query=_PAGE),
    _on("GET", f"{V1}/me", api_keys.me, _ANY),
    _on("GET", f"{V1}/keys", api_keys.list_keys, _A),
    _on("POST", f"{V1}/keys", api_keys.create_key, _A, body=wire.KeyBody),
    _on("POST", f"{V1}/keys/{{key}}/revoke", api_keys.revoke_key, _A),
    _on("POST", f"{V1}/verify", api_log.verify, _R, body=wire.VerifyBody),
    _on(
        "GET", f"{V1}/runs", api_runs.list_runs, _R,
        query=(*_PAGE, "q", "since", "until", "outcome", *FACETS),
    ),
    _on("GET", f"{V1}/facets", api_runs.list_facets, _R),
    _on("GET", f"{V1}/overview", api_runs.overview, _R, query=("hours",)),
    _on(
        "GET", f"{V1}/runs/events", api_events.run_events, _R, media_type="text/event-stream",
        query=("after", *api_log.FILTERS, "since", "until"),
    ),
    _on("POST", f"{V1}/runs/erase", api_log.erase_runs, _A, body=wire.EraseBody),
    _on("GET", f"{V1}/runs/{{run}}", api_log.show_run, _R),
    _on("GET", f"{V1}/runs/{{run}}/report", api_runs.run_report, _R, media_type="text/html"),
    _on("POST", f"{V1}/runs/{{run}}/export", api_log.export_run, _R, body=wire.ExportBody),
    _on("POST", f"{V1}/runs/{{run}}/decide", api_log.decide_run, _R, body=wire.DecideBody),
    _on("GET", f"{V1}/log", api_log.log_status, _R),
    _on("POST", f"{V1}/log/audit", api_log.audit_log, _A),
    _on("GET", f"{V1}/log/health", api_access.log_health, _R),
    _on("GET", f"{V1}/policies", api_log.list_policies, _R),
    _on("GET", f"{V1}/policies/{{policy}}", api_log.explain_policy, _R),
    _on(
        "GET", f"{V1}/policies/{{policy}}/replay", api_try.replay_policy, _R, query=("last",),
    ),
    _on(
        "POST", f"{V1}/calibration/curves", api_try.calibration_curves, _R, body=wire.CurvesBody,
    ),
    _on("GET", f"{V1}/policies/{{policy}}/diff/{{other}}", api_log.diff_policies, _R),
    _on(
        "GET", f"{V1}/escalations", api_escalations.list_escalations, _R, query=(*_PAGE, "open"),
    ),
    _on("GET", f"{V1}/escalations/{{run}}", api_escalations.show_escalation, _R),
    _on(
        "GET", f"{V1}/escalations/{{run}}/answer", api_escalations.ruled_answer, _READ_OR_CHECK,
        query=("wait",),
    ),
    _on(
        "POST", f"{V1}/escalations/{{run}}/ruling", api_escalations.rule_on, _U,
        body=wire.RulingBody,
    ),
)  # fmt: skip
