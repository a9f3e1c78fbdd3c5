"""The other side of ``workers``: reads its parcels, asks one hook, writes one reply."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import struct
import sys
from typing import Any

from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import ConfigError
from firmground.hooks.enclose import enclose, limit
from firmground.hooks.foreign import HookRecipe


def main() -> None:
    """Serve one request on standard input and output, then end."""
    channel = _keep_channel()
    settings, hook, case = _read(0)
    path, limits = pickle.loads(settings)  # noqa: S301 - written by our own parent
    enclose(network=True, processes=limits["processes"])
    limit(**limits)
    sys.path[:] = path
    asked = os.getpid()
    os.register_at_fork(after_in_child=lambda: os.close(channel))
    reply = _served(hook, case)
    # A copy of us that the hook forked comes this way too, and must not speak for it: its end of
    # the channel is closed, and whatever has that number now is not written to.
    if os.getpid() == asked:
        _send(channel, reply)
    os._exit(0)


def _keep_channel() -> int:
    """Move the reply channel out of the way, so that what the hook prints goes nowhere."""
    channel = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return channel


def _read(descriptor: int) -> tuple[bytes, bytes, bytes]:
    with os.fdopen(descriptor, "rb", closefd=False) as stream:
        settings, hook, case = (
            stream.read(struct.unpack(">Q", stream.read(8))[0]) for _ in range(3)
        )
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    return settings, hook, case


def _served(hook: bytes, case: bytes) -> dict[str, Any]:
    """Ask a hook about a case; without a case, create the hook and describe it."""
    try:
        asked = pickle.loads(case)  # noqa: S301 - written by our own parent
        found = pickle.loads(hook)  # noqa: S301 - the same
        return _described(found) if asked is None else _asked(found, asked)
    except ConfigError as error:
        return _fault(FaultKind.MISCONFIGURED, str(error))
    except BaseException as error:  # noqa: BLE001 - the wall around other people's code
        return _fault(FaultKind.CRASHED, f"raised {type(error).__name__}: {error}")


def _described(recipe: HookRecipe) -> dict[str, Any]:
    try:
        hook = recipe.made()
        version = getattr(hook, "version", "")
        return {
            "name": hook.name,
            "version": version if isinstance(version, str) else "",
            "kind": type(hook).__name__,
        }
    except ConfigError as error:
        return {"refused": str(error)}
    except BaseException as error:  # noqa: BLE001 - the wall around other people's code
        return {"refused": f"cannot be made: {type(error).__name__}: {error}"}


def _asked(hook: Any, case: HookCase) -> dict[str, Any]:
    reply = asyncio.run(hook.ask(case))
    if isinstance(reply, Fault):
        return {**_fault(reply.kind, reply.message), "escalate": reply.escalate}
    if not isinstance(reply, HookReply):
        said = type(reply).__name__
        return _fault(FaultKind.BAD_REPLY, f"replied with {said}, not a HookReply or Fault")
    if type(reply.passed) is not bool:
        return _fault(
            FaultKind.BAD_REPLY, f"verdict.passed is {reply.passed!r:.80}, not True or False"
        )
    return {"verdict": _fields(reply)}


def _fields(verdict: HookReply) -> dict[str, Any]:
    return {
        "passed": verdict.passed,
        "message": verdict.message,
        "confidence": verdict.confidence,
        "details": [list(pair) for pair in verdict.details],
        "guidance": verdict.guidance,
        "version": verdict.version,
        "replied": verdict.replied,
        "escalate": verdict.escalate,
    }


def _fault(kind: FaultKind, message: str) -> dict[str, Any]:
    return {"fault": kind.value, "message": message[:400]}


def _send(channel: int, reply: dict[str, Any]) -> None:
    try:
        data = json.dumps(reply).encode()
    except (TypeError, ValueError, RecursionError) as error:
        data = json.dumps(_fault(FaultKind.BAD_REPLY, f"cannot be written: {error}")).encode()
    data = struct.pack(">I", len(data)) + data
    while data:
        data = data[os.write(channel, data) :]
