"""Ending a process that leads its own session, and everything it started."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from asyncio.subprocess import Process
from contextlib import suppress
from weakref import WeakKeyDictionary

_REAP_SECONDS = 0.15
_held: list[subprocess.Popen[bytes]] = []
"""Killed, perhaps not yet gone: kept so that no destructor complains about them."""

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def turn_to_start() -> asyncio.Lock:
    """Whose holder may start a process: one at a time, so that the loop turns in between.

    Starting one holds up every thread until the new program runs; eight in a row would be felt.
    """
    loop = asyncio.get_running_loop()
    return _turns.setdefault(loop, asyncio.Lock())


def end(worker: Process) -> None:
    """Kill the group; its leader's death takes the process namespace with it.

    Nothing here waits, so that it also happens when we are being called off.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(worker.pid, signal.SIGKILL)
    # Descendants that hold our pipe open must not keep us waiting for its end.
    transport = worker._transport  # type: ignore[attr-defined]
    transport.close()
    _hold(transport.get_extra_info("subprocess"))


def _hold(killed: subprocess.Popen[bytes]) -> None:
    for process in _held:
        if process.returncode is None and not _exists(process.pid):
            process.returncode = -signal.SIGKILL
    _held[:] = [process for process in _held if process.returncode is None]
    _held.append(killed)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


async def reaped(worker: Process) -> None:
    """Wait a moment for the kernel to hand over what is left."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_REAP_SECONDS):
            await worker.wait()
