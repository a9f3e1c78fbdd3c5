"""From labelled answers to a threshold: rows are read, scored where they have no score, counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firmground.adapters.document import request_from_value
from firmground.calibrate import LabelledScore
from firmground.config.calibration import REPLACES
from firmground.config.settings import DEFAULT_JUDGE
from firmground.decide import Policy
from firmground.engine.many import check_request
from firmground.engine.plans import plan_for
from firmground.errors import InputError
from firmground.pipeline.check import CheckPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class RowScoring:
    """How rows get the score that a threshold is put on."""

    policy: Policy
    judge: str = DEFAULT_JUDGE
    score: str = "risk"
    """``risk``, or ``support`` for the two thresholds."""

    def plan(self) -> CheckPlan:
        """Check without the rule whose threshold is to be found: what else objects holds back."""
        gone = REPLACES[self.score]
        rest = tuple(rule for rule in self.policy.rules if rule.name != gone)
        waived = tuple(name for name in self.policy.waived if name != gone)
        left = tuple(name for name in self.policy.escalate if name != gone)
        return plan_for(
            policy=replace(self.policy, rules=rest, waived=waived, escalate=left), judge=self.judge
        )


def read_labelled(
    path: Path, scoring: RowScoring, *, by_group: bool = False
) -> dict[str, list[LabelledScore]]:
    """Read rows ``{stands: bool, risk}`` or ``{stands: bool, answer, evidence, …}`` by group.

    ``source`` names what a row was drawn with, so that its answers count as one draw. Rows without
    a score are checked; what rules other than the one about the score object to is
    held back, as it will be later. A row that cannot be used is an error that names its line:
    leaving it out would bend the bound.
    """
    plan = scoring.plan()
    groups: dict[str, list[LabelledScore]] = {}
    seen: dict[str, str] = {}
    for where, row in _rows(path):
        _only_once(row, where, seen)
        group = str(row.get("group", "")) if by_group else ""
        groups.setdefault(group, []).append(_labelled(row, plan, scoring, where))
    if not groups:
        raise InputError(f"{path}: there are no labelled answers")
    return groups


def _only_once(row: dict[str, Any], where: str, seen: dict[str, str]) -> None:
    """Refuse a row that is there already: counted twice it would feign proof."""
    said = {k: row[k] for k in ("question", "answer", "evidence") if k in row}
    told = {"id": row["id"]} if "id" in row else said
    if not told:
        return
    key = json.dumps(told, sort_keys=True)
    if key in seen:
        what = f"id {row['id']!r}" if "id" in row else "answer"
        raise InputError(f"{where}: the same {what} as in {seen[key]}; each counts only once")
    seen[key] = where


def rows_sharing_evidence(path: Path) -> int:
    """Count rows that name no source and have the evidence of another such row."""
    seen: dict[str, int] = {}
    for _, row in _rows(path):
        if row.get("source") is None and row.get("evidence"):
            key = json.dumps(row["evidence"], sort_keys=True)
            seen[key] = seen.get(key, 0) + 1
    return sum(count for count in seen.values() if count > 1)


def read_scores(path: Path, scoring: RowScoring) -> list[float]:
    """Read the scores of live answers, labels or not, as risks."""
    plan = scoring.plan()
    return [_scored(row, plan, scoring, where)[0] for where, row in _rows(path)]


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            raise InputError(f"{where}: is not JSON") from None
        if not isinstance(row, dict):
            raise InputError(f"{where}: is not an object")
        yield where, row


def _labelled(
    row: dict[str, Any], plan: CheckPlan, scoring: RowScoring, where: str
) -> LabelledScore:
    stands = row.get("stands")
    if not isinstance(stands, bool):
        raise InputError(f"{where}: stands: must be true or false")
    try:
        risk, held = _scored(row, plan, scoring, where)
        return LabelledScore(risk=risk, wrong=not stands, held=held, source=_source(row, where))
    except InputError as error:
        told = str(error)
        raise InputError(told if told.startswith(where) else f"{where}: {told}") from None


def _source(row: dict[str, Any], where: str) -> str:
    """A name as text; 7 and "7" are two."""
    given = row.get("source")
    if given is None:
        return ""
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        raise InputError(f"{where}: source: must be a name or a whole number")
    return json.dumps(given)


def _scored(
    row: dict[str, Any], plan: CheckPlan, scoring: RowScoring, where: str
) -> tuple[float, bool]:
    """The score as a risk, and whether another rule holds the answer back."""
    given = row.get(scoring.score)
    if given is None:
        kept = {k: v for k, v in row.items() if k in ("id", "question", "answer", "evidence")}
        outcome = check_request(request_from_value(kept, where), plan)
        risk = outcome.risk if scoring.score == "risk" else round(1 - outcome.support, 6)
        return risk, not outcome.decision.released
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise InputError(f"{where}: {scoring.score}: must be a number in [0, 1]")
    held = row.get("held", False)
    if not isinstance(held, bool):
        raise InputError(f"{where}: held: must be true or false")
    return float(given) if scoring.score == "risk" else round(1 - float(given), 6), held
