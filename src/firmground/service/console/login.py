"""Signing in with a key, and signing out."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from firmground.ledger.ids import time_text, utc_now
from firmground.service.auth import authenticate
from firmground.service.console.pages import HEADERS, ROOT, address, render
from firmground.service.problems import HttpProblem
from firmground.service.runtime import service_of
from firmground.service.sessions import COOKIE, LASTS

_MOST_BODY = 4096


async def login_page(request: Request) -> Response:
    """The form for a key."""
    ended = request.query_params.get("ended") == "1"
    here = _local(request.query_params.get("next", ""))
    return render(request, "login.html", next=here, ended=ended, wrong="")


async def login(request: Request) -> Response:
    """Begin a session for a valid key."""
    service = service_of(request)
    _require_same_site(request)
    form = await _form(request)
    here = _local(form.get("next", ""))
    header = (b"x-api-key", form.get("key", "").strip().encode("latin-1", "replace"))
    try:
        principal = authenticate([header], service.state, now=time_text(utc_now()))
    except HttpProblem as problem:
        wrong = (
            problem.detail
            if problem.code == "bad_key" and problem.detail
            else (
                "This key is not valid. A key begins with fg_ and is shown once, when it is made."
            )
        )
        return render(request, "login.html", status=401, next=here, ended=False, wrong=wrong)
    service.sessions.note(principal, "sign in")
    reply = RedirectResponse(here, 303, headers=HEADERS)
    reply.set_cookie(
        COOKIE, service.sessions.begin(principal), max_age=int(LASTS.total_seconds()), path="/",
        secure=request.url.scheme == "https", httponly=True, samesite="lax",
    )  # fmt: skip
    return reply


async def logout(request: Request) -> Response:
    """End the session of this browser."""
    service = service_of(request)
    _require_same_site(request)
    try:
        session = service.sessions.of(request.scope["headers"])
    except HttpProblem:
        session = None
    if session is not None:
        form = await _form(request)
        if form.get("token") != session.token:
            raise HttpProblem("bad_token")
        service.sessions.end(session.id)
        service.sessions.note(session.principal, "sign out")
    reply = RedirectResponse(address("/login"), 303, headers=HEADERS)
    reply.delete_cookie(COOKIE, path="/")
    return reply


def _require_same_site(request: Request) -> None:
    """Refuse a form that another site has sent."""
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host", "")
    if foreign or site not in ("same-origin", "none"):
        raise HttpProblem("bad_token", "the form was sent from another site")


def _local(given: str) -> str:
    """An address within the console; anything else leads to the first page."""
    inside = given.startswith(ROOT + "/") and not given.startswith(ROOT + "/log")
    inside = inside and ".." not in given
    plain = all(32 < ord(character) < 127 and character != "\\" for character in given)
    return given if inside and plain else ROOT + "/runs"


async def _form(request: Request) -> dict[str, str]:
    """The fields of a small form."""
    raw = b""
    async for piece in request.stream():
        raw += piece
        if len(raw) > _MOST_BODY:
            raise HttpProblem("too_large", f"a form may have {_MOST_BODY} bytes")
    fields = parse_qs(raw.decode("utf-8", "replace"), max_num_fields=10)
    return {name: values[0] for name, values in fields.items()}
