"""What the hook engine adds to the hooks, and what a worker process costs.

    PYTHONPATH=src python -m benchmarks speed_hooks

Ratios are against awaiting the same coroutines bare, on the same machine in the same process.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from firmground.core.finding import Fault, Verdict
from firmground.core.ports import HookCase
from firmground.core.question import Question
from firmground.hooks import HookEngine, Registered

COUNT = 100
ROUNDS = 30
CASE = HookCase(question=Question(text="How tall is the tower?"), answer="The tower is 324 m tall.")


@dataclass(frozen=True, kw_only=True)
class Nothing:
    """Says yes at once."""

    name: str

    async def ask(self, case: HookCase) -> Verdict | Fault:
        return Verdict(source=self.name, passed=True, message="fine")


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
        assert isinstance(reply, Verdict), reply
    walls.sort()
    print("one hook in a worker process, wall milliseconds")
    print(f"  median {walls[5] * 1e3:6.1f}   best {walls[0] * 1e3:6.1f}")


def main() -> None:
    asyncio.run(_overhead())
    asyncio.run(_worker())


if __name__ == "__main__":
    main()
