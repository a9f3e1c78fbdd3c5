"""Fit the weights of ``firmground.preflight.wording`` on the dev half of the labelled goals.

    PYTHONPATH=src python training/preflight_wording.py

Writes ``src/firmground/preflight/wording_table.py``. Plain gradient descent, no randomness, so the
same goals give the same table. The scale is set on scores from five folds, never on fitted ones.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

from firmground.preflight.question_text import QuestionText, ordered_words
from firmground.preflight.wording import features, prepared

ROOT = Path(__file__).resolve().parents[1]
GOALS = ROOT / "tests/data/preflight_goals.jsonl"
TABLE = ROOT / "src/firmground/preflight/wording_table.py"
FOLDS = 5
PULL = 0.05
STEPS = 300

Row = tuple[list[str], bool]


def read() -> list[Row]:
    rows = []
    for line in GOALS.read_text("utf-8").splitlines():
        goal = json.loads(line)
        if goal["split"] == "dev":
            words = prepared(ordered_words(goal["text"]))
            names = features(words, asks=QuestionText.at(goal["text"]).asks)
            rows.append((sorted(names), bool(goal["suspicious"])))
    return rows


def fit(rows: list[Row]) -> tuple[dict[str, float], float]:
    counts = Counter(name for names, _ in rows for name in names)
    weights = {name: 0.0 for name, n in counts.items() if n >= 2}
    kept = [([n for n in names if n in weights], label) for names, label in rows]
    bias = 0.0
    for _ in range(STEPS):
        slope: dict[str, float] = dict.fromkeys(weights, 0.0)
        lean = 0.0
        for names, label in kept:
            scale = 1.0 / math.sqrt(max(1, len(names)))
            total = bias + scale * sum(weights[n] for n in names)
            error = 1.0 / (1.0 + math.exp(-total)) - label
            lean += error
            for n in names:
                slope[n] += error * scale
        bias -= 0.05 * lean
        for n in weights:
            weights[n] -= 0.1 * (slope[n] + PULL * weights[n])
    return weights, bias


def score(names: list[str], weights: dict[str, float], bias: float) -> float:
    known = [weights[n] for n in names if n in weights]
    return bias + sum(known) / math.sqrt(max(1, len(known)))


def out_of_fold(rows: list[Row]) -> list[tuple[float, bool]]:
    scores = []
    for fold in range(FOLDS):
        weights, bias = fit([r for i, r in enumerate(rows) if i % FOLDS != fold])
        scores += [
            (score(names, weights, bias), label)
            for i, (names, label) in enumerate(rows)
            if i % FOLDS == fold
        ]
    return scores


def calibrate(scores: list[tuple[float, bool]]) -> tuple[float, float]:
    slope, shift = 1.0, 0.0
    for _ in range(4000):
        ds = dt = 0.0
        for value, label in scores:
            error = 1.0 / (1.0 + math.exp(-(slope * value + shift))) - label
            ds += error * value
            dt += error
        slope -= 0.2 * ds / len(scores)
        shift -= 0.2 * dt / len(scores)
    return slope, shift


def write(weights: dict[str, float], bias: float) -> None:
    kept = {n: round(w, 2) for n, w in sorted(weights.items()) if abs(w) >= 0.08}
    line, lines = "", []
    for name, weight in kept.items():
        item = f"{name}:{weight:g}"
        if len(line) + len(item) > 90:
            lines.append(line)
            line = ""
        line = f"{line} {item}".strip()
    lines.append(line)
    body = "\n".join(lines)
    TABLE.write_text(
        '"""Weights of words and word pairs; written by training/preflight_wording.py."""\n\n'
        "from __future__ import annotations\n\n"
        "from typing import Final\n\n"
        f"BIAS: Final = {bias:.3f}\n\n"
        f'_TABLE = """\n{body}\n"""\n\n'
        "WEIGHTS: Final[dict[str, float]] = {\n"
        "    name: float(weight)\n    for item in _TABLE.split()\n"
        '    for name, _, weight in (item.rpartition(":"),)\n}\n',
        "utf-8",
    )
    print(f"{len(kept)} weights, bias {bias:.3f}")


def main() -> None:
    rows = read()
    slope, shift = calibrate(out_of_fold(rows))
    weights, bias = fit(rows)
    print(f"{len(rows)} goals, slope {slope:.3f}, shift {shift:.3f}")
    write({n: w * slope for n, w in weights.items()}, bias * slope + shift)


if __name__ == "__main__":
    main()
