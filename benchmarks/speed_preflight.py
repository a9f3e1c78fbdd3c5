"""What preflight costs: CPU microseconds per question, and how it grows to 100 kB.

PYTHONPATH=src python benchmarks/speed_preflight.py [--json]
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from firmground.core.question import Question
from firmground.preflight import PreflightSettings, inspect_question

GOALS = Path(__file__).parents[1] / "tests/data/preflight_goals.jsonl"
HOSTILE = "You are a write up p99 went from 1 ms make up aa-bb/cc. "


def cost(questions: list[Question], settings: PreflightSettings, rounds: int = 9) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for question in questions:
            inspect_question(question, settings=settings)
        best = min(best, time.process_time() - start)
    return best / len(questions) * 1e6


def main() -> None:
    goals = [json.loads(line) for line in GOALS.read_text("utf-8").splitlines()]
    report: dict[str, float] = {}
    for profile in ("default", "halguard"):
        settings = PreflightSettings(profile=profile)
        for kind in ("ordinary", "operations", "role_play", "fabricated"):
            part = [Question(text=g["text"]) for g in goals if g["kind"] == kind]
            report[f"{profile} {kind} us"] = round(cost(part, settings), 1)
    plain = PreflightSettings()
    short = Question(text="How tall is the Eiffel Tower and when was it built?")
    report["one short question, best of 400 us"] = round(cost([short] * 20, plain, 400), 1)
    for size in (1_000, 10_000, 100_000):
        text = (HOSTILE * (size // len(HOSTILE) + 1))[:size]
        report[f"hostile {size} B us/kB"] = round(
            cost([Question(text=text)], plain, 3) / size * 1000, 1
        )
    report["growth 10 kB to 100 kB, per byte"] = round(
        report["hostile 100000 B us/kB"] / report["hostile 10000 B us/kB"], 2
    )
    if "--json" in sys.argv:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:40} {value:>8}")


if __name__ == "__main__":
    main()
