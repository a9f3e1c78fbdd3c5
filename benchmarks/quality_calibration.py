"""Does a calibrated threshold keep its promise on answers it has not seen?

    make bench-quality      or      python -m benchmarks quality_calibration [--answers N]

The development slice of RAGTruth, scored by the built-in judge, is split by source 1,000 times:
one half calibrates at a confidence of 95 %, the other half is accepted or not. Six answers share a
source, so the sources are what was drawn, and the calibration is told them. Printed for each
accepted risk: in how many splits the error among the accepted answers of the other half kept to it
(with a 95 % interval; that half has its own luck, and what it lacks in errors the first one has, so
this asks for more than the promise), in how many a threshold was found at all (without one nothing
is accepted, which keeps to any risk), what share of the answers was accepted (with the middle 95 %
of the splits), the error among all that were accepted in all splits together, and in how many
splits the threshold found keeps the error of the whole slice to the risk, the nearest there is to
what is promised. The risk is also calibrated at a confidence of 97.5 %, and, for comparison, with
each answer taken for a draw of its own, which they are not.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._slice import development_slice  # noqa: E402
from firmground.calibrate import (  # noqa: E402
    Calibration,
    LabelledScore,
    Refusal,
    area_under,
    calibrate,
    risk_coverage,
)
from firmground.verify.neural import model_version  # noqa: E402

RISKS = (0.05, 0.10, 0.20)
TOLD = "risk, sources told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What is left of an answer once it was judged."""

    source: str
    task: str
    wrong: bool
    risk: float
    support: float
    held: bool


def main() -> None:
    """Print how often the bound held, and what it cost in coverage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=0, help="about so many (0: all)")
    parser.add_argument("--splits", type=int, default=1000)
    parser.add_argument("--scores", type=Path, help="keep the scores here, or take them from here")
    given, _ = parser.parse_known_args()
    rows = _rows(given.answers, given.scores)
    if rows is None:
        return
    wrong = sum(row.wrong for row in rows) / len(rows)
    sources = len({row.source for row in rows})
    print(
        f"{len(rows)} answers of {sources} sources, {wrong:.1%} of them with a labelled "
        f"hallucination; halves of {sources // 2} sources"
    )
    ways = _ways(rows)
    _print("risk, sources told, confidence 97.5%", ways[TOLD], given.splits, confidence=0.975)
    for how, labelled in ways.items():
        _print(how, labelled, given.splits)
    for task in sorted({row.task for row in rows}):
        part = [row for row in rows if row.task == task]
        wrong = sum(row.wrong for row in part) / len(part)
        told = f"{task} alone ({len(part)} answers, {wrong:.1%} wrong), risk, sources told"
        _print(told, _ways(part)[TOLD], given.splits)


def _rows(count: int, kept: Path | None) -> list[Scored] | None:
    """Score the slice, or read what an earlier call with the same weights kept."""
    if kept is not None and kept.is_file():
        stored = json.loads(kept.read_text(encoding="utf-8"))
        if (stored["model"], stored["answers"]) == (model_version(), count):
            print(f"scores from {kept}")
            return [Scored(**one) for one in stored["rows"]]
        print(f"{kept} is of other weights or answers: scored anew")
    judged = development_slice(count)
    if judged is None:
        return None
    names = Scored.__dataclass_fields__
    stored = {
        "model": model_version(),
        "answers": count,
        "rows": [{name: getattr(one, name) for name in names} for one in judged],
    }
    if kept is not None:
        kept.write_text(json.dumps(stored), encoding="utf-8")
    return [Scored(**one) for one in stored["rows"]]


def _ways(rows: Sequence[Scored]) -> dict[str, list[tuple[str, LabelledScore]]]:
    """The risk, the risk behind the other rules of balanced, and the support score."""
    told = [(r, LabelledScore(risk=r.risk, wrong=r.wrong, source=r.source)) for r in rows]
    return {
        TOLD: [(r.source, one) for r, one in told],
        "risk, each answer taken for a draw of its own": [
            (r.source, replace(one, source="")) for r, one in told
        ],
        "risk, under the rules of balanced, sources told": [
            (r.source, replace(one, held=r.held)) for r, one in told
        ],
        "support, sources told": [
            (r.source, replace(one, risk=round(1 - r.support, 6))) for r, one in told
        ],
    }


def _print(
    how: str,
    labelled: Sequence[tuple[str, LabelledScore]],
    splits: int,
    *,
    confidence: float = 0.95,
) -> None:
    curve = area_under(risk_coverage([one for _, one in labelled]))
    print(f"\n{how}: mean error over all coverages {curve:.3f}")
    for risk in RISKS:
        print("  " + _line(labelled, risk, splits, confidence), flush=True)
        whole = calibrate([one for _, one in labelled], risk=risk, confidence=confidence)
        if isinstance(whole, Refusal):
            print(f"    not halved: {whole.reason}")
        else:
            counts = f"{whole.errors} of {whole.accepted} wrong"
            print(f"    not halved: accepts {whole.coverage:.1%}, {counts}")


def _line(
    rows: Sequence[tuple[str, LabelledScore]], risk: float, splits: int, confidence: float
) -> str:
    dice = random.Random(11)
    sources = sorted({source for source, _ in rows})
    kept = found = accepted = wrong = true = 0
    coverages = []
    for _ in range(splits):
        dice.shuffle(sources)
        mine = set(sources[: len(sources) // 2])
        made = calibrate([one for s, one in rows if s in mine], risk=risk, confidence=confidence)
        fresh = [one for s, one in rows if s not in mine]
        limit = made.threshold if isinstance(made, Calibration) else -1.0
        taken = [one for one in fresh if one.accepted_at(limit)]
        errors = sum(one.wrong for one in taken)
        found += isinstance(made, Calibration)
        kept += errors <= risk * len(taken)
        out = [one.wrong for _, one in rows if one.accepted_at(limit)]
        true += sum(out) <= risk * len(out)
        coverages.append(len(taken) / len(fresh))
        accepted, wrong = accepted + len(taken), wrong + errors
    low, high = _wilson(kept, splits)
    ranked = sorted(coverages)
    most, least = ranked[int(0.975 * splits)], ranked[int(0.025 * splits)]
    pooled = f"{wrong / accepted:.1%}" if accepted else "-"
    return (
        f"accepted risk {risk:3.0%}: kept in {kept / splits:6.1%} [{low:.1%}, {high:.1%}] of "
        f"{splits} splits, threshold found in {found / splits:5.1%}, "
        f"coverage {statistics.fmean(coverages):5.1%} [{least:.1%}, {most:.1%}], "
        f"pooled error {pooled}, whole slice kept in {true / splits:.1%}"
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
