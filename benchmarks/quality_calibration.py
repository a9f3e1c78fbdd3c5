"""Does a calibrated threshold keep its promise on answers it has not seen?

    make bench-quality      or      python benchmarks/quality_calibration.py [--answers N]

The development slice of RAGTruth, scored by the built-in judge, is split by source 1,000 times:
one half calibrates at a confidence of 95 %, the other half is accepted or not. Printed for each
accepted risk: in how many splits the error among accepted answers kept to it, how many of the
answers were accepted, and how often the data was said not to support a threshold.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._slice import Judged, development_slice  # noqa: E402
from firmground.calibrate import (  # noqa: E402
    Calibration,
    Labelled,
    area_under,
    calibrate,
    risk_coverage,
)

SPLITS = 1000
RISKS = (0.05, 0.10, 0.20)


def main(arguments: Sequence[str] = ()) -> None:
    """Print how often the bound held, and what it cost in coverage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=0, help="at most so many (0: all)")
    rows = development_slice(parser.parse_args(list(arguments)).answers)
    if rows is None:
        return
    wrong = sum(row.wrong for row in rows) / len(rows)
    print(f"{len(rows)} answers, {wrong:.1%} of them with a labelled hallucination")
    parts: dict[str, list[Judged]] = {"all": rows}
    for task in sorted({row.task for row in rows}):
        parts[task] = [row for row in rows if row.task == task]
    for name, part in parts.items():
        print(f"\n{name}: {len(part)} answers, {sum(r.wrong for r in part) / len(part):.1%} wrong")
        for how, labelled in _scores(part).items():
            curve = area_under(risk_coverage([one for _, one in labelled]))
            print(f"  {how}, mean error over all coverages {curve:.3f}")
            for risk in RISKS:
                print("    " + _line(labelled, risk), flush=True)


def _scores(rows: Sequence[Judged]) -> dict[str, list[tuple[str, Labelled]]]:
    """The risk alone, the risk behind the other rules of balanced, and the support score."""
    return {
        "risk": [(r.source, Labelled(risk=r.risk, wrong=r.wrong)) for r in rows],
        "risk, under the rules of balanced": [
            (r.source, Labelled(risk=r.risk, wrong=r.wrong, held=r.held)) for r in rows
        ],
        "support": [
            (r.source, Labelled(risk=round(1 - r.support, 6), wrong=r.wrong)) for r in rows
        ],
    }


def _line(rows: Sequence[tuple[str, Labelled]], risk: float) -> str:
    dice = random.Random(11)
    sources = sorted({source for source, _ in rows})
    held = refused = 0
    coverages, errors = [], []
    for _ in range(SPLITS):
        dice.shuffle(sources)
        mine = set(sources[: len(sources) // 2])
        found = calibrate([one for s, one in rows if s in mine], risk=risk, confidence=0.95)
        fresh = [one for s, one in rows if s not in mine]
        if not isinstance(found, Calibration):
            refused += 1
            coverages.append(0.0)
            held += 1
            continue
        taken = [one for one in fresh if not one.held and one.risk <= found.threshold]
        error = sum(one.wrong for one in taken) / len(taken) if taken else 0.0
        held += error <= risk
        coverages.append(len(taken) / len(fresh))
        errors.append(error)
    mean = f"{statistics.fmean(errors):.1%}" if errors else "-"
    return (
        f"accepted risk {risk:4.0%}: kept in {held / SPLITS:6.1%} of {SPLITS} splits, coverage "
        f"{statistics.fmean(coverages):5.1%}, error among accepted {mean}, no threshold in "
        f"{refused / SPLITS:5.1%}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
