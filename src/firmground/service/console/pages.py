"""Rendering of console pages: templates, safe headers, and what to show when something fails."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache, wraps
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from firmground.adapters.report_html import pieces
from firmground.errors import FirmgroundError
from firmground.service.auth import KeyScope
from firmground.service.problems import HttpProblem, problem_of, request_id_of
from firmground.service.runtime import service_of

ROOT = "/console"
Handler = Callable[[Request], Awaitable[Response]]
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types console"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
VERDICTS = {
    "stands": "Stands",
    "does_not_stand": "Does not stand",
    "could_not_tell": "Inconclusive",
}
_REPORT = "firmground.adapters.report_html"
_ASSETS = {
    "console.css": (
        ("firmground.adapters.report_html", "shared.css"),
        (__package__, "console.css"),
    ),
    "claims.js": ((_REPORT, "page.js"),),
}
"""Files that are put together from several; the look and the linking of claims is the report's."""
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@cache
def asset(name: str) -> bytes:
    """The bytes of a static file; an unknown name is a problem."""
    parts = _ASSETS.get(name)
    if parts is None:
        parts = ((__package__, name),)
        if name not in {file.name for file in files(__package__).joinpath("static").iterdir()}:
            raise HttpProblem("not_found", f"there is no file {name}")
    found = []
    for package, file in parts:
        folder = files(package)
        folder = folder.joinpath("static") if package == __package__ else folder
        found.append(folder.joinpath(file).read_bytes())
    return b"\n".join(found)


@cache
def version() -> str:
    """A short digest of all static files, so that browsers may keep them."""
    names = {file.name for file in files(__package__).joinpath("static").iterdir()}
    digest = hashlib.sha256()
    for name in sorted(names | set(_ASSETS)):
        digest.update(asset(name))
    return base64.urlsafe_b64encode(digest.digest()[:9]).decode()


async def static(request: Request) -> Response:
    """Serve a static file; its address holds the version, so it never changes."""
    name = request.path_params["name"]
    kind = _TYPES.get(name.rpartition(".")[2], "application/octet-stream")
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return Response(asset(name), media_type=kind, headers=headers)


def shown(text: object) -> Markup:
    """Escaped text in which unseen characters are written out."""
    return Markup(pieces.shown(str(text)))  # noqa: S704 - escaped by pieces.shown


def cut(text: str, most: int) -> str:
    """The beginning of a text, with an ellipsis where some of it was left out."""
    return text if len(text) <= most else text[:most].rstrip() + "…"


def address(path: str, **parameters: object) -> str:
    """An address within the console with these parameters; empty ones are left out."""
    given = {k: str(v) for k, v in parameters.items() if v not in (None, "")}
    return ROOT + path + ("?" + urlencode(given) if given else "")


def time_html(value: str) -> Markup:
    """A moment as UTC; a script adds how long ago it was."""
    plain = value[:19].replace("T", " ")
    return Markup('<time datetime="{}">{} UTC</time>').format(value, plain)


def in_words(name: str) -> str:
    """A code such as ``number_absent`` as words."""
    return name.replace("_", " ")


def milliseconds(value: float | None) -> str:
    """A time in readable units."""
    if value is None:
        return "–"
    if value < 1000:
        return f"{value:.0f} ms"
    return f"{value / 1000:.1f} s" if value < 120_000 else f"{value / 60_000:.0f} min"


@cache
def environment() -> Environment:
    """The templates; everything that is not marked as HTML is escaped."""
    made = Environment(
        loader=PackageLoader("firmground.service.console", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "shown": shown,
        "cut": cut,
        "time": time_html,
        "words": in_words,
        "milliseconds": milliseconds,
        "thousands": lambda n: f"{n:,}",
    }
    made.globals |= {"address": address, "VERDICTS": VERDICTS, "ROOT": ROOT, "quote": quote}
    return made


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """One page for the person who is signed in."""
    session = getattr(request.state, "session", None)
    principal = session.principal if session else None
    page = (
        environment()
        .get_template(template)
        .render(
            session=session,
            principal=principal,
            may=lambda scope: principal is not None and principal.may(KeyScope(scope)),
            static=lambda name: f"{ROOT}/static/{version()}/{name}",
            path=request.url.path,
            **values,
        )
    )
    return Response(page, status_code=status, media_type="text/html", headers=HEADERS)


def page(scope: KeyScope) -> Callable[[Handler], Handler]:
    """A page for people who are signed in with this scope."""

    def wrap(handler: Handler) -> Handler:
        @wraps(handler)
        async def guarded(request: Request) -> Response:
            try:
                session = service_of(request).sessions.of(request.scope["headers"])
                if session is None:
                    raise HttpProblem("session_ended", "sign in first")
                request.state.session = session
                request.state.principal = session.principal
                session.principal.require(scope)
                return await handler(request)
            except HttpProblem as problem:
                return failed(request, problem)
            except FirmgroundError as error:
                return failed(request, problem_of(error))

        return guarded

    return wrap


_HINTS = {
    "forbidden": "Ask an administrator for a key with this scope, or sign in with another key.",
    "not_found": "It may belong to another ledger, or the address was cut off.",
    "erased": "What was erased cannot be brought back. The run's place in the log is still proved.",
    "invalid": "Correct the address or remove the filter.",
    "log_unavailable": "The database did not answer. Try again; if it stays, look at the log.",
    "not_configured": "Set the service up for this in its settings file and start it again.",
}


_ANY_HINT = "Try again. If it stays, name the request id to an operator."


def failed(request: Request, problem: HttpProblem) -> Response:
    """The page about a problem; people without a session are sent to sign in."""
    fragment = request.headers.get("x-console") == "fragment"
    if problem.status == 401:
        if fragment:
            return Response(escape(problem.title), status_code=401, headers=HEADERS)
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        ended = "1" if "firmground_session" in request.cookies else ""
        return RedirectResponse(address("/login", next=here, ended=ended), 303, headers=HEADERS)
    return render(
        request,
        "error.html",
        status=problem.status,
        problem=problem,
        hint=_HINTS.get(
            problem.code, "Try again. If it stays, name the request id to an operator."
        ),
        request_id=request_id_of(request),
    )


async def missing(request: Request) -> Response:
    """The page for addresses that do not exist."""
    with suppress(HttpProblem):
        request.state.session = service_of(request).sessions.of(request.scope["headers"])
    return failed(request, HttpProblem("not_found", f"there is no page {request.url.path}"))
