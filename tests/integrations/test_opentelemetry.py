"""OpenTelemetry: what real exporters send to a receiver on loopback."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.otlp_receiver import Received, attributes, otlp_receiver
from tests.integrations.pages import REPOSITORY, block, need

need("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")

from opentelemetry import trace  # noqa: E402
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter  # noqa: E402
from opentelemetry.exporter.otlp.proto.http.metric_exporter import (  # noqa: E402
    OTLPMetricExporter,
)
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: E402
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (  # noqa: E402
    ExportLogsServiceRequest,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (  # noqa: E402
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: E402
    ExportTraceServiceRequest,
)
from opentelemetry.sdk._logs import LoggerProvider  # noqa: E402
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor  # noqa: E402
from opentelemetry.sdk.metrics import MeterProvider  # noqa: E402
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: E402

from firmground.integrations.opentelemetry import TracedEngine  # noqa: E402
from firmground.testing import FunctionHook, FunctionModel  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."


class Pipeline:
    """Three providers that export to a receiver."""

    def __init__(self, received: Received) -> None:
        self.received = received
        self.tracer = TracerProvider()
        spans = OTLPSpanExporter(endpoint=f"{received.address}/v1/traces")
        self.tracer.add_span_processor(BatchSpanProcessor(spans))
        points = OTLPMetricExporter(endpoint=f"{received.address}/v1/metrics")
        self.meter = MeterProvider([PeriodicExportingMetricReader(points)])
        self.logger = LoggerProvider()
        records = OTLPLogExporter(endpoint=f"{received.address}/v1/logs")
        self.logger.add_log_record_processor(BatchLogRecordProcessor(records))

    def engine(self, **given: Any) -> TracedEngine:
        return TracedEngine(
            judge="lexical",
            tracer_provider=self.tracer,
            meter_provider=self.meter,
            logger_provider=self.logger,
            **given,
        )

    def spans(self) -> list[Any]:
        self.tracer.force_flush()
        sent = self.received.messages("/v1/traces", ExportTraceServiceRequest)
        return [
            span
            for one in sent
            for part in one.resource_spans
            for scope in part.scope_spans
            for span in scope.spans
        ]

    def events(self) -> list[Any]:
        self.logger.force_flush()
        sent = self.received.messages("/v1/logs", ExportLogsServiceRequest)
        return [
            record
            for one in sent
            for part in one.resource_logs
            for scope in part.scope_logs
            for record in scope.log_records
        ]

    def metrics(self) -> dict[str, Any]:
        self.meter.force_flush()
        sent = self.received.messages("/v1/metrics", ExportMetricsServiceRequest)
        return {
            metric.name: metric
            for one in sent
            for part in one.resource_metrics
            for scope in part.scope_metrics
            for metric in scope.metrics
        }

    def raw(self) -> bytes:
        self.spans(), self.events(), self.metrics()
        return b"".join(body for bodies in self.received.bodies.values() for body in bodies)


@pytest.fixture
def pipeline() -> Iterator[Pipeline]:
    with otlp_receiver() as received:
        made = Pipeline(received)
        yield made
        made.tracer.shutdown()
        made.meter.shutdown()
        made.logger.shutdown()


def test_a_check_is_a_span_with_the_run_and_its_place_in_the_log(
    pipeline: Pipeline, tmp_path: Path
) -> None:
    with pipeline.engine(ledger=tmp_path / "runs.sqlite") as engine:
        result = engine.check(WRONG, [RIGHT])
    (span,) = pipeline.spans()
    found = attributes(span)
    assert span.name == "firmground.check"
    assert found["openinference.span.kind"] == "GUARDRAIL"
    assert found["grounding.run_id"] == result.run_id
    assert found["grounding.log_index"] == 0
    assert found["grounding.verdict"] == "does_not_stand"
    assert found["grounding.problems"] == 1
    assert span.status.code == 0  # an answer that falls is no error of the program


def broken(case: Any) -> Any:
    raise RuntimeError("down")


def test_each_check_is_an_evaluation_event_parented_to_the_span(pipeline: Pipeline) -> None:
    with pipeline.engine(hooks=[FunctionHook(name="books", function=broken)]) as engine:
        engine.check(WRONG, [RIGHT])
    (span,) = pipeline.spans()
    events = {attributes(one)["gen_ai.evaluation.name"]: one for one in pipeline.events()}
    judged = attributes(events["grounding.entailment"])
    assert {one.event_name for one in events.values()} == {"gen_ai.evaluation.result"}
    assert judged["gen_ai.evaluation.score.label"] == "fail"
    assert judged["gen_ai.evaluation.score.value"] == 0.0
    assert events["grounding.entailment"].span_id == span.span_id
    assert events["grounding.entailment"].trace_id == span.trace_id
    hook = attributes(events["grounding.hook.books"])
    assert hook["gen_ai.evaluation.score.label"] == "error"
    assert hook["error.type"] in ("crashed", "timeout")  # a busy machine may be late


def test_no_content_leaves_the_process_unless_it_is_asked_for(pipeline: Pipeline) -> None:
    with pipeline.engine() as engine:
        engine.check(WRONG, [RIGHT], question="When did the Alder bridge open?")
    assert b"Alder" not in pipeline.raw()
    assert b"1932" not in pipeline.raw()


def test_content_is_sent_when_it_is_asked_for(pipeline: Pipeline) -> None:
    with pipeline.engine(content=True) as engine:
        engine.check(WRONG, [RIGHT], question="When did it open?")
    (span,) = pipeline.spans()
    found = attributes(span)
    assert found["output.value"] == WRONG
    assert found["input.value"] == "When did it open?"
    assert json.loads(found["grounding.problem_claims"])[0]["standing"] == "contradicted"
    told = [attributes(one).get("gen_ai.evaluation.explanation", "") for one in pipeline.events()]
    assert any("1952" in one for one in told)


def test_metrics_count_verdicts_time_and_what_a_policy_lets_pass(pipeline: Pipeline) -> None:
    with pipeline.engine() as engine:
        for _ in range(2):
            engine.check(RIGHT, [RIGHT])
        engine.check(WRONG, [RIGHT], policy="advisory")
    found = pipeline.metrics()
    counted = {
        attributes(point)["grounding.verdict"]: point.as_int
        for point in found["grounding.verdicts"].sum.data_points
    }
    assert counted == {"stands": 2, "does_not_stand": 1}
    assert [point.as_int for point in found["grounding.fail_open"].sum.data_points] == [1]
    assert sum(p.count for p in found["grounding.check.duration"].histogram.data_points) == 3


def test_async_checks_streams_and_questions_are_spans_below_the_callers(
    pipeline: Pipeline,
) -> None:
    model = FunctionModel(function=lambda request: RIGHT)
    tracer = trace.get_tracer("application", tracer_provider=pipeline.tracer)

    async def main() -> None:
        with tracer.start_as_current_span("request"):
            await engine.acheck(RIGHT, [RIGHT])
            async for _ in engine.stream([RIGHT], evidence=[RIGHT]):
                pass
            await engine.aask("When did the Alder bridge open?", [RIGHT], preflight=False)

    with pipeline.engine(model=model) as engine:
        asyncio.run(main())
    spans = {span.name: span for span in pipeline.spans()}
    assert {"firmground.check", "firmground.stream", "firmground.ask", "request"} <= set(spans)
    for name in ("firmground.check", "firmground.stream", "firmground.ask"):
        assert spans[name].parent_span_id == spans["request"].span_id
        assert attributes(spans[name])["grounding.verdict"] == "stands"
    assert attributes(spans["firmground.ask"])["openinference.span.kind"] == "CHAIN"


def test_an_exception_is_an_error_of_the_span(pipeline: Pipeline) -> None:
    with pipeline.engine() as engine, pytest.raises(ValueError, match="empty"):
        engine.check("", [RIGHT])
    (span,) = pipeline.spans()
    assert span.status.code == 2


def test_without_a_configured_sdk_nothing_is_sent_and_the_result_is_the_same() -> None:
    with TracedEngine(judge="lexical") as engine:
        assert not engine.check(WRONG, [RIGHT])


def test_the_documented_set_up_sends_to_the_receiver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with otlp_receiver() as received:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", received.address)
        monkeypatch.setenv("PYTHONPATH", str(REPOSITORY / "src"))
        code = block("opentelemetry.md", "python")
        ran = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
        )
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout == block("opentelemetry.md", "text")
        assert set(received.bodies) == {"/v1/traces", "/v1/logs", "/v1/metrics"}


def test_the_dashboard_shows_metrics_that_exist() -> None:
    path = REPOSITORY / "docs" / "integrations" / "grafana-dashboard.json"
    board = json.loads(path.read_text(encoding="utf-8"))
    asked = " ".join(
        target["expr"] for panel in board["panels"] for target in panel.get("targets", [])
    )
    served = (REPOSITORY / "src/firmground/service").rglob("*.py")
    source = "".join(one.read_text(encoding="utf-8") for one in served)
    names = set(re.findall(r"\b((?:grounding|firmground)_[a-z_]+)", asked))
    assert len(names) >= 6
    for name in names:
        base = re.sub(r"_(total|bucket|count|sum)$", "", name)
        assert f'"{base}"' in source, name
