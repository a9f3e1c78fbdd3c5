"""The JSON documents of runs, proofs, audits and questions, shared by every surface."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from firmground.core.finding import Preflight
from firmground.core.run import Stage
from firmground.engine.rejudging import Rejudged
from firmground.errors import RecordErased
from firmground.ledger.audit_report import AuditReport
from firmground.ledger.bundle import BundleReport
from firmground.ledger.entry import RunEntry, parse_entry
from firmground.ledger.log import Log, StoredRun
from firmground.ledger.store import EntryRow
from firmground.preflight import PreflightSettings


def run_row(row: EntryRow) -> dict[str, Any]:
    """One run of a list as JSON."""
    entry = parse_entry(row.body)
    assert isinstance(entry.body, RunEntry)
    return {
        "seq": row.seq,
        "run": entry.body.run,
        "time": entry.ts,
        "shape": str(entry.body.shape),
        "attempts": len(entry.body.attempts),
        "label": dict(entry.body.label),
    }


def payload_counts(log: Log, row: EntryRow) -> dict[str, int]:
    """How many payloads this run had, and how many of them are gone."""
    entry = parse_entry(row.body)
    assert isinstance(entry.body, RunEntry)
    kept = sum(1 for kept in log.reader.vault(row.seq, row.seq + 1) if kept.ord < entry.body.n)
    return {"payloads": entry.body.n, "erased": entry.body.n - kept}


def run_document(stored: StoredRun) -> dict[str, Any]:
    """One recorded run as JSON: its place, its label and its stages."""
    return {
        **run_row(stored.row),
        "prompts": [
            {"stage": str(kept.planned.stage), "name": name, "sha256": digest}
            for kept in stored.stages
            for name, digest in prompts_in(kept.payload or b"")
        ],
        "root": stored.body.root.hex(),
        "failure_stage": failure_stage(stored),
        "lookup_path": lookup_path(stored),
        "audit": audit_of(stored),
        "durability": str(stored.entry.durability),
        "stream": str(stored.body.stream),
        "policy": None if stored.body.policy is None else stored.body.policy.hex(),
        **_beside(stored),
        "stages": [
            {
                "ord": kept.ordinal,
                "stage": str(kept.planned.stage),
                "attempt": kept.planned.attempt,
                "parents": list(kept.planned.parents),
                "commit": kept.commit.hex(),
                "payload": None
                if kept.payload is None
                else kept.payload.decode("utf-8", "backslashreplace"),
                "erased": kept.payload is None,
            }
            for kept in stored.stages
        ],
    }


def _beside(stored: StoredRun) -> dict[str, Any]:
    """What is kept beside the stages, as far as it was not erased."""
    try:
        beside = stored.beside()
    except RecordErased:
        return {"cache_key": None, "compat_root": None, "beside": "erased"}
    return {
        "cache_key": None if beside.cache_key is None else beside.cache_key.hex(),
        "compat_root": None if beside.compat is None else beside.compat.hex(),
    }


def cache_key(stored: StoredRun) -> str | None:
    """The key under which the run is cached, in hexadecimal; None without one or if erased."""
    found = _beside(stored)["cache_key"]
    return found if isinstance(found, str) else None


def failure_stage(stored: StoredRun) -> str | None:
    """The first failing stage as the run recorded it; None where it stands or was erased."""
    return _stated(stored, "failure_stage")


def lookup_path(stored: StoredRun) -> str | None:
    """Where the answer came from, as the run recorded it."""
    return _stated(stored, "lookup_path")


def audit_of(stored: StoredRun) -> dict[str, Any] | None:
    """The audit of the last answer as the run recorded it: mode, method, counts, statuses."""
    kept = [one.payload for one in stored.stages if one.planned.stage is Stage.VERIFY]
    found = _object(kept[-1] if kept else None).get("audit")
    return found if isinstance(found, dict) and "mode" in found else None


def _stated(stored: StoredRun, key: str) -> str | None:
    stated = _object(stored.stages[-1].payload).get(key)
    return stated if isinstance(stated, str) else None


def _object(payload: bytes | None) -> dict[str, Any]:
    try:
        found = json.loads(payload or b"null")
    except (ValueError, RecursionError):  # a run that somebody else wrote
        return {}
    return found if isinstance(found, dict) else {}


def prompts_in(payload: bytes) -> list[tuple[str, str]]:
    """Name and digest of the prompt files that a stage says were used, each once.

    A payload may be any bytes: one that is not such a document names none.
    """
    try:
        waiting: list[Any] = [json.loads(payload)]
    except (ValueError, RecursionError):
        return []
    found: dict[tuple[str, str], None] = {}
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            found.update(dict.fromkeys(_pairs(value.get("prompts"))))
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
    return list(found)


def _pairs(stated: Any) -> list[tuple[str, str]]:
    pairs = stated if isinstance(stated, list) else []
    return [
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) for one in pair)
    ]


def rejudged_document(judged: Rejudged) -> dict[str, object]:
    """One re-judged run as JSON."""
    decision = judged.decision
    return {
        "run": judged.run_id,
        "recorded": judged.recorded,
        "decision": decision.step.label if decision else None,
        "changed": judged.changed,
        "policy": {"name": decision.policy, "digest": decision.policy_digest} if decision else None,
        "objections": [
            {"rule": o.rule, "step": o.step.label, "reason": o.reason, "claims": list(o.claims)}
            for o in (decision.objections if decision else ())
        ],
        "waived": [
            {"rule": o.rule, "step": o.step.label, "reason": o.reason}
            for o in (decision.waived if decision else ())
        ],
        "trouble": judged.trouble,
    }


def bundle_document(report: BundleReport) -> dict[str, Any]:
    """What verifying a bundle found, as JSON."""
    run = report.verified
    document: dict[str, Any] = {"valid": report.valid, "reasons": list(report.reasons)}
    if run is None:
        return document
    return {
        **document,
        "run": run.run,
        "shape": str(run.shape),
        "attempts": [str(attempt) for attempt in run.attempts],
        "stages": [str(stage) for stage in run.stages],
        "label": dict(run.label),
        "log": {"origin": run.origin, "index": run.index, "size": run.size},
        "recorded": run.recorded,
        "durability": run.durability,
        "stream": run.stream,
        "policy": run.policy,
        "cache_key": run.cache_key,
        "compat_root": run.compat_root,
        "signed_by": list(run.signed_by),
        "witnesses": [{"name": c.witness.name, "time": c.time} for c in run.witnessed],
        "statement": run.stated,
        "disclosed": [
            {
                "ord": item.ordinal,
                "stage": str(item.stage),
                "attempt": item.attempt,
                "sha256": hashlib.sha256(item.payload).hexdigest(),
                "payload": base64.b64encode(item.payload).decode("ascii"),
            }
            for item in run.disclosed
        ],
        "bound": list(report.bound),
        "not_proved": list(report.not_proved),
    }


def audit_document(report: AuditReport) -> dict[str, Any]:
    """What an audit of a log found, as JSON."""
    return {
        "holds": report.holds,
        "size": report.size,
        "root": report.root.hex(),
        "runs": report.runs,
        "stages": report.stages,
        "payloads": report.payloads,
        "erased": report.erased,
        "checkpoints": report.checkpoints,
        "anchors": report.anchors,
        "problems": [
            {
                "part": str(problem.part),
                "wrong": str(problem.wrong),
                "seq": problem.seq,
                "ordinal": problem.ordinal,
                "detail": problem.detail,
            }
            for problem in report.problems
        ],
        "omitted": report.omitted,
        "unseen": list(report.unseen),
    }


def preflight_document(
    seen: Preflight, settings: PreflightSettings | None = None
) -> dict[str, object]:
    """What was seen in a question, as JSON."""
    settings = settings or PreflightSettings(profile=seen.profile)
    return {
        "confidence": round(seen.confidence, 6),
        "status": seen.status.value,
        "signals": [
            {"name": s.name, "penalty": round(s.penalty, 6), "spans": [list(x) for x in s.spans]}
            for s in seen.signals
        ],
        "quantifier": {key: _value(key, value) for key, value in seen.quantifier},
        "question_state": list(seen.question_state),
        "reasons": list(seen.reasons),
        "profile": seen.profile,
        "thresholds": {
            "block_below": settings.block_threshold(),
            "partial_below": settings.partial_threshold(),
        },
    }


def _value(key: str, value: str) -> str | int | bool:
    if key == "is_broad":
        return value == "true"
    return int(value) if key == "explicit_count" else value
