"""Fetch from an allowlist, over an address that was checked, and from nowhere else.

The name is resolved once; every address it has must be on the open internet; the connection goes
to the checked address with the original name in TLS and ``Host``. Every redirect starts over.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from firmground.adapters.addresses import Address, why_closed, why_never_by_name
from firmground.adapters.extras import need
from firmground.adapters.paced import pace
from firmground.core.redact import shown_address
from firmground.errors import InputError

_HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(?:\.(?!-)[a-z0-9-]{1,63})*\Z")
_VISIBLE = re.compile(r"[\x21-\x7e]+\Z")
_NUMERIC_END = re.compile(r"(?:\d+|0x[0-9a-f]*)\Z")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = {"http": 80, "https": 443}
_MOST_RATIO = 100

Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]


class NotAllowed(Exception):  # noqa: N818 - reads as what is the case
    """The address is not one that may be asked."""


class NoResponse(Exception):  # noqa: N818 - reads as what is the case
    """Nobody answered: no such name, no connection, no reply in time."""


class TooMuch(Exception):  # noqa: N818 - reads as what is the case
    """The reply is larger than it may be, or leads on and on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Scheme, host and port that may be asked."""

    scheme: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Origin:
        """Read ``https://host`` or ``https://host:port``; anything more is an error."""
        target = HttpTarget.parse(text)
        if target.path not in ("", "/"):
            raise InputError(f"{shown_address(text)!r} must be scheme, host and port only")
        return target.origin

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpTarget:
    """An address taken apart so strictly that no two readers can differ about it."""

    origin: Origin
    path: str

    @classmethod
    def parse(cls, url: str) -> HttpTarget:
        """Take an address apart; one that could be read in two ways is an error."""
        if not _VISIBLE.match(url) or "\\" in url or len(url) > 4096:
            raise InputError(
                f"address {shown_address(url)!r} holds characters an address cannot have"
            )
        scheme, colon, rest = url.partition("://")
        if not colon or scheme.lower() not in _PORTS:
            raise InputError(f"address {shown_address(url)!r} must begin with http:// or https://")
        authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
        if "@" in authority:
            told = f"address {shown_address(url)!r} must not hold a user or password before @"
            raise InputError(f"{told}; send them with headers_from_environment")
        if "%" in authority:
            raise InputError(f"address {shown_address(url)!r} must not hide its host behind %")
        host, port = _host_and_port(authority, scheme.lower(), url)
        path = rest[len(authority) :].partition("#")[0]
        return cls(origin=Origin(scheme=scheme.lower(), host=host, port=port), path=path)

    def __str__(self) -> str:
        return f"{self.origin}{self.path or '/'}"


def _host_and_port(authority: str, scheme: str, url: str) -> tuple[str, int]:
    if authority.startswith("["):
        text, bracket, tail = authority[1:].partition("]")
        if not bracket or (tail and not tail.startswith(":")):
            raise InputError(f"address {shown_address(url)!r} has a broken host")
        host, port = _literal(text, url), tail[1:]
        if tail == ":":
            raise InputError(f"address {shown_address(url)!r} has no port after the colon")
    else:
        host, colon, port = authority.partition(":")
        host = host.lower()
        if colon and not port:
            raise InputError(f"address {shown_address(url)!r} has no port after the colon")
        if not _HOST.match(host):
            raise InputError(f"address {shown_address(url)!r} has no plain host name")
        if _NUMERIC_END.match(host.rpartition(".")[2]):
            host = _literal(host, url)
    if not port:
        return host, _PORTS[scheme]
    if not re.fullmatch(r"[1-9]\d{0,4}", port) or int(port) > 65535:
        raise InputError(f"address {shown_address(url)!r} has no proper port")
    return host, int(port)


