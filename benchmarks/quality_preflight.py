"""Precision, recall and AUC of both preflight profiles on the labelled goals, with intervals.

    PYTHONPATH=src python benchmarks/quality_preflight.py [--json] [--errors]

A goal counts as flagged when its confidence is below the profile's blocking threshold; ``at least
doubted`` and ``doubted real`` are the same with the threshold of a reservation, which holds nothing
back by itself. The
intervals are 95 % percentile bootstraps over goals, fixed seed. ``dev`` is the half the default
profile was set on; ``test`` is the other half of the same pool, by the same hand; ``late`` was
written afterwards, on purpose in other words, and was looked at since. ``fresh`` was written by
somebody who had not read the cues, and none of its errors was looked at: read that one.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from firmground.core.evidence import Evidence
from firmground.core.question import Question
from firmground.preflight import PreflightSettings, inspect_question
from firmground.preflight.settings import BLOCK_BELOW, PARTIAL_BELOW

DATA = Path(__file__).parents[1] / "tests/data"
ROUNDS = 400

Scored = list[tuple[float, bool]]


def scored(goals: list[dict[str, Any]], profile: str) -> Scored:
    settings = PreflightSettings(profile=profile)
    return [
        (
            inspect_question(
                Question(text=g["text"], tools=tuple(g.get("tools", ()))),
                settings=settings,
                evidence=tuple(Evidence(text=t) for t in g.get("evidence", ())),
            ).confidence,
            g["suspicious"],
        )
        for g in goals
    ]


def measures(rows: Scored, profile: str) -> dict[str, float]:
    threshold, doubted = BLOCK_BELOW[profile], PARTIAL_BELOW[profile]
    flagged = [label for value, label in rows if value < threshold]
    bad = sorted(value for value, label in rows if label)
    good = sorted(value for value, label in rows if not label)
    wrongly = [value < threshold for value, label in rows if not label]
    return {
        "precision": sum(flagged) / len(flagged) if flagged else float("nan"),
        "recall": sum(flagged) / len(bad) if bad else float("nan"),
        "auc": area(bad, good),
        "blocked real": sum(wrongly) / len(wrongly) if wrongly else float("nan"),
        "at least doubted": sum(v < doubted for v in bad) / len(bad) if bad else float("nan"),
        "doubted real": sum(v < doubted for v in good) / len(good) if good else float("nan"),
    }


def area(bad: list[float], good: list[float]) -> float:
    if not bad or not good:
        return float("nan")
    from bisect import bisect_left, bisect_right

    wins = sum(
        len(good) - bisect_right(good, b) + 0.5 * (bisect_right(good, b) - bisect_left(good, b))
        for b in bad
    )
    return wins / (len(bad) * len(good))


def with_intervals(rows: Scored, profile: str) -> dict[str, tuple[float, float, float]]:
    chance = random.Random(20260601)
    draws = [measures(chance.choices(rows, k=len(rows)), profile) for _ in range(ROUNDS)]
    result = {}
    for name, value in measures(rows, profile).items():
        spread = sorted(d[name] for d in draws if d[name] == d[name])
        low, high = (
            (spread[int(0.025 * len(spread))], spread[int(0.975 * len(spread)) - 1])
            if spread
            else (float("nan"), float("nan"))
        )
        result[name] = (value, low, high)
    return result


def main() -> None:
    goals = [
        json.loads(line)
        for name in ("preflight_goals.jsonl", "preflight_fresh.jsonl")
        for line in (DATA / name).read_text("utf-8").splitlines()
    ]
    report: dict[str, Any] = {}
    for split in ("dev", "test", "late", "fresh"):
        part = [g for g in goals if g["split"] == split]
        for profile in ("default", "halguard"):
            rows = scored(part, profile)
            report.setdefault(split, {"goals": len(part)})[profile] = with_intervals(rows, profile)
            if "--errors" in sys.argv and profile == "default" and split == "dev":
                for goal, (value, label) in zip(part, rows, strict=True):
                    if (value < BLOCK_BELOW[profile]) != label:
                        print(f"  {value:.2f} {goal['kind']:10} {goal['text']}")
    if "--json" in sys.argv:
        print(json.dumps(report))
        return
    for split, figures in report.items():
        print(f"{split} ({figures['goals']} goals)")
        for profile in ("default", "halguard"):
            cells = "  ".join(
                f"{name} {v:.3f} [{low:.3f}, {high:.3f}]"
                for name, (v, low, high) in figures[profile].items()
            )
            print(f"  {profile:9} {cells}")


if __name__ == "__main__":
    main()
