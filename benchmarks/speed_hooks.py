"""What the hook engine adds to the hooks, what a worker process costs, and how real deadlines are.

    PYTHONPATH=src python -m benchmarks speed_hooks

Ratios are against awaiting the same coroutines bare, on the same machine in the same process.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from firmground.adapters.hooks.citation import CitationHook
from firmground.adapters.hooks.command import CommandHook
from firmground.adapters.hooks.http_api import HttpApiHook
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, HookReply
from firmground.core.ports import HookCase
from firmground.core.question import Question
from firmground.hooks import HookEngine, Registered, WorkerLimits

COUNT = 100
ROUNDS = 30
DEADLINE = 3.0
ENDED = 3
CASE = HookCase(question=Question(text="How tall is the tower?"), answer="The tower is 324 m tall.")


@dataclass(frozen=True, kw_only=True)
class Nothing:
    """Says yes at once."""

    name: str

    async def ask(self, case: HookCase) -> HookReply | Fault:
        return HookReply(source=self.name, passed=True, message="fine")


async def _best(work: Callable[[], Awaitable[object]], rounds: int = ROUNDS) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        await work()
        best = min(best, time.process_time() - start)
    return best


async def _overhead() -> None:
    hooks = [Nothing(name=f"h{i}") for i in range(COUNT)]
    engine = HookEngine([Registered(hook=hook, inline=True) for hook in hooks])

    async def in_turn() -> None:
        for hook in hooks:
            await hook.ask(CASE)

    async def together() -> None:
        await asyncio.gather(*(hook.ask(CASE) for hook in hooks))

    async def asked() -> None:
        await engine.run(CASE)

    turn, side, ours = await _best(in_turn), await _best(together), await _best(asked)
    print(f"{COUNT} hooks that do nothing, CPU microseconds for each")
    print(f"  awaited one after another  {turn / COUNT * 1e6:8.1f}")
    print(f"  awaited with gather        {side / COUNT * 1e6:8.1f}")
    print(f"  asked by the engine        {ours / COUNT * 1e6:8.1f}")
    print(f"  ratio to gather            {ours / side:8.1f}")
    print(f"  the engine adds            {(ours - side) / COUNT * 1e6:8.1f} us for each hook")
    print("  (deadline, breaker, checks, and SHA-256 of what was asked and replied)")


async def _worker() -> None:
    engine = HookEngine([Registered(hook=Nothing(name="h"))])
    walls = []
    for _ in range(10):
        start = time.perf_counter()
        (reply,) = await engine.run(CASE)
        walls.append(time.perf_counter() - start)
        assert isinstance(reply, HookReply), reply
    walls.sort()
    print("one hook in a worker process, wall milliseconds")
    print(f"  median {walls[5] * 1e3:6.1f}   best {walls[0] * 1e3:6.1f}")


@dataclass(frozen=True, kw_only=True)
class Misbehaves:
    """Does not come to an end, in the way named."""

    how: str
    name: str = "misbehaves"

    async def ask(self, case: HookCase) -> HookReply | Fault:
        while True:
            if self.how == "blocks":
                time.sleep(60)
            elif self.how == "floods":
                sys.stdout.write("x" * 65536)
            elif self.how == "forks" and os.fork() == 0:
                os.setsid()
                time.sleep(60)
            elif self.how == "swallows":
                with suppress(BaseException):
                    await asyncio.sleep(60)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """How late the ends came, and how far the event loop lagged, in seconds and in order."""

    late: list[float]
    lags: list[float]

    def line(self, label: str) -> str:
        late, lags = self.late, self.lags
        # Who breaks another limit first is ended there and then.
        since, start = ("start", DEADLINE) if late[-1] < 0 else ("deadline", 0.0)
        median, worst = (late[len(late) // 2] + start) * 1e3, (late[-1] + start) * 1e3
        return (
            f"  {label:12} after the {since + ':':9} median {median:5.0f} ms, "
            f"worst {worst:5.0f} ms   loop lag: p50 {lags[len(lags) // 2] * 1e3:4.1f} ms, "
            f"p99 {lags[int(len(lags) * 0.99)] * 1e3:5.1f} ms, worst {lags[-1] * 1e3:5.1f} ms"
        )


async def _lagging(hooks: list[Registered], case: HookCase, times: int) -> Measured:
    """Ask again and again while a timer of the same loop is watched."""
    limits = WorkerLimits(processes=200)
    late: list[float] = []
    lags: list[float] = []

    async def tick() -> None:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.005)
            lags.append(time.perf_counter() - start - 0.005)

    ticking = asyncio.create_task(tick())
    for _ in range(times):
        start = time.perf_counter()
        await HookEngine(hooks, limits=limits).run(case)
        late.append(time.perf_counter() - start - DEADLINE)
    ticking.cancel()
    return Measured(late=sorted(late), lags=sorted(lags))


async def _ended(how: str) -> None:
    """How late the end comes, and how far the event loop lags while the hook has its way."""
    hook = Registered(hook=Misbehaves(how=how), timeout_seconds=DEADLINE)
    print((await _lagging([hook], CASE, ENDED)).line(how))


FLOODS = {
    "100 Continue": b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000,
    "tiny chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"1\r\nx\r\n" * 200_000,
}


def _flood(port: Any, what: bytes) -> None:
    """A server, in a process of its own, that sends the same thing to everybody for ever."""
    listening = socket.create_server(("127.0.0.1", 0))
    port.send(listening.getsockname()[1])
    while True:
        client, _ = listening.accept()
        with suppress(OSError):
            client.recv(4096)
            while True:
                client.sendall(what)


async def _flooded(port: int, label: str) -> None:
    origin = f"http://127.0.0.1:{port}"
    hook = HttpApiHook(url=origin + "/x", allow=(origin,), private=True)
    asked = Registered(hook=hook, inline=True, timeout_seconds=DEADLINE)
    print((await _lagging([asked], CASE, ENDED)).line(label))


def _floods() -> None:
    for label, what in FLOODS.items():
        ours, theirs = multiprocessing.Pipe()
        server = multiprocessing.get_context("spawn").Process(target=_flood, args=(theirs, what))
        server.start()
        try:
            asyncio.run(_flooded(ours.recv(), label))
        finally:
            server.kill()
            server.join()


async def _long_case() -> None:
    """Ten megabytes of evidence for four workers and two hooks of our own."""
    text = "The tower is 324 m tall. " * 4000
    case = HookCase(
        question=CASE.question,
        answer="See [1] and https://example.org/a. " * 5000,
        evidence=tuple(Evidence(text=f"{number} {text}") for number in range(100)),
    )
    hooks = [Registered(hook=Nothing(name=f"h{number}")) for number in range(4)]
    hooks.append(Registered(hook=CitationHook(), inline=True))
    hooks.append(Registered(hook=CommandHook(argv=("/bin/true",)), inline=True))
    lags = (await _lagging(hooks, case, ENDED)).lags
    print(
        f"  10 MB, six hooks   loop lag: p50 {lags[len(lags) // 2] * 1e3:4.1f} ms, "
        f"p99 {lags[int(len(lags) * 0.99)] * 1e3:5.1f} ms, worst {lags[-1] * 1e3:5.1f} ms"
    )


async def _idle() -> None:
    """The same ticking with nothing else to do: what the machine itself costs."""
    lags = []
    for _ in range(600):
        start = time.perf_counter()
        await asyncio.sleep(0.005)
        lags.append(time.perf_counter() - start - 0.005)
    lags.sort()
    print(
        f"  no hook      loop lag: p50 {lags[300] * 1e3:4.1f} ms, p99 {lags[594] * 1e3:5.1f} ms, "
        f"worst {lags[-1] * 1e3:5.1f} ms"
    )


def main() -> None:
    # Imported beside the loop when first needed; here we look at what comes after.
    import aiohttp  # noqa: F401

    asyncio.run(_overhead())
    asyncio.run(_worker())
    print(f"hooks that never end, deadline {DEADLINE:g} s, {ENDED} times each")
    asyncio.run(_idle())
    for how in ("spins", "blocks", "swallows", "floods", "forks"):
        asyncio.run(_ended(how))
    _floods()
    asyncio.run(_long_case())


if __name__ == "__main__":
    main()
