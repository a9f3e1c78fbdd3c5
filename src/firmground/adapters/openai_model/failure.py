"""Classifies failures of the client: the error to raise, and whether to retry."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, replace
from typing import Any

from firmground.adapters.openai_model.pace import retry_after_seconds
from firmground.core.redact import Redaction
from firmground.errors import ModelError

_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_REFUSED = frozenset({401, 403})


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCall:
    """One failed try: the error to raise, and whether and when another try makes sense."""

    error: ModelError
    again: bool
    retry_after: float | None = None
    status: int | None = None
    complaint: str = ""


_NOTHING = Redaction(())


def failure_from(error: Exception, *, where: str, clean: Redaction = _NOTHING) -> FailedCall:
    """Read an exception of the client library or of the network below it.

    ``clean`` takes the key out of what is said before it is cut, should the endpoint repeat it.
    """
    found = _read(error, where, clean)
    said = clean(str(found.error))
    if said == str(found.error):
        return found
    return replace(found, error=ModelError(said, kind=found.error.kind))


def _read(error: Exception, where: str, clean: Redaction) -> FailedCall:
    import openai

    told = error if isinstance(error, ModelError) else error.__cause__
    if isinstance(told, ModelError):
        return FailedCall(error=told, again=False)
    if isinstance(error, (openai.APITimeoutError, TimeoutError)):
        late = ModelError(f"{where} did not answer in time", kind="timeout")
        return FailedCall(error=late, again=True)
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error, where, clean)
    cause = f"{type(error).__name__}: {error.__cause__ or error}"
    if isinstance(error, openai.APIResponseValidationError) or not _of_the_network(error):
        unreadable = ModelError(f"{where} sent what cannot be read ({cause})", kind="bad_reply")
        return FailedCall(error=unreadable, again=False)
    broken = ModelError(f"{where} broke off or cannot be reached ({cause})", kind="unreachable")
    return FailedCall(error=broken, again=not isinstance(error.__cause__, ssl.SSLError))


def _of_the_network(error: Exception) -> bool:
    import openai

    home = type(error).__module__.partition(".")[0]
    return isinstance(error, (openai.APIError, OSError)) or home.startswith(("httpx", "httpcore"))


def _status_failure(error: Any, where: str, clean: Redaction) -> FailedCall:
    status = int(error.status_code)
    kind = "refused" if status in _REFUSED else "limit" if status == 429 else "bad_reply"
    if status >= 500:
        kind = "unreachable"
    complaint = clean(_complaint(error))
    return FailedCall(
        error=ModelError(f"{where} said {status}: {complaint[:300]}", kind=kind),
        again=status in _TRANSIENT and not _spent(complaint),
        retry_after=retry_after_seconds(error.response.headers.get("retry-after")),
        status=status,
        complaint=complaint,
    )


def _spent(complaint: str) -> bool:
    """A quota that is used up does not come back by waiting a second."""
    return "insufficient_quota" in complaint


def _complaint(error: Any) -> str:
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            return f"{inner.get('code') or ''} {inner.get('message') or inner}".strip()
        return str(inner)
    return str(body or error.message)
