"""Generated requests for every operation of the OpenAPI document: no defect, whatever is sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import schemathesis.specs.openapi.schemas  # before threads start: CPython 3.11 parses badly in two
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from tests.service.conftest import ThreadServer
from tests.service.test_proxy_openai import TRUE
from tests.service.upstream import MODEL, Plan, UpstreamThread

ENDLESS = "/api/v1/runs/events"
CALM = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


class Fuzzed:
    def __init__(self, folder: Path) -> None:
        self.thread = UpstreamThread(lambda body: Plan(texts=[TRUE]))
        table = (
            '[proxy]\nno_evidence = "label"\nseconds = 5\n[[proxy.upstream]]\nname = "up"\n'
            f'base_url = "{self.thread.upstream.url}"\nmodels = ["{MODEL}"]\n'
            "[service.limits]\nseconds = 5\n"
            f'[[models.use]]\nname = "{MODEL}"\nbase_url = "{self.thread.upstream.url}"\n'
        )
        self.server = ThreadServer(folder, table)
        self.key = self.server.key("admin")
        self.schema: Any = None

    def load(self) -> None:
        """Read the OpenAPI document that the server publishes."""
        self.schema = schemathesis.openapi.from_url(
            f"http://127.0.0.1:{self.server.port}/openapi.json"
        )

    def run(self, examples: int) -> dict[int, int]:
        """Send generated requests to every operation; return statuses and how often they came."""
        statuses: dict[int, int] = {}

        def work(case: Any) -> None:
            case.headers["Authorization"] = f"Bearer {self.key}"
            reply = case.call(timeout=60)
            case.validate_response(reply, checks=[not_a_server_error])
            statuses[reply.status_code] = statuses.get(reply.status_code, 0) + 1

        limits = settings(
            max_examples=examples, deadline=None, suppress_health_check=CALM, database=None,
            derandomize=True,
        )  # fmt: skip
        for found in self.schema.get_all_operations():
            operation: Any = found.ok()
            if operation.path != ENDLESS:
                limits(given(case=operation.as_strategy())(work))()
        return statuses

    def close(self) -> None:
        self.server.stop()
        self.thread.close()


@pytest.fixture
def fuzzed(tmp_path: Path) -> Iterator[Fuzzed]:
    made = Fuzzed(tmp_path)
    try:
        made.load()
        yield made
    finally:
        made.close()


def test_no_generated_request_finds_a_defect(fuzzed: Fuzzed) -> None:
    statuses = fuzzed.run(examples=6)
    print(statuses)
    assert statuses


@pytest.mark.soak
def test_no_generated_request_finds_a_defect_in_many(fuzzed: Fuzzed) -> None:
    statuses = fuzzed.run(examples=150)
    print(statuses)
    assert statuses
