"""Sessions of people who signed in with a key, and the trail of what they did."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.requests import HTTPConnection

from firmground.ledger.ids import time_text, utc_now
from firmground.service.auth import KeyRecord, Principal
from firmground.service.problems import HttpProblem
from firmground.service.state import ServiceState

COOKIE = "firmground_session"
TOKEN_HEADER = "x-csrf-token"  # noqa: S105 - the name of a header
LASTS = timedelta(hours=12)
IDLE = timedelta(hours=2)
_SAFE = ("GET", "HEAD", "OPTIONS")
_VALUE = re.compile(r"([0-9a-f]{16})_([A-Za-z0-9_-]{43})\Z")
_MOST_DETAIL = 400
_TABLES = """
CREATE TABLE IF NOT EXISTS session (
  id TEXT PRIMARY KEY, digest BLOB NOT NULL, key_id TEXT NOT NULL, created TEXT NOT NULL,
  seen TEXT NOT NULL, expires TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS session_of_key ON session (key_id);
CREATE TABLE IF NOT EXISTS action (
  number INTEGER PRIMARY KEY, at TEXT NOT NULL, key_id TEXT NOT NULL, name TEXT NOT NULL,
  what TEXT NOT NULL, detail TEXT NOT NULL
) STRICT;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A person who is signed in, and the token that their pages send with every action."""

    id: str
    principal: Principal
    token: str
    expires: str


class Sessions:
    """Signs people in with a key; the cookie's secret is kept as a SHA-256 digest."""

    def __init__(self, state: ServiceState) -> None:
        self._state = state
        state.execute(_TABLES)

    def begin(self, principal: Principal) -> str:
        """Begin a session; return the value of its cookie."""
        now = utc_now()
        number, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
        self._state.execute("DELETE FROM session WHERE expires < ?", (time_text(now),))
        self._state.execute(
            "INSERT INTO session VALUES (?,?,?,?,?,?)",
            (
                number, hashlib.sha256(secret.encode()).digest(), principal.key_id, time_text(now),
                time_text(now), time_text(now + LASTS),
            ),
        )  # fmt: skip
        return f"{number}_{secret}"

    def of(self, headers: Iterable[tuple[bytes, bytes]]) -> Session | None:
        """The session of a request; None without a cookie, a problem when the session is over."""
        given = _cookie(headers)
        if given is None:
            return None
        parts = _VALUE.match(given)
        found = self._row(parts[1]) if parts else None
        digest = hashlib.sha256(parts[2].encode() if parts else b"").digest()
        same = hmac.compare_digest(digest, found["digest"] if found else bytes(32))
        now = utc_now()
        if parts is None or found is None or not same or found["expires"] <= time_text(now):
            raise HttpProblem("session_ended")
        if found["seen"] <= time_text(now - IDLE):
            raise HttpProblem("session_ended", "it was idle for two hours; sign in again")
        key = self._state.key(found["key_id"])
        if key is None or not _valid(key, time_text(now)):
            raise HttpProblem("session_ended", "its key was revoked or has expired")
        if found["seen"] <= time_text(now - timedelta(minutes=1)):
            self._state.execute(
                "UPDATE session SET seen = ? WHERE id = ?", (time_text(now), parts[1])
            )
        return Session(
            id=parts[1],
            principal=Principal(key_id=key.id, name=key.name, scopes=key.scopes, limits=key.limits),
            token=_token(parts[2]),
            expires=found["expires"],
        )

    def authenticate(self, request: HTTPConnection) -> Principal | None:
        """Who sent a request with a session's cookie; POST needs the session's token."""
        scope = request.scope
        session = self.of(scope["headers"])
        if session is None:
            return None
        if scope["method"] not in _SAFE:
            given = dict(scope["headers"]).get(TOKEN_HEADER.encode(), b"").decode("latin-1")
            if not hmac.compare_digest(given.encode(), session.token.encode()):
                raise HttpProblem("bad_token")
        return session.principal

    def end(self, number: str) -> bool:
        """End a session; False when there is none with this id."""
        return bool(self._state.execute("DELETE FROM session WHERE id = ? RETURNING id", (number,)))

    def listed(self) -> list[dict[str, Any]]:
        """The sessions that have not expired, without their secrets."""
        rows = self._state.execute(
            "SELECT session.id, session.key_id, api_key.name, session.created, session.seen,"
            " session.expires FROM session JOIN api_key ON api_key.id = session.key_id"
            " WHERE session.expires > ? AND api_key.revoked IS NULL ORDER BY session.seen DESC",
            (time_text(utc_now()),),
        )
        names = ("id", "key", "name", "created", "seen", "expires")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def note(self, principal: Principal, what: str, detail: str = "") -> None:
        """Keep that somebody did something that changes the service or shows content."""
        self._state.execute(
            "INSERT INTO action (at, key_id, name, what, detail) VALUES (?,?,?,?,?)",
            (
                time_text(utc_now()), principal.key_id, principal.name, what,
                detail[:_MOST_DETAIL],
            ),
        )  # fmt: skip

    def actions(self, *, before: int, limit: int) -> list[dict[str, Any]]:
        """What was done, newest first."""
        rows = self._state.execute(
            "SELECT number, at, key_id, name, what, detail FROM action WHERE number < ?"
            " ORDER BY number DESC LIMIT ?",
            (before, limit),
        )
        names = ("number", "at", "key", "name", "what", "detail")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _row(self, number: str) -> dict[str, Any] | None:
        found = self._state.execute(
            "SELECT digest, key_id, seen, expires FROM session WHERE id = ?", (number,)
        )
        return (
            dict(zip(("digest", "key_id", "seen", "expires"), found[0], strict=True))
            if (found)
            else None
        )


def _valid(key: KeyRecord, now: str) -> bool:
    return key.revoked is None and (key.expires is None or key.expires > now)


def _token(secret: str) -> str:
    return hmac.new(secret.encode(), b"firmground csrf token", hashlib.sha256).hexdigest()


def _cookie(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    text = "; ".join(value.decode("latin-1") for name, value in headers if name == b"cookie")
    try:
        found = SimpleCookie(text).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value
