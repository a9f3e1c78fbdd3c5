"""Asking an upstream: routing by model, retries before the first byte, one breaker each."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from fnmatch import fnmatchcase
from typing import Any, TypeVar

import aiohttp
import orjson

from firmground.config.proxy import ProxySettings, UpstreamSettings
from firmground.hooks.breaker import Breakers
from firmground.service.proxy.deltas import Delta, ProxyUsage, UnreadableReply, deltas_in
from firmground.service.proxy.sse import EventReader, EventTooLong

T = TypeVar("T")
DONE = b"[DONE]"
MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}\Z")
_PLAIN = re.compile(r"[a-z][a-z0-9_]{0,63}\Z")
_RETRIED = frozenset({429, 502, 503, 504})
_LONGEST_WAIT_SECONDS = 2.0
_MOST_RETRY_CREDIT = 10.0
_CREDIT_PER_REQUEST = 0.1
"""One retry for ten requests at most, after the first few."""


class UpstreamError(Exception):
    """An upstream could not be asked, refused, or sent what cannot be read."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        retry_after: float | None = None,
        outage: bool = True,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.retry_after = retry_after
        self.outage = outage
        """True when it counts against the upstream."""


class Upstreams:
    """The upstreams of one service, with their connections."""

    def __init__(self, settings: ProxySettings) -> None:
        self._settings = settings
        self.breakers = Breakers(settings.breaker)
        self._credit = _MOST_RETRY_CREDIT / 2
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                auto_decompress=False,
                trust_env=False,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    def route(self, model: str) -> UpstreamSettings | None:
        """The first upstream that has this model."""
        for one in self._settings.upstreams:
            if any(fnmatchcase(model, pattern) for pattern in one.models):
                return one
        return None

    async def models(self) -> list[str]:
        """Names in the settings, and those that an upstream lists for a pattern."""
        found: dict[str, None] = {}
        for one in self._settings.upstreams:
            found |= dict.fromkeys(name for name in one.models if "*" not in name)
            if any("*" in name for name in one.models):
                found |= dict.fromkeys(await self._listed(one))
        return list(found)

    async def _listed(self, one: UpstreamSettings) -> list[str]:
        try:
            async with asyncio.timeout(one.connect_seconds * 2):
                async with self._open().get(
                    f"{one.base_url}/models", headers=_headers(one), allow_redirects=False
                ) as reply:
                    document = orjson.loads(await _whole(reply, 1 << 20))
            names = [row["id"] for row in document["data"]]
        except (aiohttp.ClientError, OSError, ValueError, KeyError, TypeError, UnreadableReply):
            return []
        return [
            name
            for name in names
            if isinstance(name, str) and MODEL_NAME.match(name) and self.route(name) is one
        ]

    @asynccontextmanager
    async def ask(
        self, one: UpstreamSettings, body: dict[str, Any], *, choices: int
    ) -> AsyncIterator[AsyncIterator[Delta | ProxyUsage]]:
        """Send a request; give its reply once its first piece is there.

        Tried again only before that piece. What fails afterwards raises ``UpstreamError`` while
        the reply is read.
        """
        self._credit = min(_MOST_RETRY_CREDIT, self._credit + _CREDIT_PER_REQUEST)
        names = dict(one.rename)
        raw = orjson.dumps({**body, "model": names.get(body["model"], body["model"])})
        for tries_left in range(one.retries, -1, -1):
            reply = _Reply(self, one, raw, streamed=bool(body.get("stream")), choices=choices)
            try:
                await reply.begin()
            except UpstreamError as error:
                await reply.end(error)
                wait = self._retry_in(error) if tries_left else None
                if wait is None:
                    raise
                await asyncio.sleep(wait)
                continue
            except BaseException:
                await reply.end(None, abandoned=True)
                raise
            break
        try:
            yield reply.pieces()
        except UpstreamError as error:
            await reply.end(error)
            raise
        except BaseException:
            await reply.end(None, abandoned=not reply.complete)
            raise
        await reply.end(None, abandoned=not reply.complete)

    def _retry_in(self, error: UpstreamError) -> float | None:
        """Seconds to wait before another try; None when there is none."""
        if error.code == "upstream_unavailable" or not (error.outage or error.status == 429):
            return None
        wait = error.retry_after if error.retry_after is not None else random.uniform(0.05, 0.2)  # noqa: S311
        if wait > _LONGEST_WAIT_SECONDS or self._credit < 1:
            return None
        self._credit -= 1
        return wait


