"""Processes that lead their own session: started beside the event loop, spoken to on it, ended.

Starting one takes until the new program runs, however long the machine lets it wait. So a thread
of ours does it, one after another, and the loop turns meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial

_REAP_SECONDS = 0.15
_SLICE = 1 << 16
_held: list[subprocess.Popen[bytes]] = []
"""Killed, perhaps not yet gone: kept so that no destructor complains about them."""


@cache
def _starter() -> ThreadPoolExecutor:
    """The one thread that starts processes; they end when it does, so it stays alive."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="firmground-starter")


# A forked copy of us has no such thread, and must not wait for it.
os.register_at_fork(after_in_child=_starter.cache_clear)


class Child:
    """A process with one pipe to it and one from it."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        assert popen.stdin is not None
        assert popen.stdout is not None
        self._popen = popen
        self._to, self._from = popen.stdin.fileno(), popen.stdout.fileno()
        os.set_blocking(self._to, False)
        os.set_blocking(self._from, False)
        self._errors = popen.stderr.fileno() if popen.stderr is not None else -1
        if self._errors >= 0:
            os.set_blocking(self._errors, False)

    async def write(self, data: bytes | bytearray) -> None:
        """Send all of it, a slice for each turn of the loop at most."""
        loop, left = asyncio.get_running_loop(), memoryview(data)
        while left:
            await _ready(self._to, loop.add_writer, loop.remove_writer)
            with suppress(BlockingIOError):
                left = left[os.write(self._to, left[:_SLICE]) :]

    def close_input(self) -> None:
        """Tell it that nothing more will come."""
        assert self._popen.stdin is not None
        self._popen.stdin.close()

    async def read(self) -> bytes:
        """What it wrote, some of it at a time; nothing at the end."""
        return await _some(self._from)

    async def read_errors(self) -> bytes:
        """The same for standard error, where it is captured."""
        return await _some(self._errors)

    async def wait(self) -> int:
        """Its exit code once it has ended, below zero for a signal; it keeps its number."""
        loop = asyncio.get_running_loop()
        try:
            handle = os.pidfd_open(self._popen.pid)
        except (AttributeError, OSError):
            return await asyncio.to_thread(_exit_code, self._popen)
        try:
            await _ready(handle, loop.add_reader, loop.remove_reader)
        finally:
            os.close(handle)
        return _exit_code(self._popen)

    def end(self) -> None:
        """Kill the group; its leader's death takes the process namespace with it.

        Nothing here waits, so that it also happens when we are being called off.
        """
        _killed(self._popen)

    async def ended_within(self, seconds: float) -> int | None:
        """Its exit code, if there is one before so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                return await self.wait()
        return None

    async def reaped(self) -> None:
        """Wait a moment for the kernel to hand over what is left."""
        await self.ended_within(_REAP_SECONDS)


async def started(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    folder: str | None = None,
    errors_heard: bool = False,
) -> Child:
    """Start a program in a session of its own; ``OSError`` when that fails."""
    start = partial(_popen, list(argv), dict(env), folder, errors_heard)
    starting = asyncio.get_running_loop().run_in_executor(_starter(), start)
    try:
        return Child(await asyncio.shield(starting))
    except asyncio.CancelledError:
        starting.add_done_callback(_not_wanted)
        raise


def _popen(
    argv: list[str], env: dict[str, str], folder: str | None, errors_heard: bool
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - argv only, no shell
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if errors_heard else subprocess.DEVNULL,
        bufsize=0,
        env=env,
        cwd=folder,
        start_new_session=True,
    )


def _exit_code(popen: subprocess.Popen[bytes]) -> int:
    """Wait for the exit without reaping: until then the process id is not reused."""
    if popen.returncode is not None:
        return popen.returncode
    told = os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOWAIT)
    assert told is not None
    return told.si_status if told.si_code == os.CLD_EXITED else -told.si_status


def _not_wanted(starting: asyncio.Future[subprocess.Popen[bytes]]) -> None:
    """End a process that was started after its caller stopped waiting."""
    if not starting.cancelled() and starting.exception() is None:
        _killed(starting.result())


def _killed(popen: subprocess.Popen[bytes]) -> None:
    # Once it was reaped, the process id may be reused.
    if popen.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(popen.pid, signal.SIGKILL)
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        if pipe is not None:
            pipe.close()
    _held[:] = [process for process in (*_held, popen) if process.poll() is None]


async def _some(descriptor: int) -> bytes:
    loop = asyncio.get_running_loop()
    while True:
        await _ready(descriptor, loop.add_reader, loop.remove_reader)
        with suppress(BlockingIOError):
            return os.read(descriptor, _SLICE)


async def _ready(
    descriptor: int, add: Callable[..., None], remove: Callable[[int], object]
) -> None:
    """Wait until something can be done with a descriptor."""
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake() -> None:
        if not future.done():
            future.set_result(None)

    add(descriptor, wake)
    try:
        await future
    finally:
        remove(descriptor)
