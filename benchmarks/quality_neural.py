"""How good is the built-in judge with its trained model? Figures beside the lexical judge's.

    make bench-quality      or      python benchmarks/quality_neural.py [--answers N] [--pairs N]

Along the run-time path (claims, judge, risk) on the development slice of RAGTruth: the 12 % of
sources that no weight, fusion or threshold has seen, weighed to the test split's mixture; then
on pair sets that nothing was trained on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks.quality_lexical import (  # noqa: E402
    TEST_PRIOR,
    Row,
    answer_auc,
    auc,
    calibration_error,
    claim_auc,
    data_dir,
    interval,
    is_dev,
    prf,
    read_rows,
    span_prf,
)
from firmground.claims.prose import prose_claims  # noqa: E402
from firmground.core.claim import Claim  # noqa: E402
from firmground.core.evidence import Evidence  # noqa: E402
from firmground.core.ports import Inquiry  # noqa: E402
from firmground.core.question import Question  # noqa: E402
from firmground.verify.builtin import builtin_judge, builtin_risk  # noqa: E402
from firmground.verify.judge import LexicalJudge  # noqa: E402
from firmground.verify.neural import available  # noqa: E402
from firmground.verify.risk import RiskWeights, flag_from  # noqa: E402
from firmground.verify.support import measure_support  # noqa: E402

UNSEEN = (
    "fever_symmetric", "negnli", "q2", "convfever", "begin", "faithdial_audit", "citint",
    "conjnli", "cad_nli", "docnli_fever", "docnli_mnli",
)  # fmt: skip


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=0, help="at most so many (0: all)")
    parser.add_argument("--pairs", type=int, default=300, help="rows of each pair set (0: none)")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    chosen = parser.parse_args(list(arguments))
    base = data_dir()
    if base is None or not available():
        what = "data in ../shared/data (or FIRMGROUND_DATA)" if base is None else "weights"
        print(f"quality_neural: no {what}; nothing measured")
        return
    judges = {"lexical": (LexicalJudge(), None), "builtin": (builtin_judge(), builtin_risk())}
    figures: dict[str, Any] = {}
    answers = _answers(base, chosen.answers)
    for name, (judge, weights) in judges.items():
        rows = [judged(row, source, judge, weights) for row, source in answers]
        figures[name] = report(name, rows, weights.flag_from if weights else flag_from())
    if chosen.pairs:
        figures["pairs"] = pairs(base, {n: j for n, (j, _) in judges.items()}, chosen.pairs)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1))


def _answers(base: Path, count: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    folder = base / "ragtruth_train"
    sources = {row["source_id"]: row for row in read_rows(folder / "sources.jsonl.gz")}
    picked = [r for r in read_rows(folder / "responses.jsonl.gz") if is_dev(str(r["source_id"]))]
    names = sorted({row["source_id"] for row in picked})
    random.Random(3).shuffle(names)
    kept = set(names[: max(3, count // 6)] if count else names)
    return [(row, sources[row["source_id"]]) for row in picked if row["source_id"] in kept]


def judged(
    row: dict[str, Any], source: dict[str, Any], judge: LexicalJudge, weights: RiskWeights | None
) -> Row:
    """Judge one answer as a check would."""
    answer, query = row["response"], source["query"]
    question = Question(text=query) if query.strip() else None
    evidence = (Evidence(text=source["source_text"]),)
    started = time.process_time()
    claims = prose_claims(answer, question)
    inquiry = Inquiry(question=question, answer=answer, claims=claims, evidence=evidence)
    found = judge.examine(inquiry).assessments
    ids = {evidence[0].id}
    risk = measure_support(answer, found, evidence_ids=ids, risk_weights=weights).risk
    seconds = time.process_time() - started
    gold = {at for one in row["labels"] for at in range(one["start"], one["end"])}
    pointed = {at for one in found for p in one.problems for at in range(p.start, p.end)}
    return Row(
        source=str(row["source_id"]), task=row["task"], hallucinated=bool(row["labels"]), risk=risk,
        falls=any(not one.standing.stands for one in found),
        claims=tuple(
            (1 - one.support, any(at in gold for at in range(one.claim.start, one.claim.end)))
            for one in found if one.claim.checkable
        ),
        gold=len(gold), pointed=len(pointed), both=len(gold & pointed), seconds=seconds,
    )  # fmt: skip


def report(name: str, rows: Sequence[Row], limit: float) -> dict[str, Any]:
    """Print one judge's figures, per task and over all, with intervals over sources."""
    total = sum(len(row.claims) for row in rows)
    print(f"\n{name}: {len(rows)} answers, {total} claims; flagged from risk {limit:.3f}")
    print(f"{'':9} F1 [95 %]                P     R   always  AUC   claim AUC  span F1 [95 %]")
    parts = {"overall": list(rows)} | {t: [r for r in rows if r.task == t] for t in TEST_PRIOR}
    figures: dict[str, Any] = {}
    for task, part in parts.items():
        p, r, f = prf(part, lambda row: row.risk >= limit)
        low, high = interval(part, lambda rs: prf(rs, lambda row: row.risk >= limit)[2])
        always, span = prf(part, lambda _: True)[2], span_prf(part)[2]
        s_low, s_high = interval(part, lambda rs: span_prf(rs)[2])
        figures[task] = {
            "f1": f, "interval": (low, high), "p": p, "r": r, "always": always,
            "auc": answer_auc(part), "claim_auc": claim_auc(part), "span_f1": span,
            "span_interval": (s_low, s_high),
        }  # fmt: skip
        print(
            f"{task:9} {f:.3f} [{low:.3f}, {high:.3f}]  {p:.3f} {r:.3f}  {always:.3f}  "
            f"{answer_auc(part):.3f}  {claim_auc(part):.3f}      "
            f"{span:.3f} [{s_low:.3f}, {s_high:.3f}]"
        )
    spent = sorted(row.seconds for row in rows)
    figures["claims"] = [claim for row in rows for claim in row.claims]
    figures["answers"] = [(row.task, row.risk, row.hallucinated) for row in rows]
    figures["ece"], figures["median_ms"] = calibration_error(rows), 1e3 * spent[len(spent) // 2]
    print(f"calibration error of claims {figures['ece']:.4f}; ", end="")
    print(f"CPU per answer: median {figures['median_ms']:.0f} ms")
    return figures


def pairs(base: Path, judges: dict[str, LexicalJudge], count: int) -> dict[str, Any]:
    """Print balanced accuracy on sets that nothing was trained on.

    `fixed` flags what the judge says does not stand; `tuned` takes the threshold of the other half.
    """
    print(
        f"\n{'pair set':18}" + "".join(f"{n + ' AUC':>13}{'fixed':>8}{'tuned':>8}" for n in judges)
    )
    figures: dict[str, Any] = {}
    for name in UNSEEN:
        rows = list(read_rows(base / "pairs" / f"{name}.jsonl.gz"))
        random.Random(4).shuffle(rows)
        rows = [row for row in rows if row["claim"].strip() and row["source"].strip()][:count]
        line = f"{name:18}"
        for judge_name, judge in judges.items():
            found = [_pair(row, judge) for row in rows]
            truth = [row["label"] == 0 for row in rows]
            scores = [score for score, _ in found]
            values = (
                auc(list(zip(scores, truth, strict=True))),
                balanced([fell for _, fell in found], truth),
                tuned(scores, truth),
            )
            figures.setdefault(name, {})[judge_name] = values
            line += f"{values[0]:13.3f}{values[1]:8.3f}{values[2]:8.3f}"
        print(line, flush=True)
    return figures


def _pair(row: dict[str, Any], judge: LexicalJudge) -> tuple[float, bool]:
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
        known = [truth[i] for i in fit]
        cut = max(
            {scores[i] for i in fit}, key=lambda c: balanced([scores[i] >= c for i in fit], known)
        )
        total += balanced([scores[i] >= cut for i in held], [truth[i] for i in held])
    return total / 2


if __name__ == "__main__":
    main(sys.argv[1:])