class _Reply:
    """One try to get a reply from an upstream."""

    def __init__(
        self, owner: Upstreams, one: UpstreamSettings, raw: bytes, *, streamed: bool, choices: int
    ) -> None:
        self._owner, self._one, self._raw = owner, one, raw
        self._streamed, self._choices = streamed, choices
        self._admission = owner.breakers.admit(one.name)
        self._response: aiohttp.ClientResponse | None = None
        self._most = owner._settings.held_bytes * 2 + (1 << 16)
        self._first: list[Delta | ProxyUsage] = []
        self._source: AsyncIterator[list[Delta | ProxyUsage]] | None = None
        self.complete = False
        self._ended = False

    async def begin(self) -> None:
        """Connect, send, and read up to the first piece."""
        if not self._admission.admitted:
            why = f"the upstream {self._one.name} is not asked after repeated failures"
            cool = self._owner.breakers.policy.cool_down_seconds
            raise UpstreamError(503, "upstream_unavailable", why, retry_after=cool, outage=False)
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=self._one.connect_seconds, sock_read=self._one.idle_seconds
        )
        self._response = await _asked(
            self._one.name,
            self._owner._open().post(
                f"{self._one.base_url}/chat/completions",
                data=self._raw,
                headers=_headers(self._one),
                timeout=timeout,
                allow_redirects=False,
            ),
        )
        if self._response.status != 200:
            raise await _refused(self._one.name, self._response)
        if self._response.headers.get("Content-Encoding", "identity") != "identity":
            raise _unreadable(self._one.name, "it is compressed")
        self._source = self._events() if self._streamed else self._document()
        try:
            self._first = await anext(self._source)
        except StopAsyncIteration:
            raise _unreadable(self._one.name, "it is empty") from None

    async def pieces(self) -> AsyncIterator[Delta | ProxyUsage]:
        """Everything that the upstream says, read strictly."""
        assert self._source is not None
        for piece in self._first:
            yield piece
        async for pieces in self._source:
            for piece in pieces:
                yield piece
        self.complete = True

    async def _document(self) -> AsyncIterator[list[Delta | ProxyUsage]]:
        assert self._response is not None
        try:
            raw = await _asked(self._one.name, _whole(self._response, self._most))
        except UnreadableReply as error:
            raise _unreadable(self._one.name, str(error)) from None
        yield self._parsed(raw)

    async def _events(self) -> AsyncIterator[list[Delta | ProxyUsage]]:
        assert self._response is not None
        reader = EventReader(self._most)
        while True:
            piece = await _asked(self._one.name, self._response.content.readany())
            if not piece:
                return
            try:
                found = reader.feed(piece)
            except EventTooLong:
                raise _unreadable(self._one.name, "an event is too long") from None
            for data in found:
                if data == DONE:
                    return
                yield self._parsed(data)

    def _parsed(self, raw: bytes) -> list[Delta | ProxyUsage]:
        try:
            return list(deltas_in(orjson.loads(raw), choices=self._choices))
        except orjson.JSONDecodeError:
            raise _unreadable(self._one.name, "it is not JSON") from None
        except UnreadableReply as error:
            raise _unreadable(self._one.name, str(error)) from None

    async def end(self, error: UpstreamError | None, *, abandoned: bool = False) -> None:
        """Close the connection, and learn from what happened."""
        if self._ended:
            return
        self._ended = True
        if self._response is not None:
            if self.complete and error is None:
                self._response.release()
            else:
                self._response.close()
        if self._admission.admitted:
            up = None if abandoned else not (error is not None and error.outage)
            self._owner.breakers.learn(self._one.name, self._admission, reachable=up)


def _headers(one: UpstreamSettings) -> dict[str, str]:
    made = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
    if one.key is not None:
        made["Authorization"] = f"Bearer {one.key}"
    return made


async def _asked(name: str, what: Awaitable[T]) -> T:
    """Wait for an upstream; its failures become an ``UpstreamError`` without its words."""
    try:
        return await what
    except TimeoutError:
        raise UpstreamError(504, "upstream_timeout", f"the upstream {name} took too long") from None
    except (aiohttp.ClientError, OSError) as error:
        said = f"the upstream {name} could not be asked: {type(error).__name__}"
        raise UpstreamError(502, "upstream_failed", said) from None


async def _whole(response: aiohttp.ClientResponse, most: int) -> bytes:
    raw = bytearray()
    async for piece in response.content.iter_any():
        raw += piece
        if len(raw) > most:
            raise UnreadableReply(f"it is longer than {most} bytes")
    return bytes(raw)


def _unreadable(name: str, why: str) -> UpstreamError:
    said = f"the reply of the upstream {name} cannot be read: {why}"
    return UpstreamError(502, "upstream_unreadable", said)


async def _refused(name: str, response: aiohttp.ClientResponse) -> UpstreamError:
    """What a client is told about a status other than 200; never the upstream's own words."""
    status = response.status
    code = await _stated_code(response)
    told = f"the upstream {name} answered {status}{f' ({code})' if code else ''}"
    after = response.headers.get("Retry-After", "")
    wait = float(after) if re.fullmatch(r"\d{1,5}", after) else None
    if status == 429:
        return UpstreamError(429, code or "rate_limit_exceeded", told, retry_after=wait or 1.0,
                             outage=False)  # fmt: skip
    if status in (400, 404, 409, 413, 415, 422):
        return UpstreamError(400, code or "upstream_refused", told, outage=False)
    if status in (401, 403):
        return UpstreamError(502, "upstream_credentials", told, outage=False)
    if status in _RETRIED:
        return UpstreamError(503, "upstream_overloaded", told, retry_after=wait)
    return UpstreamError(502, "upstream_failed", told)


async def _stated_code(response: aiohttp.ClientResponse) -> str:
    """The upstream's error code, if it is a plain name."""
    try:
        error = orjson.loads(await _whole(response, 1 << 16))["error"]
        code = error.get("code") or error.get("type")
    except (aiohttp.ClientError, OSError, ValueError, KeyError, TypeError, AttributeError,
            UnreadableReply):  # fmt: skip
        return ""
    return code if isinstance(code, str) and _PLAIN.match(code) else ""
