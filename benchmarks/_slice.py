"""The development slice of RAGTruth, checked by the built-in judge, and repaired without a model.

Both ``quality_calibration`` and ``quality_repair`` read it. What the model says to each of its
inputs is kept in ``build/`` under the name of its weights, so whichever comes second is quick.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._data import data_dir, dev_answers  # noqa: E402
from benchmarks._memory import remember  # noqa: E402
from firmground.core.claim import NotCheckable  # noqa: E402
from firmground.core.decision import Step  # noqa: E402
from firmground.core.evidence import Evidence  # noqa: E402
from firmground.core.finding import Findings  # noqa: E402
from firmground.core.question import Question  # noqa: E402
from firmground.decide import BALANCED, Policy, decide  # noqa: E402
from firmground.engine.judges import bound_judge  # noqa: E402
from firmground.engine.plans import plan_for  # noqa: E402
from firmground.pipeline import Request  # noqa: E402
from firmground.pipeline.check import CheckPlan, examine  # noqa: E402
from firmground.pipeline.repairing import CORRECTABLE  # noqa: E402
from firmground.revise import Unsupported, repair_answer  # noqa: E402
from firmground.verify.builtin import BuiltinScorer  # noqa: E402
from firmground.verify.judge import LexicalJudge  # noqa: E402
from firmground.verify.neural import available  # noqa: E402

ROUNDS = 2
SCORED_BY = ("high_risk", "thin_support")
UNSCORED = Policy(
    name="unscored", rules=tuple(r for r in BALANCED.rules if r.name not in SCORED_BY)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """What repair without a model made of an answer that was held back."""

    stands: bool
    kept: int
    """How many of the supported letters and digits are untouched in what would go out."""
    left: int
    """How many of the labelled ones are still there."""
    marked: int
    """How many of those stand beside a mark that they are not supported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One answer of the slice: what was found, and what each way of repair made of it."""

    source: str
    task: str
    wrong: bool
    risk: float
    support: float
    held: bool
    """True when a rule other than those about scores objects."""
    stands: bool
    supported: int
    """Letters and digits outside every labelled span."""
    labelled: int
    """Letters and digits inside labelled spans."""
    repaired: Mapping[Unsupported, Repaired]


def development_slice(
    count: int, orders: Sequence[Unsupported] = (), *, leave_out: int = 0
) -> list[Judged] | None:
    """About so many answers, repaired in each of the orders; None without data or weights.

    ``leave_out`` passes over the sources of the first so many: answers nobody has looked at.
    """
    base = data_dir()
    if base is None or not available():
        what = "data in ../shared/data (or FIRMGROUND_DATA)" if base is None else "weights"
        print(f"no {what}; nothing measured")
        return None
    _remembering()
    plan = plan_for(policy=BALANCED)
    seen = {row["id"] for row, _ in dev_answers(base, leave_out)} if leave_out else set()
    drawn = dev_answers(base, count and leave_out + count)
    fresh = [(row, source) for row, source in drawn if row["id"] not in seen]
    return [_judged(row, source, plan, orders) for row, source in fresh]


def _remembering() -> None:
    judge = bound_judge("builtin").judge
    assert isinstance(judge, LexicalJudge)
    scorer = judge.scorers[0]
    assert isinstance(scorer, BuiltinScorer)
    remember(scorer.neural, ROOT / "build")


def _judged(
    row: dict[str, Any], source: dict[str, Any], plan: CheckPlan, orders: Sequence[Unsupported]
) -> Judged:
    question = Question(text=source["query"]) if source["query"].strip() else None
    request = Request(
        answer=row["response"], evidence=(Evidence(text=source["source_text"]),), question=question
    )
    found = _look(request, plan)
    assert found.support is not None
    gold = {at for one in row["labels"] for at in range(one["start"], one["end"])}
    letters = [at for at, sign in enumerate(request.answer) if sign.isalnum()]
    good, bad = [a for a in letters if a not in gold], [a for a in letters if a in gold]
    return Judged(
        source=str(row["source_id"]),
        task=row["task"],
        wrong=bool(row["labels"]),
        risk=found.support.risk,
        support=found.support.score,
        held=decide(found, UNSCORED).step is not Step.PROCEED,
        stands=_stands(found),
        supported=len(good),
        labelled=len(bad),
        repaired={order: _repaired(request, found, plan, order, good, bad) for order in orders},
    )


def _repaired(
    request: Request,
    found: Findings,
    plan: CheckPlan,
    order: Unsupported,
    good: Sequence[int],
    bad: Sequence[int],
) -> Repaired:
    places: list[int | None] = list(range(len(request.answer)))
    for _ in range(ROUNDS):
        if _stands(found):
            break
        revision = repair_answer(
            request.answer,
            found.assessments,
            request.evidence,
            correctable=CORRECTABLE,
            unsupported=order,
            citations=found.citations,
        )
        if not revision.patches or not revision.after.strip():
            break
        places = [None if at is None else revision.position(at) for at in places]
        request = replace(request, answer=revision.after, marks=revision.marks(request.marks))
        found = _look(request, plan)
    beside = {
        at
        for one in found.assessments
        if one.claim.not_checkable is NotCheckable.MARKED
        for at in range(one.claim.start, one.claim.end)
    }
    return Repaired(
        stands=_stands(found),
        kept=sum(places[at] is not None for at in good),
        left=sum(places[at] is not None for at in bad),
        marked=sum(places[at] in beside for at in bad),
    )


def _stands(found: Findings) -> bool:
    return decide(found, BALANCED).step is Step.PROCEED


def _look(request: Request, plan: CheckPlan) -> Findings:
    return asyncio.run(examine(request, plan))
