"""A hook in a process of its own, which the deadline ends whatever it does.

The worker may block, spin, swallow signals, print without end or fork: at the deadline its whole
process namespace is killed by the kernel where namespaces are to be had, and its process group
everywhere.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from dataclasses import dataclass

from firmground.core.finding import Fault, FaultKind, Verdict
from firmground.core.ports import Hook, HookCase
from firmground.errors import InputError
from firmground.hooks.processes import end, reaped

_START = "from firmground.hooks._worker import main; main()"
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """What one worker may use."""

    memory_bytes: int = 2 << 30
    reply_bytes: int = 1 << 18
    processes: int = 64
    """Enforced by the kernel for ordinary users; root is exempt and only the kill remains."""
    environment: tuple[str, ...] = ()
    """Names of environment variables handed on, besides the harmless ones."""

    def __post_init__(self) -> None:
        for field in ("memory_bytes", "reply_bytes", "processes"):
            if getattr(self, field) < 1:
                raise InputError(f"worker {field} must be at least 1, got {getattr(self, field)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolatedHook:
    """Runs another hook in a worker process."""

    hook: Hook
    name: str
    limits: WorkerLimits
    timeout_seconds: float = 10.0

    async def ask(self, case: HookCase) -> Verdict | Fault:
        """Ask in a worker process that does not outlive ``timeout_seconds``."""
        return await self.ask_within(case, seconds=self.timeout_seconds)

    async def ask_within(self, case: HookCase, *, seconds: float) -> Verdict | Fault:
        """Ask, and return when the worker is dead, whichever way it ended."""
        try:
            parcel = self._parcel(case, seconds)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            return self._fault(
                FaultKind.MISCONFIGURED,
                f"cannot be sent to a worker process ({error}); define it in an importable module",
            )
        try:
            worker = await self._started()
        except OSError as error:
            return self._fault(FaultKind.LIMIT, f"no worker process: {error}")
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                return self._read(await _converse(worker, parcel, self.limits.reply_bytes))
        except TimeoutError:
            return self._fault(FaultKind.TIMEOUT, f"no reply within {seconds:.3g} s; ended")
        except _TooLong:
            return self._fault(
                FaultKind.LIMIT, f"the reply is longer than {self.limits.reply_bytes} bytes"
            )
        except (asyncio.IncompleteReadError, ConnectionError):
            return self._fault(FaultKind.CRASHED, "the worker ended without a reply")
        finally:
            end(worker)
            await asyncio.shield(reaped(worker))

    def _parcel(self, case: HookCase, seconds: float) -> bytes:
        settings = {
            "cpu_seconds": int(seconds) + 2,
            "memory_bytes": self.limits.memory_bytes,
            "processes": self.limits.processes,
        }
        # Only ever sent to a worker of our own; what comes back is JSON.
        return pickle.dumps((sys.path, settings, pickle.dumps((self.hook, case))))

    async def _started(self) -> Process:
        kept = {k: os.environ[k] for k in (*_KEPT, *self.limits.environment) if k in os.environ}
        path = os.pathsep.join(p for p in sys.path if p)
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-s",
            "-c",
            _START,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env={**kept, "PYTHONPATH": path},
            start_new_session=True,
        )

    def _read(self, reply: bytes) -> Verdict | Fault:
        try:
            return _decoded(json.loads(reply), self.name)
        except (ValueError, RecursionError, TypeError, KeyError) as error:
            return self._fault(FaultKind.BAD_REPLY, f"the worker's reply cannot be read: {error}")

    def _fault(self, kind: FaultKind, message: str) -> Fault:
        return Fault(source=self.name, kind=kind, message=message)


class _TooLong(Exception):  # noqa: N818 - reads as what is the case
    pass


async def _converse(worker: Process, parcel: bytes, most: int) -> bytes:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(struct.pack(">I", len(parcel)) + parcel)
    await worker.stdin.drain()
    size = struct.unpack(">I", await worker.stdout.readexactly(4))[0]
    if size > most:
        raise _TooLong
    return await worker.stdout.readexactly(size)


def _decoded(reply: dict[str, object], name: str) -> Verdict | Fault:
    if "fault" in reply:
        return Fault(
            source=name, kind=FaultKind(str(reply["fault"])), message=str(reply["message"])
        )
    fields = reply["verdict"]
    if not isinstance(fields, dict):
        raise TypeError("verdict is not an object")
    details = fields.pop("details")
    return Verdict(source=name, details=tuple((str(k), str(v)) for k, v in details), **fields)
