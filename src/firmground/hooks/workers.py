"""One exchange with a worker process: a packed case in, one reply out, no process left behind.

Work that grows with the size of the case is done in slices or off the event loop.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.core.finding import FaultKind
from firmground.core.redact import SHORTEST_VARIABLE, Redaction
from firmground.errors import InputError
from firmground.hooks.byte_buffer import ByteBuffer
from firmground.hooks.enclose import CROWDED
from firmground.hooks.processes import Child, started

_START = "from firmground.hooks._worker import main; main()"
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR")
_LAST_MOMENT_SECONDS = 1.0
"""Who has nothing more to say is gone soon after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """What one worker may use."""

    memory_bytes: int = 2 << 30
    reply_bytes: int = 1 << 18
    processes: int = 64
    """How many processes and threads it may have at once; one more, and all of them are ended.

    Linux from 5.5 on holds everybody to it, elsewhere the kernel does for ordinary users: they are
    refused another process. Root is exempt there and only the deadline remains.
    """
    environment: tuple[str, ...] = ()
    """Names of environment variables handed on, besides the harmless ones."""

    def __post_init__(self) -> None:
        for field in ("memory_bytes", "reply_bytes", "processes"):
            if getattr(self, field) < 1:
                raise InputError(f"worker {field} must be at least 1, got {getattr(self, field)}")

    @property
    def secrets(self) -> Redaction:
        """What takes the values that were handed on out of replies."""
        values = (os.environ.get(name, "") for name in self.environment if name not in _KEPT)
        return Redaction(value for value in values if len(value) >= SHORTEST_VARIABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFailure:
    """Why nothing came back from a worker."""

    kind: FaultKind
    message: str


async def exchanged(
    parcels: Sequence[bytes | bytearray], *, limits: WorkerLimits, seconds: float
) -> bytes | WorkerFailure:
    """Send the parcels to a new worker; return when it is dead, whichever way it ended."""
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            return await _served((_settings(limits, seconds), *parcels), limits)
    except TimeoutError:
        message = f"no reply within {seconds:.3g} s; ended"
        return WorkerFailure(kind=FaultKind.TIMEOUT, message=message)


async def _served(
    parcels: Sequence[bytes | bytearray], limits: WorkerLimits
) -> bytes | WorkerFailure:
    try:
        worker = await _started(limits)
    except OSError as error:
        return WorkerFailure(kind=FaultKind.LIMIT, message=f"no worker process: {error}")
    try:
        return await _converse(worker, parcels, limits)
    except (EOFError, ConnectionError):
        return await _why_ended(worker, limits)
    finally:
        worker.end()
        await asyncio.shield(worker.reaped())


async def _why_ended(worker: Child, limits: WorkerLimits) -> WorkerFailure:
    if await worker.ended_within(_LAST_MOMENT_SECONDS) == CROWDED:
        message = f"more than {limits.processes} processes and threads at once; ended"
        return WorkerFailure(kind=FaultKind.LIMIT, message=message)
    return WorkerFailure(kind=FaultKind.CRASHED, message="the worker ended without a reply")


def _settings(limits: WorkerLimits, seconds: float) -> bytes:
    settings = {
        "cpu_seconds": int(seconds) + 2,
        "memory_bytes": limits.memory_bytes,
        "processes": limits.processes,
    }
    return pickle.dumps((sys.path, settings))


async def _started(limits: WorkerLimits) -> Child:
    kept = {k: os.environ[k] for k in (*_KEPT, *limits.environment) if k in os.environ}
    path = os.pathsep.join(p for p in sys.path if p)
    # Without -P a module in the folder we happen to be in would stand in for a real one.
    argv = (sys.executable, "-sP", "-c", _START)
    return await started(argv, env={**kept, "PYTHONPATH": path})


async def _converse(
    worker: Child, parcels: Sequence[bytes | bytearray], limits: WorkerLimits
) -> bytes | WorkerFailure:
    for parcel in parcels:
        await worker.write(struct.pack(">Q", len(parcel)))
        await worker.write(parcel)
    held = bytearray()
    await _filled(worker, held, 4)
    size = struct.unpack(">I", held[:4])[0]
    if size > limits.reply_bytes:
        message = f"the reply is longer than {limits.reply_bytes} bytes"
        return WorkerFailure(kind=FaultKind.LIMIT, message=message)
    await _filled(worker, held, 4 + size)
    return bytes(held[4 : 4 + size])


async def _filled(worker: Child, held: bytearray, size: int) -> None:
    while len(held) < size:
        piece = await worker.read()
        if not piece:
            raise EOFError
        held += piece


def packed(value: object) -> bytearray:
    """Pickle a value for a worker of our own; what comes back from one is JSON."""
    pieces = ByteBuffer()
    pickle.Pickler(pieces, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return pieces.held
