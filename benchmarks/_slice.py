"""The development slice of RAGTruth, checked and mended once by the built-in judge, and kept.

Both ``quality_calibration`` and ``quality_repair`` read it. Scoring takes minutes, so the rows go
to ``build/`` under a name that changes whenever the code or the weights that made them do.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks.quality_lexical import data_dir  # noqa: E402
from benchmarks.quality_neural import _answers  # noqa: E402
from firmground.assemble.asking import CORRECTABLE  # noqa: E402
from firmground.assemble.parts import judge_name, parts_for  # noqa: E402
from firmground.core.claim import NotCheckable  # noqa: E402
from firmground.core.decision import Step  # noqa: E402
from firmground.core.evidence import Evidence  # noqa: E402
from firmground.core.finding import Findings  # noqa: E402
from firmground.core.question import Question  # noqa: E402
from firmground.decide import BALANCED, Policy, decide  # noqa: E402
from firmground.pipeline import Request  # noqa: E402
from firmground.pipeline.check import Parts, examine  # noqa: E402
from firmground.revise import Unsupported, mend  # noqa: E402
from firmground.verify.neural import available  # noqa: E402

ROUNDS = 2
SCORED_BY = ("high_risk", "thin_support")
UNSCORED = Policy(
    name="unscored", rules=tuple(r for r in BALANCED.rules if r.name not in SCORED_BY)
)
_ROOMS = ("verify", "claims", "core", "revise", "decide")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One answer of the slice: what was found, and what mending without a model made of it."""

    source: str
    task: str
    wrong: bool
    risk: float
    support: float
    held: bool
    """True when a rule other than those about scores objects."""
    stands: bool
    mended: bool
    """True when patches were made."""
    stands_then: bool
    """True when the patched answer stands."""
    supported: int
    """Letters and digits outside every labelled span."""
    kept: int
    """How many of those are untouched in what would go out."""
    labelled: int
    """Letters and digits inside labelled spans."""
    left: int
    """How many of those are still there."""
    marked: int
    """How many of those are still there, beside a mark that they are not supported."""


def development_slice(
    count: int, unsupported: Unsupported = Unsupported.NARROW
) -> list[Judged] | None:
    """The first so many answers, from the file if it is there; None without data or weights."""
    base = data_dir()
    if base is None or not available():
        what = "data in ../shared/data (or FIRMGROUND_DATA)" if base is None else "weights"
        print(f"no {what}; nothing measured")
        return None
    kept = ROOT / "build" / f"slice-{_version()[:16]}-{count}-{unsupported}.json"
    if kept.is_file():
        return [Judged(**row) for row in json.loads(kept.read_text(encoding="utf-8"))]
    parts = parts_for(policy=BALANCED)
    rows = [_judged(row, source, parts, unsupported) for row, source in _answers(base, count)]
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")
    return rows


def _version() -> str:
    whole = hashlib.sha256(judge_name("builtin").encode())
    for room in _ROOMS:
        for path in sorted((ROOT / "src/firmground" / room).rglob("*.py")):
            whole.update(path.read_bytes())
    return whole.hexdigest()


def _judged(
    row: dict[str, Any], source: dict[str, Any], parts: Parts, unsupported: Unsupported
) -> Judged:
    question = Question(text=source["query"]) if source["query"].strip() else None
    evidence = (Evidence(text=source["source_text"]),)
    answer, found = row["response"], _look(row["response"], evidence, question, parts)
    assert found.support is not None
    places: list[int | None] = list(range(len(answer)))
    now, then, text = found, found, answer
    marks: tuple[int, ...] = ()
    for _ in range(ROUNDS):
        if decide(now, BALANCED).step is Step.PROCEED:
            break
        revision = mend(
            text, now.assessments, evidence, correctable=CORRECTABLE, unsupported=unsupported
        )
        if not revision.patches or not revision.after.strip():
            break
        places = [None if at is None else revision.position(at) for at in places]
        text, marks = revision.after, revision.marks(marks)
        then = _look(text, evidence, question, parts, marks)
        now = then
    gold = {at for one in row["labels"] for at in range(one["start"], one["end"])}
    letters = [at for at, sign in enumerate(answer) if sign.isalnum()]
    beside = {
        at
        for one in then.assessments
        if one.claim.not_checkable is NotCheckable.MARKED
        for at in range(one.claim.start, one.claim.end)
    }
    good, bad = [a for a in letters if a not in gold], [a for a in letters if a in gold]
    return Judged(
        source=str(row["source_id"]),
        task=row["task"],
        wrong=bool(row["labels"]),
        risk=found.support.risk,
        support=found.support.score,
        held=decide(found, UNSCORED).step is not Step.PROCEED,
        stands=decide(found, BALANCED).step is Step.PROCEED,
        mended=text != answer,
        stands_then=decide(then, BALANCED).step is Step.PROCEED,
        supported=len(good),
        kept=sum(places[at] is not None for at in good),
        labelled=len(bad),
        left=sum(places[at] is not None for at in bad),
        marked=sum(places[at] in beside for at in bad),
    )


def _look(
    answer: str,
    evidence: tuple[Evidence, ...],
    question: Question | None,
    parts: Parts,
    marks: tuple[int, ...] = (),
) -> Findings:
    request = Request(answer=answer, evidence=evidence, question=question, marks=marks)
    return asyncio.run(examine(request, parts))
