"""The table of endpoints: path, scope, body and handler; routes and OpenAPI come from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import metadata

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from firmground.service import api_check, api_log, wire
from firmground.service.auth import Scope
from firmground.service.problems import Problem
from firmground.service.runtime import service_of

Handler = Callable[[Request], Awaitable[Response]]
V1 = "/api/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One operation of the API."""

    method: str
    path: str
    handler: Handler
    scope: Scope | None
    """What the key must allow; None for everybody."""
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
        raise Problem("draining", retry_after=5)
    if not service.warm:
        raise Problem("overloaded", "the judge is being loaded", retry_after=1)
    return JSONResponse({"status": "ready"})


async def version(request: Request) -> Response:
    """Name the version."""
    return JSONResponse({"version": metadata.version("firmground")})


async def metrics(request: Request) -> Response:
    """Metrics for Prometheus."""
    return Response(service_of(request).metrics.text(), media_type="text/plain; version=0.0.4")


def _on(method: str, path: str, handler: Handler, scope: Scope | None, **more: object) -> Endpoint:
    return Endpoint(method=method, path=path, handler=handler, scope=scope, **more)  # type: ignore[arg-type]


_C, _R, _U, _A = Scope.CHECK, Scope.READ, Scope.RULE, Scope.ADMIN
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
    _on("POST", f"{V1}/verify", api_log.verify, _R, body=wire.VerifyBody),
    _on(
        "GET", f"{V1}/runs", api_log.list_runs, _R,
        query=(*_PAGE, "verdict", "decision", "outcome", "shape", "since", "until"),
    ),
    _on("POST", f"{V1}/runs/erase", api_log.erase_runs, _A, body=wire.EraseBody),
    _on("GET", f"{V1}/runs/{{run}}", api_log.show_run, _R),
    _on("POST", f"{V1}/runs/{{run}}/export", api_log.export_run, _R, body=wire.ExportBody),
    _on("POST", f"{V1}/runs/{{run}}/decide", api_log.decide_run, _R, body=wire.DecideBody),
    _on("GET", f"{V1}/log", api_log.log_status, _R),
    _on("POST", f"{V1}/log/audit", api_log.audit_log, _A),
    _on("GET", f"{V1}/policies", api_log.list_policies, _R),
    _on("GET", f"{V1}/policies/{{policy}}", api_log.explain_policy, _R),
    _on("GET", f"{V1}/policies/{{policy}}/diff/{{other}}", api_log.diff_policies, _R),
    _on("GET", f"{V1}/escalations", api_log.list_escalations, _R, query=_PAGE),
    _on("GET", f"{V1}/escalations/{{run}}", api_log.show_escalation, _R),
    _on("POST", f"{V1}/escalations/{{run}}/ruling", api_log.rule_on, _U, body=wire.RulingBody),
)  # fmt: skip
