"""What does the loop add to the model calls it makes? Ratios to awaiting the same calls bare.

The scripted model replies after a fixed wait; every question takes three calls (an answer and two
rewrites). Judging is left out by a judge that knows the outcome, so that what remains is the
loop, the prompts, the rules and the record. A ratio of 1 is no overhead at all.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from firmground.compat.pipeline import Pipeline
from firmground.core.budget import Budget
from firmground.core.claim import Assessment, Standing
from firmground.core.evidence import EvidenceSpan
from firmground.core.ports import Inquiry, ModelReply, ModelRequest

WAIT_SECONDS = 0.25
CALLS = 3
SOURCE = "Northwind Ltd reported revenue of 24 million euros in 2023. " * 10
QUESTION = "What was the revenue of Northwind Ltd in 2023?"


class Scripted:
    """A model that always replies after the same wait."""

    def __init__(self) -> None:
        self.calls = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.calls += 1
        await asyncio.sleep(WAIT_SECONDS)
        answer = "Revenue was 24 million euros." + " So it was." * (self.calls % 2)
        return ModelReply(texts=(answer,), model="scripted", tokens_in=100, tokens_out=10)


class Doubter:
    """A judge to whom the evidence is silent, so that every attempt of the budget is made."""

    name = "doubter"

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        piece = inquiry.evidence[0]
        return tuple(
            Assessment(
                claim=claim,
                standing=Standing.UNGROUNDED,
                confidence=0.9,
                support=0.1,
                reason="nothing says so",
                evidence=(EvidenceSpan(evidence_id=piece.id, start=0, end=5),),
            )
            for claim in inquiry.claims
        )


async def bare(runs: int) -> float:
    """Wall seconds of the same calls with nothing around them."""
    model = Scripted()
    request = ModelRequest(messages=(("user", QUESTION),))

    async def one() -> None:
        for _ in range(CALLS):
            await model.complete(request)

    started = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(runs)))
    return time.perf_counter() - started


async def looped(runs: int) -> tuple[float, float]:
    """Wall and CPU seconds of so many questions at once."""
    model = Scripted()
    pipeline = Pipeline(
        model=model,
        evidence=SOURCE,
        judge=Doubter(),
        patch=False,
        budget=Budget(regenerations=CALLS - 1),
    )
    started, spent = time.perf_counter(), time.process_time()
    await asyncio.gather(*(pipeline.aask(QUESTION) for _ in range(runs)))
    assert model.calls == CALLS * runs, model.calls
    return time.perf_counter() - started, time.process_time() - spent


def main() -> None:
    """Print the ratio at 1, 10 and 100 runs at once, and the CPU time of each run."""
    asyncio.run(looped(1))
    print(f"{CALLS} calls of {WAIT_SECONDS:.2f} s each")
    for runs in (1, 10, 100):
        least = min(asyncio.run(bare(runs)) for _ in range(3))
        wall, cpu = min(asyncio.run(looped(runs)) for _ in range(3))
        print(
            f"  {runs:3d} at once: {wall / least:5.2f} times the bare calls, "
            f"{cpu / runs * 1e3:6.1f} ms of CPU a run"
        )


if __name__ == "__main__":
    main()
