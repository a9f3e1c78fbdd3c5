"""Batches in Parquet and CSV, and the page about a whole batch."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from firmground.adapters.report_html.summary import WORST, BatchFigures, summary_html
from firmground.cli.main import cli

ROWS: list[dict[str, Any]] = [
    {"id": "a", "answer": "It opened in 1932.", "evidence": ["It opened in 1932."]},
    {"id": "b", "answer": "It opened in 1952.", "evidence": ["It opened in 1932."]},
    {"id": "c", "answer": "It opened in 1932.", "evidence": ["It opened in 1932.", "é"]},
    {"id": "b", "answer": "It opened in 1932.", "evidence": ["It opened in 1932."]},
    {"id": "d", "answer": "", "evidence": ["x"]},
    {"id": None, "answer": "It rained.", "evidence": ["x"]},
]


def batch(*arguments: object) -> Result:
    command = ["check", "--judge", "lexical", "--workers", "1", *map(str, arguments)]
    return CliRunner().invoke(cli, command)


def results(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        return [json.loads(row["result"]) for row in found]
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def sources(tmp_path: Path) -> dict[str, Path]:
    made = {kind: tmp_path / f"in.{kind}" for kind in ("jsonl", "parquet", "csv")}
    lines = [{k: v for k, v in row.items() if v is not None} for row in ROWS]
    made["jsonl"].write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in lines))
    pq.write_table(pa.Table.from_pylist(ROWS), made["parquet"])
    import csv

    with made["csv"].open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["id", "answer", "evidence"])
        for row in ROWS:
            evidence = json.dumps(row["evidence"], ensure_ascii=False)
            writer.writerow([row["id"] or "", row["answer"], evidence])
    return made


def test_rows_of_every_format_give_the_same_results(
    sources: dict[str, Path], tmp_path: Path
) -> None:
    found = {}
    for kind, source in sources.items():
        for ending in ("jsonl", "parquet"):
            out = tmp_path / f"{kind}.out.{ending}"
            done = batch("--batch", source, "--output", out)
            assert done.exit_code == 2, done.output  # three rows are bad
            found[kind, ending] = results(out)
    first = found["jsonl", "jsonl"]
    assert [row.get("id") for row in first] == ["a", "b", "c", None, "d", None]
    assert [row.get("verdict") for row in first][:3] == ["stands", "does_not_stand", "stands"]
    assert ["error" in row for row in first] == [False, False, False, True, True, True]
    for key, rows in found.items():
        # An empty cell of a CSV file is an absent one, so the answer of d is missing there.
        many = 4 if key[0] == "csv" else len(first)
        assert [_comparable(row) for row in rows[:many]] == [
            _comparable(row) for row in first[:many]
        ], key


def _comparable(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "input"}  # spacing of a line counts


def test_a_parquet_result_has_columns_to_filter_by(
    sources: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.parquet"
    batch("--batch", sources["parquet"], "--output", out)
    rows = pq.read_table(out).to_pylist()
    assert list(rows[0]) == ["id", "verdict", "decision", "support", "error", "input", "result"]
    assert rows[1]["verdict"] == "does_not_stand"
    assert rows[1]["support"] == json.loads(rows[1]["result"])["support"]
    assert rows[3]["error"] == "line 4: the id was already used on line 2"
    assert sorted(path.name for path in tmp_path.iterdir() if "out" in path.name) == ["out.parquet"]


def test_a_parquet_batch_goes_on_where_it_stopped(sources: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    batch("--batch", sources["parquet"], "--output", out)
    again = batch("--batch", sources["parquet"], "--output", out)
    assert "0 rows checked, 6 were there already" in again.output
    pq.write_table(pa.Table.from_pylist([*ROWS, {**ROWS[0], "id": "new"}]), sources["parquet"])
    more = batch("--batch", sources["parquet"], "--output", out)
    assert "1 row checked, 6 were there already" in more.output
    assert [row["id"] for row in results(out)][-1] == "new"
    assert len(results(out)) == 7
    changed = batch("--batch", sources["parquet"], "--output", out, "--policy", "strict")
    assert "7 were there already" not in changed.output
    ids = [row["id"] for row in results(out) if row["id"] is not None]
    assert sorted(ids) == ["a", "b", "c", "d", "new"], "a row that was checked anew stands once"


def test_the_page_shows_figures_and_the_worst_answers(
    sources: dict[str, Path], tmp_path: Path
) -> None:
    page = tmp_path / "batch.html"
    batch("--batch", sources["parquet"], "--output", tmp_path / "out.jsonl", "--html", page)
    text = page.read_text()
    assert "6 rows of" in text
    assert re.search(r"<b>2</b>stands", text)
    assert re.search(r"<b>3</b>error", text)
    assert "says 1952, and no source gives the year 1952" in text
    assert "the id was already used on line 2" in text
    assert "<script" not in text


def test_what_rows_say_does_nothing_to_the_page() -> None:
    nasty = "<script>alert(1)</script>\u202e"
    figures = BatchFigures()
    figures.add({"error": nasty})
    figures.add(
        {
            "id": nasty,
            "verdict": nasty,
            "support": 0.1,
            "claims": [{"problems": [1], "code": nasty, "text": nasty, "reason": nasty}],
            "objections": [{"rule": nasty}],
        }
    )
    page = summary_html(figures, source=nasty, notes=[nasty])
    assert "<script" not in page
    assert "\u202e" not in page


def test_the_worst_answers_are_those_with_the_lowest_support_however_many_rows_there_are() -> None:
    figures = BatchFigures()
    for number in range(1_000):
        support = (number * 7919 % 1000) / 1000
        figures.add({"id": number, "verdict": "does_not_stand", "support": support})
    assert [one["support"] for one in figures.worst] == [n / 1000 for n in range(WORST)]
    assert sum(figures.support) == 1_000


def test_the_page_does_not_overwrite_the_rows(sources: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = batch("--batch", sources["jsonl"], "--output", out, "--html", out)
    assert "would overwrite the rows" in str(done.exception)


def test_an_unknown_place_to_run_on_is_a_usage_error(
    sources: dict[str, Path], tmp_path: Path
) -> None:
    done = batch("--batch", sources["jsonl"], "--output", tmp_path / "o", "--on", "spark")
    assert done.exit_code == 2
    assert "say ray" in done.output
