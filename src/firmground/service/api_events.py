"""New runs as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from firmground.engine.documents import run_row
from firmground.ledger.ledger import Ledger
from firmground.service.api_log import ledger_of, run_filter, whole_number
from firmground.service.problems import HttpProblem
from firmground.service.runtime import Service, service_of

MOST_READERS = 64
POLL_SECONDS = 0.5
HEARTBEAT_SECONDS = 10.0
_MOST_ROWS = 200
_MOST_BEHIND = 2_000


async def run_events(request: Request) -> Response:
    """Send each new run as an event ``run``; goes on behind ``after`` or ``Last-Event-ID``."""
    service = service_of(request)
    log = ledger_of(service)
    fits = run_filter(request)
    last = request.headers.get("last-event-id", "")
    after = int(last) if last.isascii() and last.isdecimal() and len(last) <= 18 else None
    if "after" in request.query_params:
        after = whole_number(request, "after", 0, 1 << 53)
    if after is None:
        newest = await asyncio.to_thread(log.reader.runs, 1 << 53, 1)
        after = newest[0].seq if newest else -1
    if service.event_readers >= MOST_READERS:
        raise HttpProblem(
            "overloaded", f"{MOST_READERS} clients read events already", retry_after=5
        )
    return StreamingResponse(_sent(service, log, after, fits), media_type="text/event-stream")


async def _sent(
    service: Service, log: Ledger, after: int, fits: Callable[[dict[str, Any]], bool]
) -> AsyncIterator[bytes]:
    """Events until the client hangs up or the service stops; the log is asked in intervals."""
    service.event_readers += 1
    try:
        yield b"retry: 2000\n\n"
        silent = 0.0
        while not service.stopping.is_set():
            rows = await asyncio.to_thread(_newer, log, after)
            for row in rows:
                after = row["seq"]
                if fits(row):
                    silent = 0.0
                    yield b"id: %d\nevent: run\ndata: %s\n\n" % (after, orjson.dumps(row))
            if silent >= HEARTBEAT_SECONDS:
                silent = 0.0
                yield b": waiting\n\n"
            silent += await _paused(service)
    finally:
        service.event_readers -= 1


async def _paused(service: Service) -> float:
    """Wait for a moment, or until the service stops; return how long at most."""
    try:
        async with asyncio.timeout(POLL_SECONDS):
            await service.stopping.wait()
    except TimeoutError:
        pass
    return POLL_SECONDS


def _newer(log: Ledger, after: int) -> list[dict[str, Any]]:
    """The runs behind a place, oldest first; of very many only the newest."""
    found: list[dict[str, Any]] = []
    before = 1 << 53
    while len(found) < _MOST_BEHIND:
        rows = log.reader.runs(before, _MOST_ROWS)
        found += [run_row(row) for row in rows if row.seq > after]
        if len(rows) < _MOST_ROWS or rows[-1].seq <= after:
            break
        before = rows[-1].seq
    return found[::-1]
