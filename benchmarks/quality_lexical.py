"""How good is the built-in judge without a model? Prints its figures on the development slice.

    make bench-quality      or      python benchmarks/quality_lexical.py [--answers N]

Reads RAGTruth from ../shared/data beside the repository, or from FIRMGROUND_DATA. The slice is
the 12 % of sources that neither scorer was trained on. Answers are weighed so that every task is
a third and has the share of hallucinated answers that RAGTruth's test split has (34.9 % overall).
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from firmground.claims.prose import prose_claims  # noqa: E402
from firmground.core.evidence import Evidence  # noqa: E402
from firmground.core.ports import Inquiry  # noqa: E402
from firmground.core.question import Question  # noqa: E402
from firmground.verify.judge import LexicalJudge  # noqa: E402
from firmground.verify.risk import flag_from  # noqa: E402
from firmground.verify.support import measure_support  # noqa: E402

TEST_PRIOR = {"QA": 160 / 900, "Summary": 204 / 900, "Data2txt": 579 / 900}
RESAMPLES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One answer, judged."""

    source: str
    task: str
    hallucinated: bool
    risk: float
    falls: bool
    """True when at least one claim does not stand."""
    claims: tuple[tuple[float, bool], ...]
    """(1 - support, overlaps a labelled span) of each checkable claim."""
    gold: int
    pointed: int
    both: int
    """Characters labelled, pointed at, and both."""
    seconds: float
    passed: int = 0
    """Claims that a cascade passed on to its second judge."""


def data_dir() -> Path | None:
    """Find the data, or None."""
    named = os.environ.get("FIRMGROUND_DATA")
    for place in [Path(named)] if named else [ROOT.parent / "shared/data"]:
        if (place / "ragtruth_train").is_dir():
            return place
    return None


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def is_dev(source_id: str) -> bool:
    """The rule by which both scorers' training leaves sources out."""
    return int.from_bytes(hashlib.sha256(source_id.encode()).digest()[:4], "big") % 100 < 12


def judged(row: dict[str, Any], source: dict[str, Any], judge: LexicalJudge) -> Row:
    answer, query = row["response"], source["query"]
    question = Question(text=query) if query.strip() else None
    claims = prose_claims(answer, question)
    evidence = (Evidence(text=source["source_text"]),)
    started = time.process_time()
    found = judge.examine(
        Inquiry(question=question, answer=answer, claims=claims, evidence=evidence)
    ).assessments
    risk = measure_support(answer, found, evidence_ids={evidence[0].id}).risk
    seconds = time.process_time() - started
    gold = {at for one in row["labels"] for at in range(one["start"], one["end"])}
    pointed = {at for one in found for p in one.problems for at in range(p.start, p.end)}
    checkable = [one for one in found if one.claim.checkable]
    return Row(
        source=str(row["source_id"]),
        task=row["task"],
        hallucinated=bool(row["labels"]),
        risk=risk,
        falls=any(not one.standing.stands for one in found),
        claims=tuple(
            (1 - one.support, any(at in gold for at in range(one.claim.start, one.claim.end)))
            for one in checkable
        ),
        gold=len(gold),
        pointed=len(pointed),
        both=len(gold & pointed),
        seconds=seconds,
    )


def weights(rows: Sequence[Row]) -> list[float]:
    """Weigh rows to the test split's mixture of tasks and labels."""
    cells: dict[tuple[str, bool], int] = defaultdict(int)
    for row in rows:
        cells[row.task, row.hallucinated] += 1
    return [
        (TEST_PRIOR[r.task] if r.hallucinated else 1 - TEST_PRIOR[r.task])
        / len(TEST_PRIOR)
        / cells[r.task, r.hallucinated]
        for r in rows
    ]


