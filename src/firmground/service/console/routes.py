"""The addresses of the console."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from firmground.service.console import login
from firmground.service.console.access import access_page
from firmground.service.console.escalations import escalations_page
from firmground.service.console.overview import overview_page
from firmground.service.console.pages import ROOT, missing, static
from firmground.service.console.playground import playground_page, playground_result
from firmground.service.console.policies import curves_result, policies_page
from firmground.service.console.run import run_page
from firmground.service.console.runs import runs_list
from firmground.service.runtime import Service


def console_routes(service: Service) -> Sequence[BaseRoute]:
    """All pages of the console; ``create_app`` takes this function as one of ``more``."""

    async def first(request: Request) -> Response:
        return RedirectResponse(ROOT + "/runs", 303)

    return [
        Route("/", first, methods=["GET"]),
        Route(ROOT, first, methods=["GET"]),
        Route(ROOT + "/static/{version}/{name}", static, methods=["GET"]),
        Route(ROOT + "/login", login.login_page, methods=["GET"]),
        Route(ROOT + "/login", login.login, methods=["POST"]),
        Route(ROOT + "/logout", login.logout, methods=["POST"]),
        Route(ROOT + "/runs", runs_list, methods=["GET"]),
        Route(ROOT + "/runs/{run}", run_page, methods=["GET"]),
        Route(ROOT + "/escalations", escalations_page, methods=["GET"]),
        Route(ROOT + "/overview", overview_page, methods=["GET"]),
        Route(ROOT + "/playground", playground_page, methods=["GET"]),
        Route(ROOT + "/playground/result", playground_result, methods=["POST"]),
        Route(ROOT + "/policies", policies_page, methods=["GET"]),
        Route(ROOT + "/policies/curves", curves_result, methods=["POST"]),
        Route(ROOT + "/access", access_page, methods=["GET"]),
        Route(ROOT + "/{path:path}", missing, methods=["GET"]),
    ]
