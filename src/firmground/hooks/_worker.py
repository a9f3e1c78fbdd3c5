"""The other side of ``isolated``: reads one parcel, asks one hook, writes one reply."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import pickle
import resource
import signal
import struct
import sys
from typing import Any

from firmground.core.finding import Fault, FaultKind, Verdict

_NEW_USER = 0x10000000
_NEW_PROCESSES = 0x20000000
_DIE_WITH_PARENT = 1


def main() -> None:
    """Serve one request on standard input and output, then end."""
    channel = _keep_channel()
    path, settings, inner = pickle.loads(_read(0))  # noqa: S301 - written by our own parent
    _enclose()
    _limit(settings)
    sys.path[:] = path
    _send(channel, _asked(inner))
    os._exit(0)


def _keep_channel() -> int:
    """Move the reply channel out of the way, so that what the hook prints goes nowhere."""
    channel = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return channel


def _read(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb", closefd=False) as stream:
        size = struct.unpack(">I", stream.read(4))[0]
        parcel = stream.read(size)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    return parcel


def _enclose() -> None:
    """Go on in a process namespace of our own where the kernel lets us.

    Its first process is our child; when that dies, the kernel kills everything in the namespace,
    however often it forked and whatever sessions it opened.
    """
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        if libc.unshare(_NEW_PROCESSES) != 0:
            return
    elif libc.unshare(_NEW_USER | _NEW_PROCESSES) != 0:
        return
    else:
        _keep_identity(user, group)
    child = os.fork()
    if child == 0:
        libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        return
    os.waitpid(child, 0)
    os._exit(0)


def _keep_identity(user: int, group: int) -> None:
    """Be the same user inside the namespace as outside."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _limit(settings: dict[str, int]) -> None:
    for limit, value in (
        (resource.RLIMIT_CPU, settings["cpu_seconds"]),
        (resource.RLIMIT_AS, settings["memory_bytes"]),
        (resource.RLIMIT_NPROC, settings["processes"]),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(limit)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (most, most))


def _asked(inner: bytes) -> dict[str, Any]:
    try:
        hook, case = pickle.loads(inner)  # noqa: S301 - written by our own parent
        reply = asyncio.run(hook.ask(case))
    except BaseException as error:  # noqa: BLE001 - the wall around other people's code
        return _fault(FaultKind.CRASHED, f"raised {type(error).__name__}: {error}")
    if isinstance(reply, Fault):
        return _fault(reply.kind, reply.message)
    if not isinstance(reply, Verdict):
        said = type(reply).__name__
        return _fault(FaultKind.BAD_REPLY, f"replied with {said}, not a Verdict or Fault")
    if type(reply.passed) is not bool:
        return _fault(
            FaultKind.BAD_REPLY, f"verdict.passed is {reply.passed!r:.80}, not True or False"
        )
    return {"verdict": _fields(reply)}


def _fields(verdict: Verdict) -> dict[str, Any]:
    return {
        "passed": verdict.passed,
        "message": verdict.message,
        "confidence": verdict.confidence,
        "details": [list(pair) for pair in verdict.details],
        "guidance": verdict.guidance,
        "version": verdict.version,
        "replied": verdict.replied,
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
