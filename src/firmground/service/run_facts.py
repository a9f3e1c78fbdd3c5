"""What the index of runs knows about one recorded run, read from its entry and payloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from firmground.core.canon import unpack_text
from firmground.core.run import Stage, stage_plan
from firmground.errors import InputError
from firmground.ledger.entry import Entry, RunEntry

SNIPPET = 400
"""Characters of question and answer that the list shows."""
SEARCHED = 20_000
"""Characters of question and answer that can be searched."""
_IN_LABEL = ("verdict", "decision")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One row of the index; texts are empty once the run's content was erased."""

    seq: int
    run: str
    time: str
    question: str = ""
    answer: str = ""
    claims: int = 0
    failing: int = 0
    support: float | None = None
    attempts: int = 0
    milliseconds: int | None = None
    """From the moment in the run id to the moment in the log; None when the id has no time."""
    calls: int = 0
    tokens: int = 0
    facets: tuple[tuple[str, str], ...] = ()
    """(name, value) pairs by which the run can be found."""
    erased: bool = False


def facts_of(entry: Entry, payloads: Mapping[int, bytes]) -> RunSummary:
    """Read one run; ``payloads`` holds what was not erased, by the ordinal of its stage."""
    body = entry.body
    assert isinstance(body, RunEntry)
    stages = _last_of_each(body, payloads)
    verify, label = stages.get(Stage.VERIFY, {}), stages.get(Stage.FINAL_LABEL, {})
    findings = _dict(verify.get("findings"))
    assessments = _list(findings.get("assessments"))
    spent = _dict(label.get("spent")) or _dict(findings.get("spent"))
    standings = [_dict(one).get("standing") for one in assessments]
    return RunSummary(
        seq=entry.seq,
        run=body.run,
        time=entry.ts,
        question=_question(stages.get(Stage.QUESTION, {})),
        answer=_text(stages.get(Stage.ANSWER, stages.get(Stage.RENDER, {})).get("text")),
        claims=len(assessments),
        failing=sum(s in ("ungrounded", "contradicted", "unverifiable") for s in standings),
        support=_number(_dict(findings.get("support")).get("score")),
        attempts=len(body.attempts),
        milliseconds=_milliseconds(body.run, entry.ts),
        calls=_count(spent.get("model_calls")),
        tokens=_count(spent.get("tokens")),
        facets=tuple(dict.fromkeys(_facets(body, stages, assessments))),
        erased=not any(ordinal < body.n for ordinal in payloads),
    )


def _last_of_each(body: RunEntry, payloads: Mapping[int, bytes]) -> dict[Stage, dict[str, Any]]:
    """The last payload of each stage that holds an object."""
    plan = stage_plan(shape=body.shape, preflight=body.preflight, attempts=body.attempts)
    found: dict[Stage, dict[str, Any]] = {}
    for ordinal, planned in enumerate(plan):
        if (payload := payloads.get(ordinal)) is None:
            continue
        try:
            value = orjson.loads(payload)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            found[planned.stage] = value
    return found


def _facets(
    body: RunEntry, stages: Mapping[Stage, dict[str, Any]], assessments: list[Any]
) -> list[tuple[str, str]]:
    label = dict(body.label)
    verify, final = stages.get(Stage.VERIFY, {}), stages.get(Stage.FINAL_LABEL, {})
    decision = _dict(final.get("decision"))
    found = [(name, label[name]) for name in _IN_LABEL if name in label]
    found += [("label", f"{key}={value}") for key, value in label.items() if key not in _IN_LABEL]
    found.append(("shape", str(body.shape)))
    if policy := decision.get("policy"):
        found.append(("policy", _text(policy)))
    if judge := _text(verify.get("judge")):
        found.append(("model", judge.split(" ")[0]))
    for use in _list(_dict(verify.get("findings")).get("models")):
        found.append(("model", _text(_dict(use).get("model"))))
    for one in assessments:
        if _dict(one).get("standing") in ("ungrounded", "contradicted", "unverifiable"):
            found.append(("code", _text(_dict(one).get("code"))))
    for objection in _list(decision.get("objections")):
        found.append(("rule", _text(_dict(objection).get("rule"))))
    return [(name, value[:200]) for name, value in found if value]


def _question(stage: dict[str, Any]) -> str:
    return _text(_dict(stage.get("question")).get("text"))


def _milliseconds(run: str, time: str) -> int | None:
    """The time between a UUID of version 7 and the record; None where that is no time."""
    if run[14:15] != "7":
        return None
    began = int(run[:8] + run[9:13], 16)
    passed = round(datetime.fromisoformat(time).timestamp() * 1000) - began
    return passed if 0 <= passed < 86_400_000 else None


def _text(value: Any) -> str:
    try:
        return unpack_text(value)
    except InputError:
        return ""


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
