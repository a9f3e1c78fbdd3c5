"""Evidence from an address, only when asked for."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from firmground.adapters.evidence.decode import within
from firmground.adapters.evidence.limits import Limits
from firmground.errors import InputError

if TYPE_CHECKING:
    from http.client import HTTPMessage
    from urllib.request import OpenerDirector, Request

_SUFFIX_OF = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "application/json": ".json",
    "application/x-ndjson": ".jsonl",
    "application/pdf": ".pdf",
    "text/plain": ".txt",
}
_SCHEMES = ("http", "https")
_MOST_REDIRECTS = 3


def is_address(source: str) -> bool:
    """True for a word that begins like an address, of whatever scheme."""
    scheme, mark, rest = source.partition("://")
    return bool(mark and rest and scheme.isalnum()) and not any(c.isspace() for c in source)


def fetch_url(
    url: str, *, allowed: bool, limits: Limits, timeout_seconds: float = 20.0
) -> tuple[bytes, str]:
    """Return the body and the suffix its type stands for; refused unless ``allowed``."""
    _check_scheme(url)
    if not allowed:
        raise InputError(f"{url}: addresses are not fetched unless you ask for it with --fetch")
    # Few checks fetch anything, and these bring the whole of TLS along.
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request

    request = Request(url, headers={"Accept-Encoding": "identity"})  # noqa: S310 - scheme is checked
    try:
        with _opener().open(request, timeout=timeout_seconds) as reply:
            data = reply.read(limits.max_bytes + 1)
            media = reply.headers.get_content_type()
    except HTTPError as error:
        raise InputError(f"{url}: the server replied {error.code} {error.reason}") from None
    except (OSError, ValueError, HTTPException) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "reason", None) or error
        raise InputError(f"{url}: could not be fetched: {reason}") from None
    return within(data, url, limits), _SUFFIX_OF.get(
        media, PurePosixPath(urlsplit(url).path).suffix
    )


def _check_scheme(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InputError(f"{url}: not an address: {error}") from None
    if parts.scheme.lower() not in _SCHEMES or not parts.hostname:
        raise InputError(f"{url}: only http and https addresses are fetched")


def _opener() -> OpenerDirector:
    """Open http and https only, through no proxy that the environment names."""
    from urllib import request

    class SameSchemes(request.HTTPRedirectHandler):
        max_redirections = _MOST_REDIRECTS

        def redirect_request(  # noqa: PLR0917 - urllib's signature
            self,
            req: Request,
            fp: IO[bytes],
            code: int,
            msg: str,
            headers: HTTPMessage,
            newurl: str,
        ) -> Request | None:
            _check_scheme(newurl)
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler({}),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(),
        SameSchemes(),
    ):
        opener.add_handler(handler)
    return opener
