"""How good are the judges far from their training? Balanced accuracy on sets they have not seen.

    make bench-quality      or      python -m benchmarks quality_pairs [--pairs N] [--judge NAME]

Both judges on the same rows. `fixed` is the judge's own verdict, at the limits it ships with;
`tuned` takes the threshold that is best on the other half. Neither scorer has seen a row of these
sets: the built-in model was trained on RAGTruth, VitaminC, SNLI, MNLI, InfoTabS, TabFact and
FactCG, its fusion also saw rows of cad_nli and conjnli, the lexical scorer RAGTruth alone. Some
texts behind them overlap with what was trained on (VitaminC and FEVER draw on the same Wikipedia;
docnli_mnli edits MNLI).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._data import data_dir, read_rows  # noqa: E402
from benchmarks._figures import auc  # noqa: E402
from firmground.core.claim import Claim  # noqa: E402
from firmground.core.evidence import Evidence  # noqa: E402
from firmground.core.ports import Inquiry, Judge  # noqa: E402
from firmground.engine.judges import bound_judge  # noqa: E402
from firmground.verify.neural import available  # noqa: E402

UNSEEN = (
    "fever_symmetric", "negnli", "q2", "convfever", "begin", "faithdial_audit", "citint",
    "docnli_fever", "docnli_mnli",
)  # fmt: skip
RESAMPLES = 400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1200, help="rows of each set (0: all)")
    parser.add_argument("--judge", default="builtin", help="beside lexical")
    parser.add_argument("--pairs-json", type=Path, help="write the figures here too")
    chosen, _ = parser.parse_known_args()
    base = data_dir()
    if base is None or not available():
        what = "data in ../shared/data (or FIRMGROUND_DATA)" if base is None else "weights"
        print(f"quality_pairs: no {what}; nothing measured")
        return
    judges = {name: bound_judge(name).judge for name in ("lexical", chosen.judge)}
    print("no scorer was trained on a row of these sets; n rows of each, the same for both")
    print(
        f"{'':16}    n" + "".join(f"{n + ' AUC':>13}{'fixed':>7}{'tuned':>7}" for n in judges),
        end="",
    )
    print("   difference at fixed, points [95 %]")
    figures = {}
    for name in UNSEEN:
        figures[name] = one_set(base, name, judges, chosen.pairs)
    summary(figures, list(judges))
    if chosen.pairs_json:
        chosen.pairs_json.write_text(json.dumps(figures, indent=1))


def one_set(base: Path, name: str, judges: dict[str, Judge], count: int) -> dict[str, Any]:
    """Print and return one set's figures."""
    rows = list(read_rows(base / "pairs" / f"{name}.jsonl.gz"))
    random.Random(4).shuffle(rows)
    rows = [row for row in rows if row["claim"].strip() and row["source"].strip()]
    rows = rows[:count] if count else rows
    truth = [row["label"] == 0 for row in rows]
    line = f"{name:16}{len(rows):5}"
    found: dict[str, Any] = {"n": len(rows)}
    flags = []
    for judge_name, judge in judges.items():
        told = [_pair(row, judge) for row in rows]
        scores, flagged = [score for score, _ in told], [fell for _, fell in told]
        values = (
            auc(list(zip(scores, truth, strict=True))),
            balanced(flagged, truth),
            tuned(scores, truth),
        )
        found[judge_name] = values
        flags.append(flagged)
        line += f"{values[0]:13.3f}{values[1]:7.3f}{values[2]:7.3f}"
    first, second = (found[judge_name][1] for judge_name in judges)
    low, high = difference(flags[0], flags[1], truth)
    found["difference"] = second - first
    print(
        f"{line}   {100 * (second - first):+6.1f} [{100 * low:+.1f}, {100 * high:+.1f}]", flush=True
    )
    return found


def difference(
    first: Sequence[bool], second: Sequence[bool], truth: Sequence[bool]
) -> tuple[float, float]:
    """A 95 % interval of the paired difference, by resampling rows."""
    dice = random.Random(9)
    drawn = []
    for _ in range(RESAMPLES):
        picked = dice.choices(range(len(truth)), k=len(truth))
        known = [truth[i] for i in picked]
        drawn.append(
            balanced([second[i] for i in picked], known)
            - balanced([first[i] for i in picked], known)
        )
    drawn.sort()
    return drawn[int(0.025 * RESAMPLES)], drawn[int(0.975 * RESAMPLES)]


def summary(figures: dict[str, Any], judges: list[str]) -> None:
    """Print the means over sets and the worst difference."""
    means = [
        [sum(f[j][k] for f in figures.values()) / len(figures) for k in range(3)] for j in judges
    ]
    print(f"{'mean':16}     " + "".join(f"{m[0]:13.3f}{m[1]:7.3f}{m[2]:7.3f}" for m in means))
    worst = min(figures, key=lambda name: figures[name]["difference"])
    told = 100 * figures[worst]["difference"]
    print(f"smallest difference: {told:+.1f} points on {worst} (wanted: above -1.0)")


def _pair(row: dict[str, Any], judge: Judge) -> tuple[float, bool]:
    text = row["claim"]
    inquiry = Inquiry(
        question=None,
        answer=text,
        claims=(Claim(text=text, start=0, end=len(text)),),
        evidence=(Evidence(text=row["source"]),),
    )
    (found,) = asyncio.run(judge.assess(inquiry))
    return 1 - found.support, not found.standing.stands


def balanced(flagged: Sequence[bool], truth: Sequence[bool]) -> float:
    """The mean of recall on the unsupported and on the supported."""
    bad = [f for f, t in zip(flagged, truth, strict=True) if t]
    good = [not f for f, t in zip(flagged, truth, strict=True) if not t]
    return (sum(bad) / max(1, len(bad)) + sum(good) / max(1, len(good))) / 2


def tuned(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """Balanced accuracy of each half at the threshold that was best for the other."""
    total = 0.0
    for half in (0, 1):
        fit, held = range(half, len(scores), 2), range(1 - half, len(scores), 2)
        cut = _best_cut([(scores[i], truth[i]) for i in fit])
        total += balanced([scores[i] >= cut for i in held], [truth[i] for i in held])
    return total / 2


def _best_cut(pairs: list[tuple[float, bool]]) -> float:
    """The score from which flagging has the best balanced accuracy, in one pass."""
    ordered = sorted(pairs, reverse=True)
    bad = max(1, sum(label for _, label in ordered))
    good = max(1, len(ordered) - sum(label for _, label in ordered))
    hits = misses = 0
    best = (-1.0, 1.0)
    for at, (score, label) in enumerate(ordered):
        hits, misses = hits + label, misses + (not label)
        following = ordered[at + 1][0] if at + 1 < len(ordered) else score - 1e-9
        if following != score:
            best = max(best, (hits / bad - misses / good, (score + following) / 2))
    return best[1]


if __name__ == "__main__":
    main()
