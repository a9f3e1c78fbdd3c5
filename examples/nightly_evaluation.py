"""A nightly evaluation: calibrate on labelled answers, check today's, write a report, watch drift.

``python examples/nightly_evaluation.py FOLDER`` writes into FOLDER. The labelled answers and those
of today are made here from a table; put your own JSONL files in their place. Every step is a
command or a call that you can make yourself; nothing needs a network or a model server.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from firmground import Engine, Result
from firmground.config.calibration import load_calibration

NAMES = "Alder Aspen Birch Cedar Elm Fir Hazel Holly Larch Lime Maple Oak Pine Rowan Willow".split()
KINDS = "bridge tower school station library harbour mill".split()


def labelled_rows(count: int, seed: int) -> list[dict[str, Any]]:
    """Make rows with evidence, an answer and whether a person found that it stands."""
    draw = random.Random(seed)
    rows = []
    for number in range(count):
        place = f"{draw.choice(NAMES)} {draw.choice(KINDS)} {number}"
        year, right = draw.randint(1850, 2020), draw.random() < 0.8
        said = year if right else year + draw.choice([-20, -1, 1, 20])
        rows.append(
            {
                "id": f"{seed}-{number}",
                "source": place,
                "question": f"When did the {place} open?",
                "evidence": [f"The {place} opened in {year}. It was renovated later."],
                "answer": f"The {place} opened in {said}.",
                "stands": right,
            }
        )
    return rows


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as JSONL."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def calibrate(folder: Path) -> str:
    """Find the threshold that keeps the error among accepted answers below 10 %."""
    command = [
        sys.executable, "-m", "firmground", "calibrate", "labelled.jsonl", "--judge", "lexical",
        "--risk", "0.1", "--out", "calibration.json", "--plot", "calibration.svg",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"calibrate: {done.stdout}{done.stderr}")
    return done.stdout


def evaluate(folder: Path) -> dict[str, Any]:
    """Check today's answers under the calibrated policy and write results and a report."""
    rows = [json.loads(line) for line in (folder / "today.jsonl").read_text().splitlines()]
    asked = [{key: row[key] for key in ("id", "question", "answer", "evidence")} for row in rows]
    calibration = load_calibration(folder / "calibration.json")
    with Engine(judge="lexical", calibration=calibration) as engine:
        found = [one for one in engine.check_many(asked) if isinstance(one, Result)]
    accepted = [(row, one) for row, one in zip(rows, found, strict=True) if one.decision.released]
    wrong = [one for row, one in accepted if not row["stands"]]
    write_rows(folder / "results.jsonl", [one.to_dict() for one in found])
    summary = {
        "answers": len(rows),
        "accepted": len(accepted),
        "wrong_among_accepted": len(wrong),
        "withheld": len(rows) - len(accepted),
    }
    (folder / "summary.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    return summary


def report(folder: Path) -> None:
    """Write one HTML page with every answer, those that do not stand first."""
    command = [
        sys.executable, "-m", "firmground.integrations.ci", "today.jsonl", "--judge", "lexical",
        "--min-pass-rate", "0", "--report", "report.html",
    ]  # fmt: skip
    subprocess.run(command, cwd=folder, capture_output=True, check=True)


def main(folder: Path, labelled: int = 300, today: int = 40) -> dict[str, Any]:
    """Run the whole evaluation in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / "labelled.jsonl", labelled_rows(labelled, seed=1))
    write_rows(folder / "today.jsonl", labelled_rows(today, seed=2))
    print(calibrate(folder))
    summary = evaluate(folder)
    report(folder)
    print(json.dumps(summary))
    return summary


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "nightly"))
