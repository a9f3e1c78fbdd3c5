"""The ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from firmground.config.proxy import ProxySettings
from firmground.config.service import ServiceSettings
from firmground.engine import Engine
from firmground.errors import FirmgroundError
from firmground.service.endpoints import ENDPOINTS
from firmground.service.guardrail import GuardrailEndpoint
from firmground.service.middleware import RequestLog
from firmground.service.openapi import openapi_document
from firmground.service.problems import HttpProblem, problem_of, request_id_of
from firmground.service.runtime import Service
from firmground.service.state import ServiceState

MoreRoutes = Callable[[Service], Sequence[BaseRoute]]


def create_app(
    engine: Engine,
    settings: ServiceSettings | None = None,
    *,
    state: ServiceState,
    proxy: ProxySettings | None = None,
    more: Sequence[MoreRoutes] = (),
) -> Starlette:
    """Return the application over an engine; the caller closes engine and state afterwards.

    With ``proxy`` it stands before models. ``more`` are functions that return further routes,
    given the service.
    """
    service = Service(engine, settings or ServiceSettings(), state)
    endpoints = (*ENDPOINTS, GuardrailEndpoint.of(service, proxy).endpoint())
    if proxy is not None:
        from firmground.service.proxy.routes import Proxy

        endpoints += Proxy(service, proxy).endpoints()
    document = openapi_document(endpoints)

    async def openapi(request: Request) -> Response:
        return JSONResponse(document)

    routes: list[BaseRoute] = [endpoint.route() for endpoint in endpoints]
    routes.append(Route("/openapi.json", openapi, methods=["GET"]))
    for routes_of in more:
        routes += routes_of(service)
    app = Starlette(
        routes=routes,
        lifespan=_lifespan,
        middleware=[Middleware(RequestLog, metrics=service.metrics)],
        exception_handlers={
            HttpProblem: _problem,
            FirmgroundError: _problem,
            HTTPException: _problem,
            Exception: _problem,
        },
    )
    app.state.service = service
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    await app.state.service.start()
    yield
    await app.state.service.drain()


async def _problem(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "invalid")
        error = HttpProblem(code, headers=error.headers)
    elif isinstance(error, FirmgroundError):
        error = problem_of(error)
    elif not isinstance(error, HttpProblem):
        error = HttpProblem("internal")
    return error.response(request_id=request_id_of(request))
