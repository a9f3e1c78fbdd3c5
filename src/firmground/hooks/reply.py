"""What a hook said, hashed and bound to what it was asked."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from firmground.core.canon import Value, canonical, decimal, pack_text
from firmground.core.evidence import Evidence, EvidenceKind, Trust
from firmground.core.finding import Fault, HookReply
from firmground.core.ports import HookCase
from firmground.core.redact import Redaction

_T = TypeVar("_T")
_MOST_LETTERS_AT_ONCE = 1 << 16
"""A longer case is read off the event loop."""


async def beside(work: Callable[[HookCase], _T], case: HookCase) -> _T:
    """Do something whose time grows with the case, in a thread once the case is long."""
    if letters(case) <= _MOST_LETTERS_AT_ONCE:
        return work(case)
    return await asyncio.to_thread(work, case)


def letters(case: HookCase) -> int:
    """About how much text a case holds."""
    counted = len(case.claims) + len(case.assessments) + len(case.objections)
    held = sum(len(e.text) for e in case.evidence) + 100 * counted
    asked = len(case.question.text) + len(case.question.context) if case.question else 0
    return held + asked + len(case.answer or "") + sum(len(v) for _, v in case.metadata)


def case_digest(case: HookCase) -> bytes:
    """SHA-256 over everything a hook could look at."""
    question = case.question
    value: Value = {
        "question": pack_text(question.text) if question else None,
        "context": pack_text(question.context) if question else None,
        "answer": None if case.answer is None else pack_text(case.answer),
        "evidence": [[pack_text(e.id), e.digest] for e in case.evidence],
        "claims": [[c.start, c.end, pack_text(c.text)] for c in case.claims],
        "metadata": [[pack_text(k), pack_text(v)] for k, v in case.metadata],
        "job_id": pack_text(case.job_id),
        "output_files": [pack_text(path) for path in case.output_files],
        "verdict": None if case.verdict is None else str(case.verdict),
        "assessments": [[str(a.standing), a.code, pack_text(a.reason)] for a in case.assessments],
        "objections": [[o.rule, o.step.label, pack_text(o.reason)] for o in case.objections],
    }
    return hashlib.sha256(canonical(value, max_bytes=1 << 26)).digest()


def asked_digest(name: str, case: bytes) -> str:
    """SHA-256 over who was asked and the digest of what."""
    return hashlib.sha256(case + name.encode("utf-8", "surrogatepass")).hexdigest()


def replied_digest(verdict: HookReply) -> str:
    """SHA-256 over the verdict itself, for hooks that do not hash their own raw reply."""
    value: Value = {
        "passed": verdict.passed,
        "message": pack_text(verdict.message),
        "confidence": decimal(verdict.confidence),
        "details": [[pack_text(k), pack_text(v)] for k, v in verdict.details],
        "guidance": pack_text(verdict.guidance),
    }
    return hashlib.sha256(canonical(value, max_bytes=1 << 26)).hexdigest()


def redacted(reply: HookReply | Fault, clean: Redaction, *, cut: bool = False) -> HookReply | Fault:
    """The reply without secrets; where it held one, its digest is of what is left."""
    if isinstance(reply, Fault):
        return replace(reply, message=clean(reply.message, cut=cut))
    made = replace(
        reply,
        message=clean(reply.message, cut=cut),
        guidance=clean(reply.guidance, cut=cut),
        details=tuple((clean(k), clean(v, cut=cut)) for k, v in reply.details),
    )
    return reply if made == reply else replace(made, replied="")


def bound(verdict: HookReply, *, name: str, version: str, asked: str) -> HookReply:
    """Put the registered name, the version and both digests on a verdict."""
    return replace(
        verdict,
        source=name,
        version=verdict.version or version,
        asked=asked,
        replied=verdict.replied or replied_digest(verdict),
    )


def reply_evidence(verdict: HookReply, *, retrieved_at: str | None = None) -> Evidence:
    """The reply as a piece of evidence that a claim may stand on: measured, not retrieved."""
    lines = [verdict.message, *(f"{key}: {value}" for key, value in verdict.details)]
    return Evidence(
        text="\n".join(line for line in lines if line),
        kind=EvidenceKind.HOOK,
        role="tool",
        trust=Trust.MEASURED,
        origin=f"hook:{verdict.source}@{verdict.version or '0'}#{verdict.replied[:16]}",
        title=verdict.source,
        retrieved_at=retrieved_at,
        origin_start=None,
    )
