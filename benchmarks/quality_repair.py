"""What does mending without a model do to an answer? Figures on the development slice of RAGTruth.

    make bench-quality
    python benchmarks/quality_repair.py [--answers N] [--order narrow|drop|hedge]

An answer that the policy ``balanced`` holds back is patched by offsets, at most twice, and judged
again. ``--order`` says what becomes of a claim that cannot be corrected. Supported text is what
lies outside every span that people labelled as hallucinated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._slice import Judged, development_slice  # noqa: E402
from firmground.revise import Unsupported  # noqa: E402


def main(arguments: Sequence[str] = ()) -> None:
    """Print what stands after mending, what was lost, and what was left in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=0, help="at most so many (0: all)")
    parser.add_argument(
        "--order", type=Unsupported, choices=list(Unsupported), default=Unsupported.NARROW
    )
    given = parser.parse_args(list(arguments))
    rows = development_slice(given.answers, given.order)
    if rows is None:
        return
    print(
        f"{'':9} answers  held back  mended stands  supported text untouched   labelled text gone"
        "  or marked"
    )
    print(f"{'':9}                                    of all     of held back")
    parts = {"all": rows} | {
        t: [r for r in rows if r.task == t] for t in ("QA", "Summary", "Data2txt")
    }
    for name, part in parts.items():
        print(f"{name:9} {_figures(part)}")


def _figures(rows: Sequence[Judged]) -> str:
    held = [row for row in rows if not row.stands]
    fixed = sum(row.stands_then for row in held)
    labelled = max(1, sum(r.labelled for r in held))
    gone = 1 - sum(r.left for r in held) / labelled
    told = gone + sum(r.marked for r in held) / labelled
    return (
        f"{len(rows):7d}  {len(held):9d}  {fixed / max(1, len(held)):13.1%}  {_kept(rows):8.2%}  "
        f"{_kept(held):13.2%}  {gone:20.1%}  {told:9.1%}"
    )


def _kept(rows: Sequence[Judged]) -> float:
    return sum(row.kept for row in rows) / max(1, sum(row.supported for row in rows))


if __name__ == "__main__":
    main(sys.argv[1:])
