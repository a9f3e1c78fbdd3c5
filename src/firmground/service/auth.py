"""Who sends a request, and what their key allows."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from firmground.errors import InputError
from firmground.service.problems import HttpProblem

_SECRET_BYTES = 32
_ID_BYTES = 8
_KEY = re.compile(r"fg_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")


class KeyScope(StrEnum):
    """What a key may do. ``admin`` includes the others."""

    CHECK = "check"
    """Check answers, ask questions, inspect questions, run gates, use the proxy."""
    READ = "read"
    """Read runs, proofs, policies, escalations and metrics."""
    RULE = "rule"
    """Rule on escalations."""
    ADMIN = "admin"
    """Erase content, manage keys, sign checkpoints."""


ROLES: dict[str, frozenset[KeyScope]] = {
    "application": frozenset({KeyScope.CHECK}),
    "viewer": frozenset({KeyScope.READ}),
    "reviewer": frozenset({KeyScope.READ, KeyScope.RULE}),
    "admin": frozenset(KeyScope),
}
"""Sets of scopes by the name of a role."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLimits:
    """What one key may use; None is unlimited."""

    per_minute: float | None = None
    """Requests in a minute."""
    concurrent: int | None = None
    """Requests at the same time."""
    budget: int | None = None
    """Requests in all; further ones are refused until an administrator raises it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRecord:
    """A key as it is kept: everything but the secret."""

    id: str
    name: str
    scopes: frozenset[KeyScope]
    digest: bytes
    """SHA-256 of the secret part."""
    created: str
    limits: KeyLimits = KeyLimits()
    expires: str | None = None
    revoked: str | None = None
    used: int = 0
    """Requests counted against the budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who sent a request: the key's id and name, its scopes and limits."""

    key_id: str
    name: str
    scopes: frozenset[KeyScope]
    limits: KeyLimits = KeyLimits()

    def may(self, scope: KeyScope) -> bool:
        """True when the key has the scope, or ``admin``."""
        return scope in self.scopes or KeyScope.ADMIN in self.scopes

    def require(self, scope: KeyScope | frozenset[KeyScope]) -> None:
        """Raise a problem unless the key has the scope, or one of several."""
        if isinstance(scope, frozenset):
            if not any(map(self.may, scope)):
                raise HttpProblem("forbidden", f"this needs a key with one of {', '.join(scope)}")
        elif not self.may(scope):
            raise HttpProblem(
                "forbidden", f"this needs a key with the scope {scope}", scope=str(scope)
            )


class KeyStore(Protocol):
    """Finds keys by their public id."""

    def key(self, key_id: str) -> KeyRecord | None:
        """Return the key with this id, or None."""
        ...


def new_secret() -> tuple[str, str, bytes]:
    """Make a key; return the text for its owner, its public id, and the digest to keep."""
    key_id, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
    return f"fg_{key_id}_{secret}", key_id, hashlib.sha256(secret.encode()).digest()


def authenticate(headers: Iterable[tuple[bytes, bytes]], keys: KeyStore, *, now: str) -> Principal:
    """Return the principal of the key in the headers, or raise an uninformative problem.

    The key is taken from ``Authorization: Bearer`` or ``X-Api-Key``. ``now`` is the time as text.
    """
    given = _given(headers)
    if given is None:
        raise HttpProblem("no_key", "send  Authorization: Bearer fg_…")
    parts = _KEY.fullmatch(given)
    record = keys.key(parts[1]) if parts else None
    digest = hashlib.sha256(parts[2].encode() if parts else b"").digest()
    # An unknown id costs the same comparison as a known one.
    same = hmac.compare_digest(digest, record.digest if record else bytes(32))
    if record is None or not same or record.revoked is not None:
        raise HttpProblem("bad_key")
    if record.expires is not None and record.expires <= now:
        raise HttpProblem("bad_key", "the key has expired")
    return Principal(key_id=record.id, name=record.name, scopes=record.scopes, limits=record.limits)


def _given(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    found = {name: value for name, value in headers if name in (b"authorization", b"x-api-key")}
    bearer = found.get(b"authorization", b"").decode("latin-1")
    if bearer[:7].lower() == "bearer ":
        return bearer[7:].strip()
    key = found.get(b"x-api-key")
    return None if key is None else key.decode("latin-1").strip()


def scopes_from(names: Iterable[str]) -> frozenset[KeyScope]:
    """Read the names of scopes or roles; an unknown one is an error that lists them."""
    found: set[KeyScope] = set()
    for name in names:
        if name in ROLES:
            found |= ROLES[name]
        elif name in set(KeyScope):
            found.add(KeyScope(name))
        else:
            known = ", ".join([*KeyScope, *(role for role in ROLES if role not in set(KeyScope))])
            raise InputError(f"scope: there is no {name!r}; known: {known}")
    if not found:
        raise InputError("scope: a key needs at least one scope")
    return frozenset(found)
