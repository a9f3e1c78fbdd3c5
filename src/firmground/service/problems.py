"""Errors of the service as ``application/problem+json`` (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from firmground.errors import (
    ConfigError,
    FirmgroundError,
    InputError,
    LedgerUnavailable,
    MissingExtra,
    ModelError,
    RecordErased,
    RecordNotFound,
)

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:firmground:problem:"

CODES: dict[str, tuple[int, str]] = {
    "invalid": (422, "The request is not usable"),
    "not_json": (400, "The body is not JSON"),
    "no_key": (401, "An API key is needed"),
    "bad_key": (401, "The API key is not valid"),
    "session_ended": (401, "The session has ended; sign in again"),
    "bad_token": (403, "The page is out of date; load it again"),
    "forbidden": (403, "The API key does not allow this"),
    "not_found": (404, "Not found"),
    "method_not_allowed": (405, "The method is not allowed here"),
    "conflict": (409, "The request conflicts with what was done before"),
    "erased": (410, "The content was erased"),
    "stale": (412, "It changed since it was read"),
    "no_evidence": (422, "The request brings no evidence"),
    "question_refused": (422, "The question was refused"),
    "unknown_model": (404, "No upstream has this model"),
    "too_large": (413, "The request is too large"),
    "media_type": (415, "The body must be application/json"),
    "needs_version": (428, "Say which version you read: send If-Match"),
    "rate_limited": (429, "Too many requests for this key"),
    "too_concurrent": (429, "Too many requests at once for this key"),
    "over_budget": (429, "The budget of this key is spent"),
    "internal": (500, "A defect of the service"),
    "not_configured": (501, "The service is not set up for this"),
    "model_unavailable": (502, "A model could not answer"),
    "overloaded": (503, "The service has no capacity now"),
    "draining": (503, "The service is stopping"),
    "log_unavailable": (503, "The record could not be kept"),
    "too_late": (504, "The time for the request is over"),
}
"""Every code with its HTTP status and title; the documentation lists them."""


class HttpProblem(Exception):  # noqa: N818 - the RFC's word
    """An answer other than success, with a code from ``CODES``."""

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        field: str | None = None,
        retry_after: float | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail or CODES[code][1])
        self.code = code
        self.status, self.title = CODES[code]
        self.detail = detail
        self.field = field
        """Which field of the request is wrong, as a path such as ``evidence[0].text``."""
        self.retry_after = retry_after
        """Seconds after which a client may try again."""
        self.headers = dict(headers or {})
        self.more = more

    def document(self, *, request_id: str = "") -> dict[str, Any]:
        """The members of the problem document."""
        made: dict[str, Any] = {
            "type": TYPE_PREFIX + self.code,
            "title": self.title,
            "status": self.status,
            "code": self.code,
        }
        if self.detail:
            made["detail"] = self.detail
        if self.field is not None:
            made["field"] = self.field
        if request_id:
            made["request_id"] = request_id
        return made | self.more

    def response(self, *, request_id: str = "") -> Response:
        """The problem as an HTTP response."""
        headers = dict(self.headers)
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(1, round(self.retry_after)))
        if self.status == 401:
            headers.setdefault("WWW-Authenticate", 'Bearer realm="firmground"')
        return JSONResponse(
            self.document(request_id=request_id),
            status_code=self.status,
            headers=headers,
            media_type=MEDIA_TYPE,
        )


_BY_ERROR: tuple[tuple[type[FirmgroundError], str], ...] = (
    (RecordNotFound, "not_found"),
    (RecordErased, "erased"),
    (ModelError, "model_unavailable"),
    (MissingExtra, "not_configured"),
    (ConfigError, "not_configured"),
    (InputError, "invalid"),
)


def problem_of(error: FirmgroundError) -> HttpProblem:
    """The problem that a client sees for an error of the package."""
    if isinstance(error, LedgerUnavailable):
        return HttpProblem("log_unavailable", "nothing was recorded; try again", retry_after=1)
    for kind, code in _BY_ERROR:
        if isinstance(error, kind):
            return HttpProblem(code, str(error))
    return HttpProblem("internal")


def request_id_of(request: Request) -> str:
    """The id that this request has in logs and in the header ``X-Request-Id``."""
    return str(request.scope.get("state", {}).get("request_id", ""))
