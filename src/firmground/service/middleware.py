"""What happens to every request: an id, a log line without content, safe headers."""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firmground.service.metrics import Metrics

log = logging.getLogger("firmground.service")
_REQUEST_ID = re.compile(r"[0-9A-Za-z_.-]{1,64}\Z")


class RequestLog:
    """Gives each request an id and writes one JSON log line about it."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, then log it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
        name = given if _REQUEST_ID.match(given) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = name
        started, status = time.perf_counter(), 499

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = name
                headers.setdefault("Cache-Control", "no-store")
                headers.setdefault("X-Content-Type-Options", "nosniff")
            await send(message)

        try:
            await self.app(scope, receive, noted)
        finally:
            self._write(scope, name, status, time.perf_counter() - started)

    def _write(self, scope: Scope, name: str, status: int, seconds: float) -> None:
        route = scope.get("route")
        endpoint = getattr(route, "path", "unknown")
        self.metrics.request(endpoint, status, seconds)
        state = scope["state"]
        line: dict[str, Any] = {
            "request": name,
            "method": scope["method"],
            "endpoint": endpoint,
            "status": status,
            "ms": round(seconds * 1000, 2),
        }
        if principal := state.get("principal"):
            line["key"] = principal.key_id
        if run := state.get("run"):
            line["run"] = run
        log.info(json.dumps(line))
