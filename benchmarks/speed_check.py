"""What a whole check costs: against a floor, as texts grow, and on two cores.

Prints ratios and slopes rather than seconds: they hold on another machine too.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from firmground.batch import cores, run_batch
from firmground.core.segment import sentences
from firmground.engine import check
from firmground.engine.many import BatchWork

_SUBJECTS = (
    "The harbour office", "Mayor Lindqvist", "The second reactor", "Kestrel Air", "The survey team",
    "A spokeswoman", "The northern line", "Doctor Okafor", "The archive", "The committee",
)  # fmt: skip
_VERBS = (
    "reported", "closed", "measured", "approved", "rejected", "delivered", "inspected", "opened",
    "repaired", "sold",
)  # fmt: skip
_OBJECTS = (
    "barrels of oil", "new apartments", "faulty valves", "pages of evidence", "passenger trains",
    "tonnes of grain", "medical kits", "letters of complaint", "steel beams", "shares",
)  # fmt: skip
_PLACES = ("in Rotterdam", "near Lake Vänern", "at Pier 9", "on Friday", "after the storm")


JUDGES = ("lexical", "builtin")


def prose(size: int, seed: int) -> str:
    """At least ``size`` characters of sentences with names, numbers and places."""
    source = random.Random(seed)
    written: list[str] = []
    length = 0
    while length < size:
        one = (
            f"{source.choice(_SUBJECTS)} {source.choice(_VERBS)} {source.randint(2, 9000)} "
            f"{source.choice(_OBJECTS)} {source.choice(_PLACES)} in {source.randint(1950, 2026)}."
        )
        written.append(one)
        length += len(one) + 1
    return " ".join(written)


def cpu(work: Callable[[], object], times: int = 3) -> float:
    """The least CPU time of a few runs, in seconds."""
    best = math.inf
    for _ in range(times):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best


def floor(answer: str, evidence: str) -> None:
    """Split into sentences and pass one regular expression over the same text."""
    for text in (answer, evidence):
        sentences(text)
        re.findall(r"\w+", text)


def slope(points: list[tuple[int, float]]) -> float:
    """The exponent k of cost ~ size**k, by least squares on logarithms."""
    xs = [math.log(size) for size, _ in points]
    ys = [math.log(cost) for _, cost in points]
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True))
    return over / sum((x - middle_x) ** 2 for x in xs)


def against_floor() -> None:
    print("whole check against sentence splitting plus one regex pass over the same text")
    for answer_size, evidence_size in ((500, 4_000), (2_000, 20_000), (10_000, 100_000)):
        answer, evidence = prose(answer_size, 1), prose(evidence_size, 2)
        least = cpu(partial(floor, answer, evidence))
        said = f"  answer {answer_size / 1000:4.1f} kB, evidence {evidence_size / 1000:5.1f} kB:"
        for judge in JUDGES:
            whole = cpu(partial(check, answer, evidence, judge=judge), 2)
            said += f"  {judge} {whole * 1000:6.0f} ms, {whole / least:5.1f} times"
        print(said, flush=True)


def growth(
    name: str, make: Callable[[int], tuple[str, str]], judge: str, largest: int = 1_024_000
) -> None:
    print(f"cost as the {name} doubles from 1 kB, judge {judge}")
    points: list[tuple[int, float]] = []
    size = 1_000
    while size <= largest:
        answer, evidence = make(size)
        cost = cpu(partial(check, answer, evidence, judge=judge), 2 if size < 30_000 else 1)
        points.append((size, cost))
        print(
            f"  {size / 1000:7.0f} kB {cost * 1000:10.1f} ms {cost / size * 1e6:8.1f} us/byte",
            flush=True,
        )
        size *= 2
    print(
        f"  slope over all {slope(points):.2f}, from 16 kB on {slope(points[4:]):.2f} (1 is linear)"
    )


def throughput(rows: int = 80) -> None:
    print(f"throughput of a batch of {rows} rows (wall clock, workers started inside)")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.jsonl"
        with source.open("w", encoding="utf-8") as handle:
            for n in range(rows):
                row = {"id": n, "answer": prose(900, n), "evidence": [prose(6_000, 1000 + n)]}
                handle.write(json.dumps(row) + "\n")
        spent: dict[int, tuple[float, float]] = {}
        for workers in (1, 2):
            begun, used = time.perf_counter(), all_cpu()
            run_batch(source, Path(folder) / f"out{workers}", BatchWork(), workers=workers)
            spent[workers] = time.perf_counter() - begun, all_cpu() - used
            print(
                f"  {workers} worker{'s' * (workers > 1)}: {rows / spent[workers][0]:7.1f} rows/s, "
                f"{spent[workers][1] / rows * 1000:6.1f} ms CPU a row"
            )
        same = (Path(folder) / "out1").read_bytes() == (Path(folder) / "out2").read_bytes()
        print(f"  2 workers against 1: {spent[1][0] / spent[2][0]:.2f} times, on {cores()} cores")
        print(f"  (load average before this run {os.getloadavg()[0]:.1f}; a busy machine hides it)")
        print(f"  same bytes out: {same}")


def all_cpu() -> float:
    """CPU time of this process and of all that have ended, in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    check(prose(500, 1), prose(500, 2))
    against_floor()
    for judge in JUDGES:
        # A megabyte of answer is 20,000 claims: eight minutes of the model, and no other slope.
        largest = 1_024_000 if judge == "lexical" else 64_000
        longer = partial(growth, "answer (evidence 4 kB)", judge=judge, largest=largest)
        longer(make=lambda n: (prose(n, 3), prose(4_000, 4)))
        growth("evidence (answer 2 kB)", lambda n: (prose(2_000, 3), prose(n, 4)), judge)
    throughput()


if __name__ == "__main__":
    main()
