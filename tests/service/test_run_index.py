"""The index of runs: it follows the log, gives up erased texts, and answers by indexes alone."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmground.engine import Engine
from firmground.service.run_facts import RunSummary
from firmground.service.run_index import RunIndex, latency_bucket, latency_edge, percentile
from firmground.service.run_search import Filters, facet_values, figures, find_runs, page_query

SECRET = "Zebrawood"
QUERIES: tuple[dict[str, str], ...] = (
    {},
    {"verdict": "stands"},
    {"verdict": "does_not_stand", "policy": "policy-3", "code": "code-7"},
    {"label": "outcome=escalate"},
    {"model": "model-1", "since": "2026-03-01"},
    {"until": "2026-02-01T12:30:00Z"},
    {"q": "bridge opened"},
    {"q": "bridge", "verdict": "stands", "rule": "rule-2"},
    {"q": "00000000-0000"},
    {"q": "00000000-0000", "verdict": "stands"},
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(judge="lexical", ledger=tmp_path / "runs.sqlite") as made:
        yield made


def follow(index: RunIndex, engine: Engine) -> None:
    assert engine.ledger is not None
    while index.follow(engine.ledger):
        pass


def found(index: RunIndex, **query: str) -> list[str]:
    return [row["run"] for row in find_runs(index, Filters.of(query))["runs"]]


def test_the_index_goes_on_where_it_stopped(tmp_path: Path, engine: Engine) -> None:
    first = engine.check("It rained.", "It rained.").run_id
    index = RunIndex(tmp_path)
    follow(index, engine)
    index.close()
    second = engine.check("It snowed.", "It rained.").run_id
    index = RunIndex(tmp_path)
    follow(index, engine)
    assert found(index) == [second, first]
    assert found(index, q="snowed") == [second]
    assert found(index, verdict="stands") == [first]
    index.close()


def test_an_index_of_another_log_is_built_again(tmp_path: Path, engine: Engine) -> None:
    engine.check("It rained.", "It rained.")
    index = RunIndex(tmp_path)
    follow(index, engine)
    with Engine(judge="lexical", ledger=tmp_path / "other.sqlite") as other:
        run = other.check("It snowed.", "It snowed.").run_id
        follow(index, other)
        assert found(index) == [run]
    index.close()


def test_the_texts_of_an_erased_run_leave_every_file_of_the_index(
    tmp_path: Path, engine: Engine
) -> None:
    run = engine.check(f"{SECRET} opened it.", f"{SECRET} opened it.", question=SECRET).run_id
    assert run is not None
    assert engine.ledger is not None
    index = RunIndex(tmp_path)
    follow(index, engine)
    assert found(index, q=SECRET) == [run]
    engine.ledger.erase([run], actor="test", reason="asked")
    follow(index, engine)
    assert found(index, q=SECRET) == []
    assert found(index, policy="balanced") == []
    assert found(index, verdict="stands") == [run]
    assert facet_values(index)["policy"] == []
    index.close()
    for file in tmp_path.glob("index.sqlite*"):
        assert SECRET.encode() not in file.read_bytes()
        assert SECRET.lower().encode() not in file.read_bytes()


def test_pages_join_without_gap_or_overlap(tmp_path: Path, engine: Engine) -> None:
    runs = [engine.check(f"It rained {n} times.", "It rained.").run_id for n in range(7)]
    index = RunIndex(tmp_path)
    follow(index, engine)
    seen: list[Any] = []
    before = 1 << 53
    while True:
        page = find_runs(index, Filters(), before=before, limit=3)
        seen += [row["run"] for row in page["runs"]]
        if page["next"] is None:
            break
        before = page["next"]
    assert seen == runs[::-1]
    index.close()


def test_percentiles_are_the_edges_of_buckets() -> None:
    for milliseconds in (0, 1, 2, 37, 1000, 86_000_000):
        assert latency_edge(latency_bucket(milliseconds)) >= milliseconds
    assert percentile([], 0.5) is None
    assert percentile([(0, 9), (20, 1)], 0.5) == 1.0
    assert percentile([(0, 9), (20, 1)], 0.99) == latency_edge(20)


def filled(folder: Path, runs: int) -> RunIndex:
    """An index of this many runs that were never recorded."""
    index = RunIndex(folder)
    db: Any = index._db
    db.execute("BEGIN")
    for seq in range(runs):
        stands = seq % 3 > 0
        facets = [
            ("verdict", "stands" if stands else "does_not_stand"), ("decision", "proceed"),
            ("shape", "quote"), ("policy", f"policy-{seq % 5}"), ("model", f"model-{seq % 7}"),
        ]  # fmt: skip
        if not stands:
            facets += [("code", f"code-{seq % 11}"), ("rule", f"rule-{seq % 4}")]
        if seq % 1000 == 0:
            facets.append(("label", "outcome=escalate"))
        day = seq * 300 // runs
        moment = f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}T{seq % 24:02d}:00:00.000000Z"
        facts = RunSummary(
            seq=seq, run=f"00000000-0000-7000-8000-{seq:012x}", time=moment,
            question=f"When did bridge {seq} open?", answer=f"The bridge opened in {seq % 900}.",
            claims=1, failing=int(not stands), support=0.5, attempts=1, milliseconds=seq % 500,
            facets=tuple(facets),
        )  # fmt: skip
        index._add(facts, max(moment, f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}T24"))
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return index


def plan(index: RunIndex, query: dict[str, str]) -> list[str]:
    sql, values = page_query(index, Filters.of(query), before=1 << 53, limit=51)
    return [row[3] for row in index.query("EXPLAIN QUERY PLAN " + sql, values)]


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_every_list_is_answered_by_an_index(tmp_path: Path, query: dict[str, str]) -> None:
    index = filled(tmp_path, 300)
    steps = plan(index, query)
    assert all(step.startswith(("SEARCH", "USE TEMP", "SCAN words VIRTUAL")) for step in steps), (
        steps
    )
    sorts = [step for step in steps if step.startswith("USE TEMP")]
    assert not sorts or query.get("q", "").startswith("0000")
    index.close()


@pytest.mark.soak
def test_a_page_costs_the_same_among_a_million_runs(tmp_path: Path) -> None:
    small, large = (filled(_folder(tmp_path, str(n)), n) for n in (10_000, 1_000_000))
    for query in QUERIES:
        # Words and a facet together are walked by the words: in the worst case all runs with them.
        both = "bridge" in query.get("q", "") and len(query) > 1
        ratio = _seconds(large, query) / _seconds(small, query)
        print(
            f"{ratio:6.2f} times, {1000 * _seconds(large, query):7.2f} ms  {query}  {plan(large, query)}"
        )
        assert both or ratio < 60, query
    began = time.perf_counter()
    seen = figures(large, since="2026-01-01T00", until="2027-01-01T00", step=10)
    print(f"overview of {seen['runs']} runs: {1000 * (time.perf_counter() - began):.0f} ms")
    assert seen["runs"] == 1_000_000
    for index in (small, large):
        index.close()


def _folder(parent: Path, name: str) -> Path:
    made = parent / name
    made.mkdir()
    return made


def _seconds(index: RunIndex, query: dict[str, str]) -> float:
    """The median time for one page."""
    filters, taken = Filters.of(query), []
    for _ in range(9):
        began = time.perf_counter()
        find_runs(index, filters, limit=50)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)
