"""What does repair without a model do to an answer? Figures on the development slice of RAGTruth.

    make bench-quality
    python -m benchmarks quality_repair [--answers N] [--leave-out N] [--order NAME…]

An answer that the policy ``balanced`` holds back is patched by offsets, at most twice, and judged
again, once in each order: what becomes of a claim that cannot be corrected. Supported text is what
lies outside every span that people labelled as hallucinated; it is lost when a patch takes it out
or changes it. Intervals (95 %) are drawn by resampling sources.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._slice import Judged, development_slice  # noqa: E402
from firmground.revise import Unsupported  # noqa: E402

DRAWS = 500
Rows = Sequence[Judged]
Figure = Callable[[Rows, Unsupported], float]


def main() -> None:
    """Print what stands after repair, what was lost, and what was left in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=300, help="about so many (0: all)")
    parser.add_argument("--leave-out", type=int, default=0, help="pass over the first so many")
    parser.add_argument("--order", type=Unsupported, nargs="+", default=list(Unsupported))
    given, _ = parser.parse_known_args()
    rows = development_slice(given.answers, given.order, leave_out=given.leave_out)
    if rows is None:
        return
    held = sum(not row.stands for row in rows)
    wrong = sum(row.wrong for row in rows if not row.stands)
    print(f"{len(rows)} answers, {held} held back, {wrong} of them with a labelled hallucination")
    for order in given.order:
        print(f"\n{order}{' (what firmground does by itself)' * (order is Unsupported.SPARE)}")
        for name, figure in FIGURES.items():
            low, high = _interval(rows, order, figure)
            print(f"  {name:54} {figure(rows, order):7.2%}  [{low:.2%}, {high:.2%}]")
        tasks = ("QA", "Summary", "Data2txt")
        parts = [(t, [r for r in rows if r.task == t and not r.stands]) for t in tasks]
        told = [f"{t} {stands(part, order):.1%} of {len(part)}" for t, part in parts]
        print(f"  {'the patched answer stands, by task':54} {', '.join(told)}", flush=True)


def stands(rows: Rows, order: Unsupported) -> float:
    """Share of the answers that were held back whose patched version stands."""
    held = _held(rows)
    return sum(row.repaired[order].stands for row in held) / max(1, len(held))


def untouched(rows: Rows, order: Unsupported) -> float:
    """Share of the supported text that is as it was."""
    kept = sum(row.repaired[order].kept for row in rows)
    return kept / max(1, sum(row.supported for row in rows))


def gone(rows: Rows, order: Unsupported) -> float:
    """Share of the text labelled as hallucinated that is no longer there."""
    held = _held(rows)
    return 1 - sum(r.repaired[order].left for r in held) / max(1, sum(r.labelled for r in held))


def told(rows: Rows, order: Unsupported) -> float:
    """The same, with what is still there beside a mark."""
    held = _held(rows)
    marked = sum(r.repaired[order].marked for r in held)
    return gone(rows, order) + marked / max(1, sum(r.labelled for r in held))


FIGURES: dict[str, Figure] = {
    "held back, and the patched answer stands": stands,
    "supported text untouched, of all answers": untouched,
    "supported text untouched, of those held back": lambda r, o: untouched(_held(r), o),
    "labelled text gone, of those held back": gone,
    "labelled text gone or marked, of those held back": told,
}


def _held(rows: Rows) -> list[Judged]:
    return [row for row in rows if not row.stands]


def _interval(rows: Rows, order: Unsupported, figure: Figure) -> tuple[float, float]:
    by_source: dict[str, list[Judged]] = defaultdict(list)
    for row in rows:
        by_source[row.source].append(row)
    groups, dice = list(by_source.values()), random.Random(7)
    drawn = sorted(
        figure([row for group in dice.choices(groups, k=len(groups)) for row in group], order)
        for _ in range(DRAWS)
    )
    return drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS)]


if __name__ == "__main__":
    main()