def prf(rows: Sequence[Row], flag: Callable[[Row], bool]) -> tuple[float, float, float]:
    """Precision, recall and F1 of the hallucinated class."""
    w = weights(rows)
    hit = sum(x for x, r in zip(w, rows, strict=True) if flag(r) and r.hallucinated)
    flagged = sum(x for x, r in zip(w, rows, strict=True) if flag(r))
    labelled = sum(x for x, r in zip(w, rows, strict=True) if r.hallucinated)
    return harmonic(hit / flagged if flagged else 0.0, hit / labelled if labelled else 0.0)


def span_prf(rows: Sequence[Row]) -> tuple[float, float, float]:
    """Precision, recall and F1 over characters."""
    w = weights(rows)
    both = sum(x * r.both for x, r in zip(w, rows, strict=True))
    pointed = sum(x * r.pointed for x, r in zip(w, rows, strict=True))
    gold = sum(x * r.gold for x, r in zip(w, rows, strict=True))
    return harmonic(both / pointed if pointed else 0.0, both / gold if gold else 0.0)


def harmonic(precision: float, recall: float) -> tuple[float, float, float]:
    total = precision + recall
    return precision, recall, 2 * precision * recall / total if total else 0.0


def claim_auc(rows: Sequence[Row]) -> float:
    """Area under the ROC curve over claims, ties counted half."""
    return auc([c for row in rows for c in row.claims])


def answer_auc(rows: Sequence[Row]) -> float:
    """Area under the ROC curve over answers, unweighted."""
    return auc([(row.risk, row.hallucinated) for row in rows])


def auc(pairs: Sequence[tuple[float, bool]]) -> float:
    ordered = sorted(pairs)
    ranks, at = 0.0, 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end][0] == ordered[at][0]:
            end += 1
        ranks += (at + end + 1) / 2 * sum(label for _, label in ordered[at:end])
        at = end
    positive = sum(label for _, label in ordered)
    negative = len(ordered) - positive
    if not positive or not negative:
        return float("nan")
    return (ranks - positive * (positive + 1) / 2) / (positive * negative)


def interval(rows: Sequence[Row], figure: Callable[[Sequence[Row]], float]) -> tuple[float, float]:
    """A 95 % interval by resampling whole sources."""
    by_source: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_source[row.source].append(row)
    groups, dice = list(by_source.values()), random.Random(7)
    drawn = sorted(
        figure([row for group in dice.choices(groups, k=len(groups)) for row in group])
        for _ in range(RESAMPLES)
    )
    return drawn[int(0.025 * RESAMPLES)], drawn[int(0.975 * RESAMPLES)]


def calibration_error(rows: Sequence[Row]) -> float:
    """Mean gap between stated and observed failure of claims, over ten bins of equal size."""
    pairs = sorted(c for row in rows for c in row.claims)
    size = max(1, len(pairs) // 10)
    gaps = [
        abs(sum(p for p, _ in part) - sum(y for _, y in part))
        for part in (pairs[at : at + size] for at in range(0, len(pairs), size))
    ]
    return sum(gaps) / len(pairs)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=0, help="at most so many (0: all)")
    args, _ = parser.parse_known_args()
    base = data_dir()
    if base is None:
        print("no data in ../shared/data (set FIRMGROUND_DATA to where it is): nothing measured")
        return
    folder = base / "ragtruth_train"
    sources = {row["source_id"]: row for row in read_rows(folder / "sources.jsonl.gz")}
    picked = [r for r in read_rows(folder / "responses.jsonl.gz") if is_dev(str(r["source_id"]))]
    if args.answers:
        # Whole sources: each has one answer by each of six models, and no model may be favoured.
        names = sorted({row["source_id"] for row in picked}, key=_digest)
        kept = set(names[: max(1, len(names) * args.answers // len(picked))])
        picked = [row for row in picked if row["source_id"] in kept]
    judge = LexicalJudge()
    report([judged(row, sources[row["source_id"]], judge) for row in picked])


def _digest(source_id: str) -> str:
    return hashlib.sha256(b"sample:" + source_id.encode()).hexdigest()


if __name__ == "__main__":
    main()
