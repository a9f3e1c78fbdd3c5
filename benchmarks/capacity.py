"""How many replicas for how many answers a minute, and what breaks first: a simulation.

``python -m benchmarks capacity`` measures what one core of this machine does (CPU time of a check
with the chosen judge, time of a commit and of a record in it), then simulates arrivals, replicas
with queues, the writer in each replica, and the one turn to write that all writers share. Give
measured rates of another machine with ``--check-ms``, ``--commit-ms`` and ``--record-ms``.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import math
import random
import tempfile
import time
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

LOADS = (10.0, 1_000.0, 100_000.0)
"""Answers a minute."""
MOST_BUSY = 0.9
"""Cores may be busy so much of the time."""
LATE_SECONDS = 2.0
"""The slowest of a hundred requests may take this much longer than its check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What was measured: seconds of one core, and of the database."""

    check: float
    """Seconds that one core computes for one answer."""
    commit: float
    """Seconds that a transaction holds the turn to write, whatever is in it."""
    record: float
    """Seconds that each record adds to it."""

    @property
    def most_records(self) -> float:
        """Records a second that one log can take, with full batches."""
        return BATCH / (self.commit + BATCH * self.record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is simulated."""

    per_minute: float
    replicas: int
    cores: int = 2
    """Cores of each replica."""
    queue: int = 64
    """Requests that wait in a replica; further ones are refused."""
    rates: Rates
    seconds: float = 30.0
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it."""

    arrived: int
    refused: int
    median: float
    slow: float
    """Seconds within which 99 of 100 were answered and recorded."""
    cores_busy: float
    turn_busy: float
    batch: float
    """Records in a commit, on average."""

    @property
    def breaks_first(self) -> str:
        """The part with the least left."""
        return "cores" if self.cores_busy >= self.turn_busy else "turn to write"


BATCH = 1_000


class _Replica:
    def __init__(self, cores: int) -> None:
        self.free = cores
        self.waiting: deque[float] = deque()
        self.checked: list[float] = []
        """Arrival times of answers that wait to be recorded."""
        self.asked = False


def simulate(plan: Plan) -> Outcome:
    """Run the model; the same plan gives the same outcome."""
    chance, rates = random.Random(plan.seed), plan.rates
    replicas = [_Replica(plan.cores) for _ in range(plan.replicas)]
    events: list[tuple[float, int, str, int, list[float]]] = []
    number = itertools.count()
    turns: deque[int] = deque()
    turn_free = True
    latencies: list[float] = []
    arrived = refused = commits = 0
    core_seconds = turn_seconds = 0.0

    def later(at: float, what: str, who: int, carried: list[float]) -> None:
        heapq.heappush(events, (at, next(number), what, who, carried))

    def begin(now: float, who: int, came: float) -> None:
        nonlocal core_seconds
        replicas[who].free -= 1
        took = chance.expovariate(1 / rates.check)
        core_seconds += took
        later(now + took, "checked", who, [came])

    def take_turn(now: float) -> None:
        nonlocal turn_free, turn_seconds, commits
        if not turn_free or not turns:
            return
        who = turns.popleft()
        part, replicas[who].checked = replicas[who].checked[:BATCH], replicas[who].checked[BATCH:]
        took = rates.commit + len(part) * rates.record
        turn_free, turn_seconds, commits = False, turn_seconds + took, commits + 1
        later(now + took, "recorded", who, part)

    def ask(now: float, who: int) -> None:
        if replicas[who].checked and not replicas[who].asked:
            replicas[who].asked = True
            turns.append(who)
            take_turn(now)

    pause, now = 60 / plan.per_minute, 0.0
    later(chance.expovariate(1 / pause), "arrival", 0, [])
    while events:
        now, _, what, who, carried = heapq.heappop(events)
        if what == "arrival":
            arrived += 1
            who = arrived % plan.replicas
            if replicas[who].free:
                begin(now, who, now)
            elif len(replicas[who].waiting) < plan.queue:
                replicas[who].waiting.append(now)
            else:
                refused += 1
            if now < plan.seconds:
                later(now + chance.expovariate(1 / pause), "arrival", 0, [])
        elif what == "checked":
            replicas[who].free += 1
            replicas[who].checked += carried
            if replicas[who].waiting:
                begin(now, who, replicas[who].waiting.popleft())
            ask(now, who)
        else:
            turn_free, replicas[who].asked = True, False
            latencies += [now - came for came in carried]
            ask(now, who)
            take_turn(now)
    latencies.sort()
    return Outcome(
        arrived=arrived,
        refused=refused,
        median=latencies[len(latencies) // 2] if latencies else math.inf,
        slow=latencies[int(len(latencies) * 0.99)] if latencies else math.inf,
        cores_busy=core_seconds / (now * plan.cores * plan.replicas),
        turn_busy=turn_seconds / now,
        batch=len(latencies) / max(1, commits),
    )


def smallest(per_minute: float, rates: Rates, *, cores: int = 2) -> tuple[Plan, Outcome] | None:
    """The fewest replicas that refuse nobody and are not late; None when no number helps."""
    seconds = min(600.0, max(20.0, 3_000 * 60 / per_minute))
    least = max(1, math.ceil(per_minute / 60 * rates.check / cores))
    for extra in (0, 1, 2, 3, *range(4, 4 + least, max(1, least // 10))):
        plan = Plan(
            per_minute=per_minute, replicas=least + extra, cores=cores, rates=rates, seconds=seconds
        )
        found = simulate(plan)
        late = found.slow > LATE_SECONDS + 5 * rates.check
        if not found.refused and not late and found.cores_busy <= MOST_BUSY:
            return plan, found
        # A busy turn only makes batches larger; it is too busy when records pile up behind it.
        if late and found.turn_busy > 0.97:
            return None
    return None


def measure(judge: str) -> Rates:
    """Measure this machine: CPU time of checks, wall time of commits."""
    import firmground
    from firmground.adapters.stores import open_ledger

    answer = "The bridge opened in 1932. It carries 40,000 cars a day. It was painted in 1987."
    evidence = [
        "The bridge opened in 1932 and carries 40,000 cars a day.",
        "It was painted in 1987.",
    ]
    with firmground.Engine(judge=judge) as engine:
        engine.check(answer, evidence)
        start = time.process_time()
        for _ in range(50):
            result = engine.check(answer, evidence)
        check = (time.process_time() - start) / 50
    place, server = _log()
    try:
        with open_ledger(place) as ledger:
            one = [(result.run, {"label": {"decision": "proceed"}})]
            many = one * 200
            small = min(_timed(lambda: ledger.record_all(one)) for _ in range(20))  # type: ignore[arg-type]
            large = min(_timed(lambda: ledger.record_all(many)) for _ in range(3))  # type: ignore[arg-type]
    finally:
        if server is not None:
            server.remove()
    record = max(1e-6, (large - small) / 199)
    return Rates(check=check, commit=max(1e-5, small - record), record=record)


def _timed(work: object) -> float:
    start = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - start


def _log() -> tuple[str, Any]:
    """A log in PostgreSQL where that is installed, else in a file."""
    from tests.postgres_server import PostgresServer, programs

    if programs() is None:
        return str(Path(tempfile.mkdtemp()) / "log.sqlite"), None
    server = PostgresServer().start()
    return server.address(), server


def report(rates: Rates, *, cores: int, price: float) -> None:
    """Print the table, and where the design ends."""
    print(
        f"rates: {rates.check * 1e3:.1f} ms of a core for an answer, {rates.commit * 1e3:.2f} ms "
        f"for a commit, {rates.record * 1e3:.3f} ms for each record in it"
    )
    head = ("a minute", "logs", "replicas", "cores busy", "turn busy", "a commit", "median s",
            "99 % s", "per million", "first to break")  # fmt: skip
    print("  ".join(f"{word:>12}" for word in head))
    for per_minute in LOADS:
        tries = ((logs, smallest(per_minute / logs, rates, cores=cores)) for logs in range(1, 65))
        logs, found = next(((n, plan) for n, plan in tries if plan is not None), (0, None))
        if found is None:
            print(f"{per_minute:>12,.0f}  not even 64 logs are enough")
            continue
        plan, out = found
        hours = logs * plan.replicas * cores / 60 * (1_000_000 / per_minute)
        row = (f"{per_minute:,.0f}", f"{logs}", f"{logs * plan.replicas:,}",
               f"{out.cores_busy:.0%}", f"{out.turn_busy:.0%}", f"{out.batch:.1f}",
               f"{out.median:.3f}", f"{out.slow:.3f}",
               f"{hours * price:,.2f}", out.breaks_first)  # fmt: skip
        print("  ".join(f"{word:>12}" for word in row))
    minute = rates.most_records * 60
    print(f"one log takes at most {minute:,.0f} records a minute (batches of {BATCH:,})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", default="lexical")
    parser.add_argument("--cores", type=int, default=2, help="Cores of a replica.")
    parser.add_argument("--price", type=float, default=0.04, help="Of one core for one hour.")
    for name in ("check", "commit", "record"):
        parser.add_argument(f"--{name}-ms", type=float)
    given = parser.parse_args()
    stated = {name: getattr(given, f"{name}_ms") for name in ("check", "commit", "record")}
    known = {name: value / 1e3 for name, value in stated.items() if value is not None}
    rates = Rates(**known) if len(known) == 3 else replace(measure(given.judge), **known)
    report(rates, cores=given.cores, price=given.price)


if __name__ == "__main__":
    main()
