"""Does a calibrated threshold keep its promise on answers it has not seen?

    make bench-quality      or      python -m benchmarks quality_calibration [--answers N]

The development slice of RAGTruth, scored by the built-in judge, is split by source 1,000 times:
one half calibrates at a confidence of 95 %, the other half is accepted or not. Printed for each
accepted risk: in how many splits the error among the accepted answers of the other half kept to it
(with a 95 % interval; that half has its own luck, so this asks for more than the promise), what
share of the answers was accepted (with the middle 95 % of the splits), the error among them, and
how often the data was said not to support a threshold, in which case nothing is accepted. Six
answers share a source, so they are not quite the independent draws that the promise is about.
"""

from __future__ import annotations

import argparse
import math
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

RISKS = (0.05, 0.10, 0.20)


def main() -> None:
    """Print how often the bound held, and what it cost in coverage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=900, help="about so many (0: all)")
    parser.add_argument("--splits", type=int, default=1000)
    given, _ = parser.parse_known_args()
    rows = development_slice(given.answers)
    if rows is None:
        return
    wrong = sum(row.wrong for row in rows) / len(rows)
    print(f"{len(rows)} answers, {wrong:.1%} of them with a labelled hallucination")
    for how, labelled in _scores(rows).items():
        _print(how, labelled, given.splits)
    for task in sorted({row.task for row in rows}):
        part = [row for row in rows if row.task == task]
        wrong = sum(row.wrong for row in part) / len(part)
        told = f"{task} alone ({len(part)} answers, {wrong:.1%} wrong), risk"
        _print(told, _scores(part)["risk"], given.splits)


def _print(how: str, labelled: Sequence[tuple[str, Labelled]], splits: int) -> None:
    curve = area_under(risk_coverage([one for _, one in labelled]))
    print(f"\n{how}: mean error over all coverages {curve:.3f}")
    for risk in RISKS:
        print("  " + _line(labelled, risk, splits), flush=True)


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


def _line(rows: Sequence[tuple[str, Labelled]], risk: float, splits: int) -> str:
    dice = random.Random(11)
    sources = sorted({source for source, _ in rows})
    kept = refused = 0
    coverages, errors = [], []
    for _ in range(splits):
        dice.shuffle(sources)
        mine = set(sources[: len(sources) // 2])
        found = calibrate([one for s, one in rows if s in mine], risk=risk, confidence=0.95)
        fresh = [one for s, one in rows if s not in mine]
        limit = found.threshold if isinstance(found, Calibration) else -1.0
        taken = [one for one in fresh if not one.held and one.risk <= limit]
        error = sum(one.wrong for one in taken) / len(taken) if taken else 0.0
        refused += not isinstance(found, Calibration)
        kept += error <= risk
        coverages.append(len(taken) / len(fresh))
        errors += [error] if taken else []
    low, high = _wilson(kept, splits)
    ranked = sorted(coverages)
    most, least = ranked[int(0.975 * splits)], ranked[int(0.025 * splits)]
    mean = f"{statistics.fmean(errors):.1%}" if errors else "-"
    return (
        f"accepted risk {risk:3.0%}: kept in {kept / splits:6.1%} [{low:.1%}, {high:.1%}] of "
        f"{splits} splits, coverage {statistics.fmean(coverages):5.1%} [{least:.1%}, {most:.1%}], "
        f"error among accepted {mean}, no threshold in {refused / splits:5.1%}"
    )


def _wilson(hits: int, total: int) -> tuple[float, float]:
    """A 95 % interval for a share."""
    share, z = hits / total, 1.96
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = (
        z
        / (1 + z * z / total)
        * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    )
    return max(0.0, middle - half), min(1.0, middle + half)


if __name__ == "__main__":
    main()
