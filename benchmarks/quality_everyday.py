"""Right verdicts on the everyday corpus: four cells, by kind, and what can be worked out.

python -m benchmarks quality_everyday [--split test] [--judge builtin]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks._data import ROOT
from firmground.bench.everyday import EverydayTrial, lines, load_rows, picture, report
from firmground.engine import Engine

WORKED_OUT = frozenset(
    "arithmetic duration conversion percent sum difference product ratio count division "
    "date_arithmetic date_difference".split()
)
WRONG_NUMBERS = frozenset(
    "wrong_arithmetic wrong_number wrong_unit_or_scale wrong_count wrong_comparison".split()
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", default="test")
    parser.add_argument("--judge", default="builtin")
    parser.add_argument("--answers", help="taken by other benchmarks; has no effect here")
    parser.add_argument("--svg", type=Path, help="where to write the picture")
    chosen, _ = parser.parse_known_args()
    rows = load_rows(ROOT / "corpus" / "everyday", split=chosen.split)
    trials = []
    with Engine(judge=chosen.judge) as engine:
        for row in rows:
            began = time.perf_counter()
            result = engine.check(row.text, list(row.evidence), question=row.question or None)
            trials.append(
                EverydayTrial(
                    row=row,
                    stands=result.stands,
                    inconclusive=result.verdict.value == "could_not_tell",
                    risk=result.risk,
                    seconds=time.perf_counter() - began,
                )
            )
    whole = [trial for trial in trials if trial.row.whole_answer]
    single = [trial for trial in trials if not trial.row.whole_answer]
    for name, part in (("statements", single), ("whole answers", whole)):
        print(f"-- {name}")
        print("\n".join(lines(report(chosen.judge, part))))
    right = [t.stands for t in trials if t.row.supported and t.row.kind in WORKED_OUT]
    wrong = [t.stands for t in trials if not t.row.supported and t.row.kind in WRONG_NUMBERS]
    print(f"right and worked out: {sum(right)} of {len(right)} stand")
    print(f"wrong numbers: {sum(wrong)} of {len(wrong)} stand")
    if chosen.svg:
        chosen.svg.write_text(picture(report(chosen.judge, trials)), encoding="utf-8")


if __name__ == "__main__":
    main()
