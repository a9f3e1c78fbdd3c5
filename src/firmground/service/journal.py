"""Exactly one record for each admitted request, whatever happens to client or process."""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import orjson

from firmground.engine import Engine
from firmground.ledger.ids import utc_now, uuid7
from firmground.pipeline.record_ask import Progress, record_ask
from firmground.service.problems import HttpProblem
from firmground.service.state import AdmittedRequest, ServiceState

_CUT_OFF = {"decision": "cut_off", "verdict": "could_not_tell"}


class StoredReply(NamedTuple):
    """The status and the JSON bytes of a reply, and the run that records the request."""

    status: int
    body: bytes
    run: str


class Journal:
    """Notes a request before any work is done for it, and records what did not come to an end."""

    def __init__(self, engine: Engine, state: ServiceState) -> None:
        self._engine = engine
        self._state = state
        self.process = secrets.token_hex(8)
        self._held = _hold(self._lock_file(self.process))

    def _lock_file(self, process: str) -> Path:
        return self._state.folder / f"process-{process}.lock"

    async def run(
        self,
        work: Callable[[str], Awaitable[dict[str, object]]],
        *,
        key_id: str,
        idempotency: str | None,
        digest: bytes,
        kind: str,
    ) -> StoredReply:
        """Do the work under a new run id; a repeated idempotency key gets the first reply."""
        run = uuid7(utc_now())
        earlier = await asyncio.to_thread(
            self._state.begin,
            run,
            key_id=key_id,
            idempotency=idempotency,
            digest=digest,
            kind=kind,
            process=self.process,
        )
        if earlier is not None:
            return _repeated(earlier, digest)
        try:
            document = await work(run)
        except BaseException as error:
            await asyncio.shield(asyncio.to_thread(self.record_cut_off, run, _why(error)))
            raise
        body = orjson.dumps(document)
        kept = body if idempotency is not None else b""
        await asyncio.to_thread(self._state.finish, run, status=200, reply=kept)
        return StoredReply(200, body, run)

    def record_cut_off(self, run: str, why: str) -> None:
        """Record that a request came to no end, unless its run was recorded already."""
        log = self._engine.ledger
        if log is not None and log.reader.find_run(run) is None:
            progress = Progress(question=None, judge="", cut_off=why)
            log.record(record_ask(progress), run_id=run, label=_CUT_OFF)
        self._state.forget([run])

    def recover(self) -> int:
        """Record what requests of processes that have ended left open; return how many."""
        done = 0
        for begun in self._state.unfinished():
            if begun.process == self.process or not _ended(self._lock_file(begun.process)):
                continue
            self.record_cut_off(begun.run, "the service ended before the request did")
            done += 1
        return done

    def close(self) -> None:
        """Release the mark by which others see that this process runs."""
        os.close(self._held)
        with suppress(OSError):
            self._lock_file(self.process).unlink()


def _hold(path: Path) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def _ended(path: Path) -> bool:
    """True when no process holds the file any more."""
    try:
        handle = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _why(error: BaseException) -> str:
    return f"the request failed: {type(error).__name__}"


def _repeated(earlier: AdmittedRequest, digest: bytes) -> StoredReply:
    if earlier.digest != digest:
        raise HttpProblem("conflict", "this Idempotency-Key was used for another request")
    if earlier.status is None or earlier.reply is None:
        detail = "the request with this Idempotency-Key is under way"
        raise HttpProblem("conflict", detail, retry_after=1, run=earlier.run)
    return StoredReply(earlier.status, earlier.reply, earlier.run)
