"""OpenTelemetry: an engine whose checks are traced, counted and reported as evaluation events.

Only the API package is used. Nothing is sent unless the application configures an SDK with an
exporter. Names of GenAI attributes are pinned here, because the conventions are in development.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from opentelemetry import _logs, metrics, trace
from opentelemetry._logs import LogRecord, SeverityNumber

from firmground.core.finding import Fault, FaultKind, Findings, HookReply
from firmground.engine import Engine, Overrides, Result, StreamFinished

if TYPE_CHECKING:
    from firmground.pipeline.ask_result import AskResult
    from firmground.pipeline.outcome import CheckOutcome

SCOPE = "firmground"
EVENT = "gen_ai.evaluation.result"
KIND = "openinference.span.kind"
_SKIPPED = (FaultKind.SKIPPED, FaultKind.NOT_APPLICABLE)
_VERDICT_LABELS = {"stands": "pass", "does_not_stand": "fail", "could_not_tell": "error"}


class TracedEngine(Engine):
    """An engine that makes one span, metrics and evaluation events of each check and question.

    ``content`` adds question, answer, claims and reasons, which are left out by default. The
    providers are the global ones unless others are given. Further arguments are those of
    ``Engine``.
    """

    def __init__(
        self,
        settings: Any = None,
        *,
        content: bool = False,
        tracer_provider: Any = None,
        meter_provider: Any = None,
        logger_provider: Any = None,
        **given: Any,
    ) -> None:
        super().__init__(settings, **given)
        self._content = content
        self._tracer = trace.get_tracer(SCOPE, tracer_provider=tracer_provider)
        self._logger = _logs.get_logger(SCOPE, logger_provider=logger_provider)
        meter = metrics.get_meter(SCOPE, meter_provider=meter_provider)
        self._verdicts = meter.create_counter(
            "grounding.verdicts", description="Verdicts by check."
        )
        self._open = meter.create_counter(
            "grounding.fail_open", description="Answers released although a rule objected."
        )
        self._seconds = meter.create_histogram(
            "grounding.check.duration", unit="s", description="Time for a check."
        )

    def check_with(self, overrides: Overrides, answer: str, evidence: Any, **given: Any) -> Result:
        """Check an answer inside a span."""
        with self._span("check", "GUARDRAIL") as span:
            result = super().check_with(overrides, answer, evidence, **given)
            self._report("check", span, result)
            return result

    async def acheck_request(self, request: Any, *args: Any, **given: Any) -> Result:
        """Check a request inside a span, in an event loop."""
        with self._span("check", "GUARDRAIL") as span:
            result = await super().acheck_request(request, *args, **given)
            self._report("check", span, result)
            return result

    async def aask(self, question: Any, *args: Any, **given: Any) -> AskResult:
        """Answer a question inside a span."""
        with self._span("ask", "CHAIN") as span:
            asked = await super().aask(question, *args, **given)
            self._report("ask", span, asked)
            return asked

    async def stream(self, *args: Any, **given: Any) -> AsyncIterator[Any]:
        """Release a text inside a span that ends with the stream."""
        span = self._tracer.start_span("firmground.stream", attributes={KIND: "GUARDRAIL"})
        begun = time.perf_counter()
        try:
            async for event in super().stream(*args, **given):
                if isinstance(event, StreamFinished):
                    self._report("stream", span, event.result)
                yield event
        except Exception as error:
            span.record_exception(error)
            span.set_status(trace.Status(trace.StatusCode.ERROR, type(error).__name__))
            raise
        finally:
            self._seconds.record(time.perf_counter() - begun, {"grounding.check": "stream"})
            span.end()

    @contextmanager
    def _span(self, name: str, kind: str) -> Iterator[trace.Span]:
        begun = time.perf_counter()
        try:
            with self._tracer.start_as_current_span(
                f"firmground.{name}", attributes={KIND: kind}
            ) as span:
                yield span
        finally:
            self._seconds.record(time.perf_counter() - begun, {"grounding.check": name})

    def _report(self, name: str, span: trace.Span, found: CheckOutcome | AskResult) -> None:
        """Put what was found on the span, into metrics and into events."""
        span.set_attributes(_attributes(found))
        if self._content:
            span.set_attributes(_content(found))
        self._verdicts.add(1, {"grounding.check": name, "grounding.verdict": str(found.verdict)})
        if found.decision.released and not found.stands:
            self._open.add(1, {"grounding.check": name, "grounding.policy": found.decision.policy})
        context = trace.set_span_in_context(span)
        for attributes in evaluations(found, explain=self._content):
            self._logger.emit(
                LogRecord(
                    event_name=EVENT,
                    severity_number=SeverityNumber.INFO,
                    timestamp=time.time_ns(),
                    context=context,
                    attributes=attributes,
                )
            )


def evaluations(found: CheckOutcome | AskResult, *, explain: bool) -> Iterator[dict[str, Any]]:
    """Yield the attributes of one evaluation event for each check that was made."""
    findings = found.findings
    label = _VERDICT_LABELS[str(found.verdict)]
    support = findings.support.score if findings.support else None
    reasons = "; ".join(one.reason for one in found.decision.objections)
    yield _evaluation("grounding.entailment", label, support, reasons if explain else "")
    if findings.citations:
        wrong = sum(1 for one in findings.citations if str(one.status) != "supported")
        score = 1 - wrong / len(findings.citations)
        yield _evaluation("grounding.citations", "fail" if wrong else "pass", score)
    for reply in findings.hooks:
        yield _hook(reply, explain=explain)
    yield from _faults(findings)


def _hook(reply: HookReply | Fault, *, explain: bool) -> dict[str, Any]:
    name = f"grounding.hook.{reply.source}"
    if isinstance(reply, Fault):
        return _fault(name, reply)
    label, score = ("pass", 1.0) if reply.passed else ("fail", 0.0)
    return _evaluation(name, label, score, reply.message if explain else "")


def _faults(findings: Findings) -> Iterator[dict[str, Any]]:
    for fault in findings.faults:
        yield _fault(f"grounding.{fault.source}", fault)
    for name in ("dependence", "agreement"):
        seen = getattr(findings, name)
        if isinstance(seen, Fault):
            yield _fault(f"grounding.{name}", seen)


def _fault(name: str, fault: Fault) -> dict[str, Any]:
    if fault.kind in _SKIPPED:
        return _evaluation(name, "skipped", None)
    return {**_evaluation(name, "error", None), "error.type": str(fault.kind)}


def _evaluation(
    name: str, label: str, score: float | None, explanation: str = ""
) -> dict[str, Any]:
    made: dict[str, Any] = {
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.score.label": label,
    }
    if score is not None:
        made["gen_ai.evaluation.score.value"] = round(score, 6)
    if explanation:
        made["gen_ai.evaluation.explanation"] = explanation
    return made


def _attributes(found: CheckOutcome | AskResult) -> dict[str, Any]:
    """What a span says without content."""
    support = found.findings.support
    made: dict[str, Any] = {
        "grounding.run_id": found.run_id or found.run.content_root,
        "grounding.verdict": str(found.verdict),
        "grounding.decision": found.decision.step.label,
        "grounding.released": found.decision.released,
        "grounding.policy": found.decision.policy,
        "grounding.claims": len(found.claims),
        "grounding.problems": len(found.problems),
        "grounding.support": support.score if support else 0.0,
        "grounding.risk": support.risk if support else 1.0,
    }
    if found.receipt is not None:
        made["grounding.log_index"] = found.receipt.seq
    if found.failure_stage:
        made["grounding.failure_stage"] = found.failure_stage
    return made


def _content(found: Any) -> dict[str, Any]:
    """Question, answer and problems, for spans of applications that ask for them."""
    request = getattr(found, "request", None)
    question = found.question if request is None else request.question
    answer = found.answer if request is None else request.answer
    problems = [
        {"text": c.text, "start": c.start, "end": c.end, "standing": str(c.standing),
         "reason": c.reason}
        for c in found.problems
    ]  # fmt: skip
    made = {"output.value": answer or "", "grounding.problem_claims": json.dumps(problems)}
    return made | ({"input.value": question.text} if question is not None else {})
