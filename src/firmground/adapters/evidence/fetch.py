"""Evidence from an address, only when asked for, through the client that checks every address."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from firmground.adapters.evidence.decode import within
from firmground.adapters.evidence.limits import ReadLimits
from firmground.core.redact import public_address
from firmground.errors import InputError

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
_OK = 200


def is_address(source: str) -> bool:
    """True for a word that begins like an address, of whatever scheme."""
    scheme, mark, rest = source.partition("://")
    return bool(mark and rest and scheme.isalnum()) and not any(c.isspace() for c in source)


def fetch_url(
    url: str,
    *,
    allowed: bool,
    limits: ReadLimits,
    private: bool = False,
    timeout_seconds: float = 20.0,
) -> tuple[bytes, str]:
    """Return the body and the suffix that its media type stands for; refused unless ``allowed``.

    Redirects are followed on the same host only. ``private`` allows addresses of the own network.
    ``timeout_seconds`` limits everything together: name, connection, redirects and body.
    """
    _check_scheme(url)
    shown = public_address(url)
    if not allowed:
        raise InputError(f"{shown}: addresses are not fetched unless you ask for it with --fetch")
    try:
        status, media, data = asyncio.run(
            _fetched(url, private=private, limits=limits, seconds=timeout_seconds)
        )
    except TimeoutError:
        raise InputError(
            f"{shown}: could not be fetched in time: more than {timeout_seconds:g} s"
        ) from None
    if status != _OK:
        raise InputError(f"{shown}: the server replied {status}")
    return within(data, shown, limits), _SUFFIX_OF.get(
        media, PurePosixPath(urlsplit(url).path).suffix
    )


async def _fetched(
    url: str, *, private: bool, limits: ReadLimits, seconds: float
) -> tuple[int, str, bytes]:
    # Few checks fetch anything, and this brings the whole of TLS along.
    from firmground.adapters.safe_http import (
        HttpTarget,
        NoResponse,
        NotAllowed,
        Origin,
        SafeHttp,
        TooMuch,
    )

    shown = public_address(url)
    try:
        home = HttpTarget.parse(url).origin
    except InputError as error:
        raise InputError(f"{shown}: {error}") from None
    # The same host over TLS is the one redirect to another origin that is usual and safe.
    secure = Origin(scheme="https", host=home.host, port=443)
    http = SafeHttp(allow=(home, secure), private=private, most_bytes=limits.max_bytes)
    try:
        async with asyncio.timeout(seconds):
            reply = await http.fetch(url)
    except NotAllowed as error:
        hint = " (--fetch-private allows addresses of your own network)" if not private else ""
        raise InputError(f"{shown}: may not be fetched: {error}{hint}") from None
    except TooMuch as error:
        raise InputError(f"{shown}: {error}") from None
    except NoResponse as error:
        raise InputError(f"{shown}: could not be fetched: {error}") from None
    media = dict(reply.headers).get("content-type", "").partition(";")[0].strip().lower()
    return reply.status, media, reply.body


def _check_scheme(url: str) -> None:
    try:
        parts = urlsplit(url)
        named = parts.scheme.lower() in _SCHEMES and parts.hostname
    except ValueError as error:
        raise InputError(f"{public_address(url)}: not an address: {error}") from None
    if not named:
        raise InputError(f"{public_address(url)}: only http and https addresses are fetched")
