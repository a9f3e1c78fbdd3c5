"""A hook in a process of its own, which the deadline ends whatever it does.

The worker may block, spin, swallow signals, print without end or fork: at the deadline its whole
process namespace is killed by the kernel where namespaces are to be had, else whatever it started
is looked for and ended, and its process group everywhere.
"""

from __future__ import annotations

import asyncio
import json
import pickle
from dataclasses import dataclass, field

from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import Hook, HookCase
from firmground.hooks.reply import beside
from firmground.hooks.workers import WorkerFailure, WorkerLimits, exchanged, packed

_MOST_INLINE = 1 << 16
"""A reply up to here is read at once; a longer one beside the event loop."""


class PackedCase:
    """The case as the workers of one run get it: packed once, beside the event loop."""

    def __init__(self) -> None:
        self._packing: asyncio.Future[bytearray] | None = None

    async def of(self, case: HookCase) -> bytearray:
        """The packed case; every caller of one run asks about the same one."""
        if self._packing is None:
            self._packing = asyncio.ensure_future(beside(packed, case))
            # Waiting tasks see the failure; when all were cancelled, nothing needs it.
            self._packing.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(self._packing)


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolatedHook:
    """Runs another hook in a worker process."""

    hook: Hook
    name: str
    limits: WorkerLimits
    timeout_seconds: float = 10.0
    parcels: PackedCase = field(default_factory=PackedCase, repr=False, compare=False)

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Ask in a worker process that does not outlive ``timeout_seconds``."""
        return await self.ask_within(case, seconds=self.timeout_seconds)

    async def ask_within(self, case: HookCase, *, seconds: float) -> HookReply | Fault:
        """Ask, and return when the worker is dead, whichever way it ended."""
        until = asyncio.get_running_loop().time() + seconds
        try:
            parcels = packed(self.hook), await self.parcels.of(case)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            return self._fault(
                FaultKind.MISCONFIGURED,
                f"cannot be sent to a worker process ({error}); define it in an importable module",
            )
        left = until - asyncio.get_running_loop().time()
        reply = await exchanged(parcels, limits=self.limits, seconds=left)
        if isinstance(reply, WorkerFailure):
            return self._fault(reply.kind, reply.message)
        if len(reply) > _MOST_INLINE:
            return await asyncio.to_thread(self._read, reply)
        return self._read(reply)

    def _read(self, reply: bytes) -> HookReply | Fault:
        try:
            return _decoded(json.loads(reply), self.name)
        except (ValueError, RecursionError, TypeError, KeyError) as error:
            return self._fault(FaultKind.BAD_REPLY, f"the worker's reply cannot be read: {error}")

    def _fault(self, kind: FaultKind, message: str) -> Fault:
        return Fault(source=self.name, kind=kind, message=message)


def _decoded(reply: dict[str, object], name: str) -> HookReply | Fault:
    if "fault" in reply:
        return Fault(
            source=name,
            kind=FaultKind(str(reply["fault"])),
            message=str(reply["message"]),
            escalate=reply.get("escalate"),  # type: ignore[arg-type]  # checked by the engine
        )
    fields = reply["verdict"]
    if not isinstance(fields, dict):
        raise TypeError("verdict is not an object")
    details = fields.pop("details")
    return HookReply(source=name, details=tuple((str(k), str(v)) for k, v in details), **fields)
