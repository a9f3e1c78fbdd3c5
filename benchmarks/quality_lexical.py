"""How good is the built-in judge without a model? Prints its figures on the development slice.

    make bench-quality      or      python -m benchmarks quality_lexical [--answers N]

Reads RAGTruth from ../shared/data beside the repository, or from FIRMGROUND_DATA. The slice is
the 12 % of sources that neither scorer was trained on, weighed to the test split's mixture.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._data import data_dir, dev_answers  # noqa: E402
from benchmarks._figures import (  # noqa: E402
    TEST_PRIOR,
    Row,
    answer_auc,
    calibration_error,
    claim_auc,
    interval,
    judged,
    prf,
    span_prf,
)
from firmground.verify.judge import LexicalJudge  # noqa: E402
from firmground.verify.risk import flag_from  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=0, help="about so many (0: all)")
    args, _ = parser.parse_known_args()
    base = data_dir()
    if base is None:
        print("no data in ../shared/data (set FIRMGROUND_DATA to where it is): nothing measured")
        return
    judge = LexicalJudge()
    report([judged(one, judge, None) for one in dev_answers(base, args.answers)])


def report(rows: Sequence[Row]) -> None:
    limit = flag_from()
    parts = {"overall": list(rows)}
    for task in TEST_PRIOR:
        parts[task] = [row for row in rows if row.task == task]
    print(
        f"{len(rows)} answers, {sum(len(r.claims) for r in rows)} claims; flagged from risk {limit}"
    )
    head = "answers F1 [95 %]        P     R     always  answer AUC  "
    head += "claim AUC [95 %]        span F1 [95 %]"
    print(f"{'':9} {head}")
    for name, part in parts.items():
        p, r, f = prf(part, lambda row: row.risk >= limit)
        low, high = interval(part, lambda rs: prf(rs, lambda row: row.risk >= limit)[2])
        always = prf(part, lambda _: True)[2]
        c = claim_auc(part)
        c_low, c_high = interval(part, claim_auc)
        s_low, s_high = interval(part, lambda rs: span_prf(rs)[2])
        print(
            f"{name:9} {f:.3f} [{low:.3f}, {high:.3f}]  {p:.3f} {r:.3f}  {always:.3f}   "
            f"{answer_auc(part):.3f}       {c:.3f} [{c_low:.3f}, {c_high:.3f}]  "
            f"{span_prf(part)[2]:.3f} [{s_low:.3f}, {s_high:.3f}]"
        )
    p, r, f = prf(rows, lambda row: row.falls)
    print(f"flagged when any claim falls: P {p:.3f} R {r:.3f} F1 {f:.3f}")
    p, r, f = span_prf(rows)
    print(
        f"span P {p:.3f} R {r:.3f} F1 {f:.3f}; "
        f"calibration error of claims {calibration_error(rows):.4f}"
    )
    spent = sorted(row.seconds for row in rows)
    print(f"CPU per answer: median {spent[len(spent) // 2] * 1e3:.0f} ms, "
          f"95th percentile {spent[int(len(spent) * 0.95)] * 1e3:.0f} ms")  # fmt: skip


if __name__ == "__main__":
    main()
