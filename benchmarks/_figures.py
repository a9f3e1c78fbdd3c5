"""An answer of RAGTruth judged along the run-time path, and the figures over many of them.

Answers are weighed so that every task is a third and has the share of hallucinated answers that
RAGTruth's test split has (34.9 % overall); intervals come from resampling whole sources.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._data import Labelled  # noqa: E402
from firmground.claims.prose import prose_claims  # noqa: E402
from firmground.core.evidence import Evidence  # noqa: E402
from firmground.core.ports import Inquiry, Judge  # noqa: E402
from firmground.core.question import Question  # noqa: E402
from firmground.verify.risk import RiskWeights  # noqa: E402
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


def judged(labelled: Labelled, judge: Judge, weights: RiskWeights | None) -> Row:
    """Judge one answer as a check would."""
    row, source = labelled
    answer, query = row["response"], source["query"]
    question = Question(text=query) if query.strip() else None
    evidence = (Evidence(text=source["source_text"]),)
    started = time.process_time()
    claims = prose_claims(answer, question)
    inquiry = Inquiry(question=question, answer=answer, claims=claims, evidence=evidence)
    found = asyncio.run(judge.assess(inquiry))
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
        passed=sum(any(n.check == "cascade" for n in one.notes) for one in found),
    )  # fmt: skip


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