def _literal(text: str, url: str) -> str:
    """An address in its one usual spelling; other spellings are how filters are fooled."""
    try:
        address: Address = ipaddress.ip_address(text)
    except ValueError:
        raise InputError(f"address {shown_address(url)!r} has a host that is not a name") from None
    if str(address) != text.lower():
        raise InputError(
            f"address {shown_address(url)!r} spells its host unusually; write {address}"
        )
    return str(address)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What came back."""

    status: int
    body: bytes
    url: str
    headers: tuple[tuple[str, str], ...] = ()


async def system_resolve(host: str, port: int) -> tuple[str, ...]:
    """Ask the system's resolver for every address of a name."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeHttp:
    """Fetches from the origins on its list only."""

    allow: tuple[Origin, ...]
    private: bool = False
    """True: addresses inside the own network are meant and may be asked; link-local and the like,
    where clouds keep their keys, only when the list holds the address itself."""
    most_bytes: int = 1 << 20
    most_redirects: int = 3
    resolve: Resolve = system_resolve

    def __post_init__(self) -> None:
        if not self.allow:
            raise InputError("allow is empty, so no address could be asked")

    async def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: tuple[tuple[str, str], ...] = (),
        body: bytes | None = None,
    ) -> HttpResponse:
        """Fetch one address; redirects are checked like the first and lose all credentials."""
        sent = headers
        home: Origin | None = None
        for _ in range(self.most_redirects + 1):
            try:
                target, address = await self._admitted(url)
            except NotAllowed as error:
                if home is None:
                    raise
                raise NotAllowed(f"{home} redirects elsewhere: {error}") from None
            if home is not None and target.origin != home:
                sent = ()
            home = home or target.origin
            reply = await self._once(target, address, method, sent, body)
            onward = dict(reply.headers).get("location")
            if reply.status not in _REDIRECTS or onward is None:
                return reply
            if method != "GET":
                raise NotAllowed(f"{target.origin} redirects a {method}")
            url = urljoin(str(target), onward)
        raise TooMuch(f"more than {self.most_redirects} redirects")

    async def _admitted(self, url: str) -> tuple[HttpTarget, str]:
        """Check the list, resolve once, check every address, and name the one to connect to."""
        try:
            target = HttpTarget.parse(url)
        except InputError as error:
            raise NotAllowed(str(error)) from None
        if target.origin not in self.allow:
            raise NotAllowed(f"{target.origin} is not on the list")
        try:
            addresses = await self.resolve(target.origin.host, target.origin.port)
        except (OSError, UnicodeError) as error:
            raise NoResponse(f"{target.origin.host}: {error}") from None
        if not addresses:
            raise NoResponse(f"{target.origin.host} has no address")
        for text in addresses:
            self._check_address(text, target.origin.host)
        return target, addresses[0]

    def _check_address(self, text: str, host: str) -> None:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            raise NotAllowed(f"{text!r} is not an address") from None
        if not self.private:
            closed = why_closed(address)
        else:
            # Whoever answers for a name inside must not lead us to the keys of the machine.
            closed = "" if text == host else why_never_by_name(address)
        if closed:
            raise NotAllowed(closed)

    async def _once(
        self,
        target: HttpTarget,
        address: str,
        method: str,
        headers: tuple[tuple[str, str], ...],
        body: bytes | None,
    ) -> HttpResponse:
        aiohttp = _part("aiohttp")
        connector = aiohttp.TCPConnector(
            resolver=_pinned(address), use_dns_cache=False, force_close=True, limit=1
        )
        pace(connector, _part("aiohttp.client_proto").ResponseHandler)
        async with aiohttp.ClientSession(
            connector=connector,
            trust_env=False,
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
        ) as session:
            try:
                async with session.request(
                    method,
                    _as_url(target),
                    headers=[*headers, ("Accept-Encoding", "identity")],
                    data=body,
                    allow_redirects=False,
                    max_line_size=8190,
                    max_field_size=8190,
                ) as response:
                    raw = await self._read(response)
                    return HttpResponse(
                        status=response.status,
                        body=self._plain(raw, response.headers.get("Content-Encoding", "")),
                        url=str(target),
                        headers=tuple((k.lower(), v) for k, v in response.headers.items()),
                    )
            except (aiohttp.ClientError, OSError) as error:
                raise NoResponse(f"{target.origin}: {type(error).__name__}: {error}") from None

    async def _read(self, response: Any) -> bytes:
        held = bytearray()
        async for chunk in response.content.iter_chunked(1 << 16):
            held += chunk
            if len(held) > self.most_bytes:
                raise TooMuch(f"the reply is longer than {self.most_bytes} bytes")
        return bytes(held)

    def _plain(self, raw: bytes, encoding: str) -> bytes:
        """Undo gzip that was not requested, within the size cap and a limit on the ratio."""
        if encoding.strip().lower() in ("", "identity"):
            return raw
        if encoding.strip().lower() not in ("gzip", "deflate"):
            raise NoResponse(f"the reply is encoded as {encoding!r}")
        most = min(self.most_bytes, max(1024, len(raw) * _MOST_RATIO))
        unpacking = zlib.decompressobj(wbits=47)
        try:
            plain = unpacking.decompress(raw, most + 1)
        except zlib.error as error:
            raise NoResponse(f"the reply cannot be unpacked: {error}") from None
        if len(plain) > most:
            raise TooMuch("the reply unpacks to more than it may")
        if not unpacking.eof:
            raise NoResponse("the packed reply ends early")
        return plain


def _part(module: str) -> Any:
    package = module.partition(".")[0]
    return need(module, package=package, extra="http", purpose="asking an HTTP API")


def _as_url(target: HttpTarget) -> Any:
    return _part("yarl").URL(str(target), encoded=True)


def _pinned(address: str) -> Any:
    """A resolver that knows one address and gives it for every name."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    base = _part("aiohttp.abc")

    async def resolve(_: Any, host: str, port: int = 0, **__: Any) -> list[dict[str, Any]]:
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": family,
                "proto": 0,
                "flags": socket.AI_NUMERICHOST,
            }
        ]

    async def close(_: Any) -> None:
        return None

    return type("Pinned", (base.AbstractResolver,), {"resolve": resolve, "close": close})()
