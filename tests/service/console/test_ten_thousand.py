"""Every page over a ledger of 10,000 runs: no error, no failed request, within the page weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.service.conftest import Server
from tests.service.console.conftest import Person, new_server

RUNS = 10_000
MOST_BYTES = 300_000
MEASURED = """() => {
  const page = performance.getEntriesByType("navigation")[0];
  const parts = performance.getEntriesByType("resource").filter((one) => !one.name.includes("/events"));
  const paint = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  return [parts.reduce((n, one) => n + one.encodedBodySize, page.encodedBodySize), paint - page.responseEnd];
}"""
PAINTED = "performance.getEntriesByName('first-contentful-paint').length > 0"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = new_server(tmp_path_factory.mktemp("large"), runs=RUNS, cases=6)
    yield server
    server.stop()


def measured(one: Person, path: str) -> tuple[int, float]:
    """Bytes of everything a page loads, and milliseconds from the reply to the first paint."""
    page = one.open(path)
    page.wait_for_function(PAINTED)
    weight, paint = page.evaluate(MEASURED)
    return weight, paint


@pytest.mark.soak
def test_every_page_is_light_and_free_of_errors(browser: Any, large: Server) -> None:
    key = large.key("read")
    while large.call("GET", "/api/v1/runs?limit=1", key=key).json["behind"]:
        pass
    hostile = large.call("GET", "/api/v1/runs?q=says&limit=8", key=key).json["runs"]
    paths = [
        "/console/runs", "/console/runs?verdict=stands&policy=strict", "/console/runs?q=bridge",
        "/console/runs?before=500", "/console/escalations", "/console/overview?hours=720",
        "/console/playground", "/console/policies?policy=strict&other=balanced&last=500",
        "/console/access", *(f"/console/runs/{row['run']}" for row in hostile),
    ]  # fmt: skip
    for path in paths:
        one = Person(browser, large).sign_in("admin")
        weight, paint = measured(one, path)
        print(f"{weight:7d} bytes, first paint {paint:5.0f} ms after the reply  {path}")
        assert 0 < weight <= MOST_BYTES, path
        assert one.page.title().endswith("· firmground")
        assert one.errors == []
        one.context.close()


@pytest.mark.soak
def test_the_whole_list_can_be_paged_through(browser: Any, large: Server) -> None:
    one = Person(browser, large).sign_in("viewer")
    page = one.open("/console/runs?verdict=does_not_stand")
    seen: set[str] = set()
    while True:
        rows = page.eval_on_selector_all("tr[data-run]", "rows => rows.map(r => r.dataset.run)")
        assert not seen & set(rows)
        seen |= set(rows)
        older = page.get_by_role("link", name="Older")
        if not older.count():
            break
        older.click()
        page.wait_for_load_state()
    facets = large.call("GET", "/api/v1/facets", key=large.key("read")).json["verdict"]
    assert len(seen) == next(one["runs"] for one in facets if one["value"] == "does_not_stand")
    assert one.errors == []
    one.context.close()
