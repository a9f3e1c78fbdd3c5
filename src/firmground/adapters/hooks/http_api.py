"""Hook that queries an HTTP API about the answer."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from firmground.adapters.extras import need
from firmground.adapters.hooks._common import (
    VERSION,
    Unreadable,
    check_source,
    follow,
    imported,
    in_thread,
    pick,
    read_json,
    same,
    shown,
    skipped,
)
from firmground.adapters.safe_http import (
    HttpResponse,
    HttpTarget,
    NoResponse,
    NotAllowed,
    Origin,
    SafeHttp,
    TooMuch,
)
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.core.redact import MARK, Redaction, secrets_in
from firmground.errors import InputError

_CLOCKS_DIFFER_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpApiHook:
    """Asks an address on an allowlist and compares its JSON reply.

    With a ``pointer``: the value there must equal ``equals``, or occur in the answer when
    ``equals`` is not given. Without: the reply itself is the verdict,
    ``{"passed": true, "message": …, "confidence": …, "guidance": …}``.
    """

    url: str
    allow: tuple[str, ...]
    """Origins that may be asked, ``https://host[:port]``; redirects included."""
    name: str = "http_api"
    query: tuple[tuple[str, str], ...] = ()
    """(parameter, source) pairs, sent percent-encoded."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Sent as they are, and redacted from everything that is reported or stored."""
    query_secrets: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """(parameter, value) pairs that are sent, and redacted like the headers."""
    pointer: str | None = None
    equals: str | float | None = None
    """A text is compared with the value as it is shown, a number only with a number."""
    fresh_pointer: str | None = None
    """Where the reply says when its data is from, RFC 3339."""
    fresh_seconds: float | None = None
    private: bool = False
    most_bytes: int = 1 << 20
    version: str = VERSION
    now: Callable[[], float] = time.time
    http: SafeHttp = field(init=False, repr=False)
    clean: Redaction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        secrets = [value for _, value in (*self.headers, *self.query_secrets)]
        object.__setattr__(self, "clean", Redaction((*secrets, *secrets_in(self.url))))
        for parameter, source in self.query:
            check_source(source, key=f"hook {self.name!r}: query.{parameter}")
        if (self.fresh_pointer is None) != (self.fresh_seconds is None):
            raise InputError(f"hook {self.name!r}: fresh_pointer and fresh_seconds belong together")
        if self.fresh_seconds is not None and not 0 < self.fresh_seconds < math.inf:
            raise InputError(f"hook {self.name!r}: fresh_seconds must be above 0")
        if "#" in self.url:
            raise InputError(f"hook {self.name!r}: url must not hold #; nothing after it is sent")
        object.__setattr__(self, "http", self._http())

    def _http(self) -> SafeHttp:
        """The HTTP client of this hook; an error in an address names the key that holds it."""
        key = "allow"
        try:
            allow = tuple(Origin.parse(text) for text in self.allow)
            http = SafeHttp(allow=allow, private=self.private, most_bytes=self.most_bytes)
            key = "url"
            origin = HttpTarget.parse(self.url).origin
        except InputError as error:
            raise InputError(f"hook {self.name!r}: {key}: {error}") from None
        if origin not in http.allow:
            raise InputError(f"hook {self.name!r}: url: {origin} is not on its own allow list")
        return http

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Ask once and compare; anything but a clear reply is a fault."""
        url = self._address(case)
        if isinstance(url, Fault):
            return url
        await imported(_aiohttp, "aiohttp")
        try:
            reply = await self.http.fetch(url, headers=self.headers)
        except NotAllowed as error:
            hint = "" if self.private else "; private = true allows addresses of your own network"
            return self._fault(FaultKind.REFUSED, f"{error}{hint}")
        except NoResponse as error:
            return self._fault(FaultKind.UNREACHABLE, str(error))
        except TooMuch as error:
            return self._fault(FaultKind.LIMIT, str(error))
        # A megabyte of JSON takes longer to read than an event loop may be held up.
        return await in_thread(lambda _: self._judged(case, reply))

    def _address(self, case: HookCase) -> str | Fault:
        values = [(parameter, pick(case, source)) for parameter, source in self.query]
        missing = [parameter for parameter, value in values if value is None]
        if missing:
            return skipped(self.name, f"nothing to send as {', '.join(missing)}")
        sent = [*((p, v or "") for p, v in values), *self.query_secrets]
        if not sent:
            return self.url
        sign = "&" if "?" in self.url else "?"
        return f"{self.url}{sign}{urlencode(sent)}"

    def _judged(self, case: HookCase, reply: HttpResponse) -> HookReply | Fault:
        if problem := _status_problem(reply.status):
            return self._fault(*problem)
        try:
            document = read_json(reply.body, most_bytes=self.most_bytes)
        except Unreadable as error:
            return self._fault(FaultKind.BAD_REPLY, f"the reply is not usable JSON: {error}")
        replied = self._digest(reply.body, document)
        stale = self._staleness(document)
        if stale is not None:
            return stale if isinstance(stale, Fault) else self._said(False, stale, replied)
        if self.pointer is None:
            return self._own_verdict(document, replied)
        return self._compared(case, document, replied)

    def _digest(self, body: bytes, document: Any) -> str:
        """SHA-256 of the reply; of what is left of it where it repeats a secret."""
        cleaned = self.clean.document(document) if self.clean else document
        told = self.clean(body.decode("utf-8", "replace")) if self.clean else ""
        if self.clean and (cleaned != document or MARK in told):
            body = self.clean(json.dumps(cleaned, ensure_ascii=False)).encode("utf-8", "replace")
        return hashlib.sha256(body).hexdigest()

    def _staleness(self, document: Any) -> str | Fault | None:
        if self.fresh_pointer is None or self.fresh_seconds is None:
            return None
        try:
            written = str(follow(document, self.fresh_pointer))
            moment = datetime.fromisoformat(written)
        except (LookupError, ValueError):
            return self._fault(FaultKind.BAD_REPLY, f"no time at {self.fresh_pointer!r}")
        if moment.tzinfo is None:
            return self._fault(FaultKind.BAD_REPLY, f"{written} has no time zone")
        age = self.now() - moment.timestamp()
        if age > self.fresh_seconds:
            return f"the data is {age:.0f} s old, at most {self.fresh_seconds:.0f} s are allowed"
        if age < -_CLOCKS_DIFFER_SECONDS:
            return self._fault(FaultKind.BAD_REPLY, f"{written} lies in the future")
        return None

    def _own_verdict(self, document: Any, replied: str) -> HookReply | Fault:
        passed = document.get("passed") if isinstance(document, dict) else None
        if type(passed) is not bool:
            return self._fault(FaultKind.BAD_REPLY, "the reply says neither passed true nor false")
        confidence = document.get("confidence", 1.0)
        number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
        if not number or not 0.0 <= confidence <= 1.0:
            return self._fault(FaultKind.BAD_REPLY, "confidence is not a number in [0, 1]")
        return HookReply(
            source=self.name,
            passed=passed,
            message=self.clean(str(document.get("message", "")), most=2000),
            confidence=float(confidence),
            guidance=self.clean(str(document.get("guidance", "")), most=2000),
            version=self.version,
            replied=replied,
        )

    def _compared(self, case: HookCase, document: Any, replied: str) -> HookReply | Fault:
        assert self.pointer is not None
        try:
            found_there = follow(document, self.pointer)
            value = shown(found_there)
        except LookupError:
            return self._fault(FaultKind.BAD_REPLY, f"there is nothing at {self.pointer!r}")
        if self.equals is not None:
            message = f"{self.pointer} is {value}, expected {shown(self.equals)}"
            return self._said(same(found_there, self.equals), message, replied, value)
        if case.answer is None:
            return skipped(self.name, "there is no answer to compare with")
        if not value.strip():
            return self._fault(FaultKind.BAD_REPLY, f"{self.pointer} is empty")
        found = occurs(value, case.answer)
        said = "says so" if found else "does not say so"
        return self._said(found, f"{self.pointer} is {value}; the answer {said}", replied, value)

    def _said(self, passed: bool, message: str, replied: str, value: str = "") -> HookReply:
        return HookReply(
            source=self.name,
            passed=passed,
            message=self.clean(message, most=2000),
            details=(("value", self.clean(value, most=2000)),) if value else (),
            guidance="" if passed else self.clean(f"{self.name} says: {message}", most=2000),
            version=self.version,
            replied=replied,
        )

    def _fault(self, kind: FaultKind, message: str) -> Fault:
        told = self.clean(message)
        return Fault(source=self.name, kind=kind, message=told, version=self.version)


def _aiohttp() -> Any:
    return need("aiohttp", package="aiohttp", extra="http", purpose="asking an HTTP API")


def occurs(value: str, text: str) -> bool:
    """True when the value stands in the text as a whole, not as part of a longer word or number."""
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        before, after = text[start - 1 : start], text[end : end + 1]
        cut = (before.isalnum() and value[0].isalnum()) or (after.isalnum() and value[-1].isalnum())
        longer = value[-1].isdigit() and after in (".", ",") and text[end + 1 : end + 2].isdigit()
        if not cut and not longer and not (value[0].isdigit() and _goes_before(text, start)):
            return True
        start = text.find(value, start + 1)
    return False


def _goes_before(text: str, start: int) -> bool:
    """True when what stands before a number is part of it: a sign, a point, more digits."""
    before, further = text[max(0, start - 1) : start], text[max(0, start - 2) : max(0, start - 1)]
    if before in ("-", "−", "–"):
        return not further.isalpha()
    return before == "." or (before == "," and further.isdigit())


def _status_problem(status: int) -> tuple[FaultKind, str] | None:
    if 200 <= status < 300:
        return None
    if status in (401, 403, 407):
        return FaultKind.REFUSED, f"not let in (status {status})"
    if status == 429:
        return FaultKind.LIMIT, "asked too often (status 429)"
    if status >= 500:
        return FaultKind.UNREACHABLE, f"the server failed (status {status})"
    return FaultKind.BAD_REPLY, f"status {status}"
