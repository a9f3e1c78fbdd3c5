"""The record of a proxied request, and what its client is told about it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from firmground.config.proxy import DeliveryMode
from firmground.core.canon import Value
from firmground.core.decision import Decision
from firmground.core.finding import Findings
from firmground.core.run import MAX_ATTEMPTS, AttemptReason
from firmground.decide import Policy, decide
from firmground.engine import Engine
from firmground.ledger.entry import Stream
from firmground.pipeline.loop import Attempt, Draft, Judged
from firmground.pipeline.record_ask import Progress, record_ask
from firmground.service.proxy.choice import Settled
from firmground.service.proxy.deltas import ProxyUsage
from firmground.service.proxy.requests import ProxyRequest
from firmground.service.proxy.settling import LABELS

_STREAMS = {
    DeliveryMode.HOLD: Stream.BUFFERED,
    DeliveryMode.WINDOW: Stream.WINDOWED,
    DeliveryMode.ANNOTATE: Stream.ANNOTATE,
}
_DELIVERIES = ("whole", "tool_calls", "repaired", "flagged", "unverified", "part", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How one request ended."""

    run: str
    request: ProxyRequest
    upstream: str
    policy: Policy
    judge: str
    settled: dict[int, Settled]
    released: dict[int, str]
    """What had left of each choice before it was settled."""
    usage: ProxyUsage | None
    overhead_ms: float
    cut_off: str = ""
    aborted: bool = False

    @property
    def label(self) -> str:
        """The label of the request: the worst of its choices."""
        return max((done.label for done in self.settled.values()), key=LABELS.index)

    @property
    def decision(self) -> Decision | None:
        """The harshest decision about a choice that had an answer."""
        found = [done.decision for done in self.settled.values() if done.decision is not None]
        return max(found, key=lambda one: one.step, default=None)

    @property
    def delivery(self) -> str:
        """How much left: the worst of the choices, or ``part`` of what was cut off."""
        found = [done.delivery for done in self.settled.values()]
        return max(found, key=_DELIVERIES.index, default="part")


async def record(engine: Engine, ending: Ending) -> int | None:
    """Write the one record of a request; return its place in the log."""
    log = engine.ledger
    if log is None:
        return None
    attempts = tuple(_attempts(ending))[:MAX_ATTEMPTS]
    decision = ending.decision
    if decision is None and attempts:
        decision = attempts[-1].judged.decision
    run = record_ask(
        Progress(
            question=ending.request.question,
            judge=ending.judge,
            model_profile=_profile(ending),
            tries=attempts,
            best=len(attempts) - 1 if attempts else 0,
            findings=attempts[-1].judged.findings if attempts else None,
            decision=decision,
            cut_off=ending.cut_off,
        )
    )
    label = {
        "decision": "cut_off" if ending.cut_off else decision.step.label if decision else "none",
        "delivery": ending.delivery,
        "mode": str(ending.request.mode),
        "surface": ending.request.surface,
    }
    if decision is not None:
        label["verdict"] = "could_not_tell" if ending.cut_off else str(decision.verdict)
        if decision.waived:
            label["waived"] = ",".join(sorted({one.rule for one in decision.waived}))
    if ending.aborted:
        label["aborted"] = "true"
    receipt = await log.arecord(
        run,
        label=label,
        run_id=ending.run,
        policy=bytes.fromhex(ending.policy.digest),
        stream=_STREAMS[ending.request.mode],
    )
    return receipt.seq


def _attempts(ending: Ending) -> Iterable[Attempt]:
    """Every answer that was checked; of a request that was cut off, what had left."""
    first = True
    for done in ending.settled.values():
        for attempt in done.attempts:
            yield _as(attempt, first=first)
            first = False
    if ending.settled:
        return
    for index, text in ending.released.items():
        made: Value = {"by": "proxy", "choice": index, "released": len(text), "cut_off": True}
        findings = Findings()
        judged = Judged(findings=findings, decision=decide(findings, ending.policy))
        draft = Draft(answer=text, evidence=ending.request.evidence, made=made)
        yield _as(Attempt(kind=AttemptReason.FIRST, draft=draft, judged=judged), first=first)
        first = False


def _as(attempt: Attempt, *, first: bool) -> Attempt:
    kind = AttemptReason.FIRST if first else AttemptReason.REGENERATE
    return Attempt(kind=kind, draft=attempt.draft, judged=attempt.judged)


def _profile(ending: Ending) -> Value:
    return {
        "upstream": ending.upstream,
        "model": ending.request.model,
        "mode": str(ending.request.mode),
        "choices": ending.request.choices,
        "tool_calls": sum(len(done.calls) for done in ending.settled.values()),
        "aborted": ending.aborted,
    }


def delivered_document(ending: Ending, seq: int | None) -> dict[str, Any]:
    """Everything that was delivered, in a form that every protocol can be written from."""
    usage = ending.usage
    return {
        "run": ending.run,
        "created": int(time.time()),
        "model": ending.request.model,
        "choices": [
            {
                "index": index,
                "text": ending.released[index] + done.rest,
                "refusal": done.refusal,
                "calls": [
                    {"id": call.id, "name": call.name, "arguments": call.arguments}
                    for call in done.calls
                ],
                "finish": done.finish,
            }
            for index, done in ending.settled.items()
        ],
        "usage": None if usage is None else [usage.prompt, usage.completion],
        "firmground": {
            "run": ending.run,
            "log": seq,
            "label": ending.label,
            "verdict": None if ending.decision is None else str(ending.decision.verdict),
            "delivery": ending.delivery,
            "mode": str(ending.request.mode),
            "policy": ending.policy.name,
            "evidence": len(ending.request.evidence),
            "overhead_ms": ending.overhead_ms,
            "choices": [
                {
                    "index": index,
                    "label": done.label,
                    "verdict": None if done.verdict is None else str(done.verdict),
                    "delivery": done.delivery,
                    "objections": list(done.objections),
                }
                for index, done in ending.settled.items()
            ],
        },
    }
