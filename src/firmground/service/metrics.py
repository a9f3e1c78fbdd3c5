"""Prometheus metrics of one service; they hold no content."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """Counters and gauges in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._verdicts = Counter(
            "grounding_verdict", "Verdicts by endpoint.", ["check", "verdict"],
            registry=self.registry,
        )  # fmt: skip
        self._requests = Counter(
            "firmground_requests", "Requests by endpoint and status.", ["endpoint", "status"],
            registry=self.registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "firmground_request_seconds", "Time for a request.", ["endpoint"],
            registry=self.registry,
        )  # fmt: skip

        self.fail_open = Counter(
            "grounding_fail_open", "Answers released although they could not be checked.",
            ["check", "reason"], registry=self.registry,
        )  # fmt: skip
        self.fail_closed = Counter(
            "grounding_fail_closed", "Answers withheld, by error or by policy.",
            ["check", "reason"], registry=self.registry,
        )  # fmt: skip
        self.overhead = Histogram(
            "grounding_overhead_seconds", "Time that checks add to a reply.", ["stage"],
            registry=self.registry,
        )  # fmt: skip

    def verdict(self, check: str, verdict: str) -> None:
        """Count a verdict."""
        self._verdicts.labels(check, verdict).inc()

    def request(self, endpoint: str, status: int, seconds: float) -> None:
        """Count a request and its time."""
        self._requests.labels(endpoint, str(status)).inc()
        self._seconds.labels(endpoint).observe(seconds)

    def gauge(self, name: str, about: str, read: Callable[[], float]) -> None:
        """Add a gauge that is read when metrics are."""
        Gauge(name, about, registry=self.registry).set_function(read)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self.registry)
