"""``firmground calibrate`` as a person uses it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmground.cli.main import cli
from firmground.errors import InputError


def rows(n: int, *, power: float = 3.0, seed: int = 1) -> str:
    dice = random.Random(seed)
    made = []
    for number in range(n):
        risk = dice.random()
        stands = dice.random() >= risk**power
        made.append({"risk": risk, "stands": stands, "group": "ab"[number % 2]})
    return "\n".join(json.dumps(one) for one in made)


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.jsonl"
    path.write_text(rows(1200), encoding="utf-8")
    return path


def test_a_threshold_is_printed_with_its_bound_and_kept(labelled: Path, tmp_path: Path) -> None:
    out, plot = tmp_path / "c.json", tmp_path / "c.svg"
    words = ["calibrate", str(labelled), "--risk", "0.1", "--out", str(out), "--plot", str(plot)]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0
    told = result.stdout.splitlines()
    assert told[1].startswith("accept when risk <=")
    assert told[2].startswith("  accepts ")
    assert told[3].startswith("  with confidence 0.95 at most 10.0%")
    assert plot.read_text(encoding="utf-8").startswith("<svg")
    same = CliRunner().invoke(cli, ["calibrate", str(labelled), "--drift", str(out)])
    assert same.exit_code == 0
    other = tmp_path / "live.jsonl"
    other.write_text("\n".join('{"risk": 0.01}' for _ in range(300)), encoding="utf-8")
    moved = CliRunner().invoke(cli, ["calibrate", str(other), "--drift", str(out), "--json"])
    assert moved.exit_code == 1
    assert json.loads(moved.stdout)["alarm"]


def test_too_little_data_is_said_plainly(tmp_path: Path) -> None:
    path = tmp_path / "few.jsonl"
    path.write_text(rows(20), encoding="utf-8")
    result = CliRunner().invoke(cli, ["calibrate", str(path)])
    assert result.exit_code == 1
    assert "NO THRESHOLD" in result.stdout


def test_groups_get_thresholds_of_their_own(labelled: Path) -> None:
    result = CliRunner().invoke(
        cli, ["calibrate", str(labelled), "--risk", "0.2", "--by-group", "--json"]
    )
    assert set(json.loads(result.stdout)["groups"]) == {"a", "b"}


def test_rows_without_a_score_are_scored_by_the_built_in_judge(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    source = "The capital of France is Paris."
    made = [
        {"answer": "The capital of France is Paris.", "evidence": [source], "stands": True},
        {"answer": "The capital of France is Berlin.", "evidence": [source], "stands": False},
    ] * 20
    made = [{**one, "id": str(at)} for at, one in enumerate(made)]
    path.write_text("\n".join(json.dumps(one) for one in made), encoding="utf-8")
    result = CliRunner().invoke(cli, ["calibrate", str(path), "--risk", "0.3", "--json"])
    document = json.loads(result.stdout)
    assert document["groups"][""]["accepted"] == 20
    assert document["groups"][""]["errors"] == 0


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("{", ":1: is not JSON"),
        ("[]", ":1: is not an object"),
        ('{"risk": 0.5}', ":1: stands"),
        ('{"risk": 2, "stands": true}', ":1:"),
        ('{"risk": "low", "stands": true}', ":1: risk"),
        ('{"stands": true}', ":1"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, line: str, names: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(line, encoding="utf-8")
    result = CliRunner().invoke(cli, ["calibrate", str(path)])
    assert isinstance(result.exception, InputError)
    assert names in str(result.exception)


@pytest.mark.parametrize(
    "twice",
    [
        {"answer": "The capital of France is Paris.", "evidence": ["Paris."], "stands": True},
        {"id": 7, "risk": 0.1, "stands": True},
    ],
)
def test_an_answer_that_is_there_twice_is_refused_by_its_line(
    tmp_path: Path, twice: dict[str, object]
) -> None:
    path = tmp_path / "twice.jsonl"
    other = {"risk": 0.2, "stands": True, "id": 8}
    path.write_text("\n".join(json.dumps(one) for one in (twice, other, twice)), encoding="utf-8")
    result = CliRunner().invoke(cli, ["calibrate", str(path), "--judge", "lexical"])
    assert isinstance(result.exception, InputError)
    assert ":3: the same" in str(result.exception)
    assert "twice.jsonl:1" in str(result.exception)


def test_bare_scores_that_repeat_are_remarked_upon(tmp_path: Path) -> None:
    path = tmp_path / "same.jsonl"
    path.write_text('{"risk": 0.1, "stands": true}\n' * 100, encoding="utf-8")
    assert "note: 99 rows" in CliRunner().invoke(cli, ["calibrate", str(path)]).stdout
    path.write_text(rows(100), encoding="utf-8")
    assert "note" not in CliRunner().invoke(cli, ["calibrate", str(path)]).stdout


def test_a_line_separator_inside_a_text_is_not_the_end_of_a_row(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text('{"risk": 0.1, "stands": true, "id": "a\u2028b"}\n', encoding="utf-8")
    assert "1 labelled answer," in CliRunner().invoke(cli, ["calibrate", str(path)]).stdout


def test_rows_without_a_group_are_told_apart_from_those_with_one(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(rows(100) + '\n{"risk": 0.1, "stands": true}\n', encoding="utf-8")
    told = CliRunner().invoke(cli, ["calibrate", str(path), "--by-group"]).stdout
    assert "rows without a group: NO THRESHOLD" in told


def in_sources(sources: int, each: int) -> list[dict[str, object]]:
    dice = random.Random(3)
    return [
        {"risk": (r := dice.random()), "stands": dice.random() >= r**4 / 2, "source": name}
        for name in range(sources)
        for _ in range(each)
    ]


def test_rows_with_a_source_are_counted_by_source(tmp_path: Path) -> None:
    path, out = tmp_path / "l.jsonl", tmp_path / "c.json"
    path.write_text("\n".join(map(json.dumps, in_sources(300, 3))), encoding="utf-8")
    words = ["calibrate", str(path), "--risk", "0.1"]
    told = CliRunner().invoke(cli, [*words, "--out", str(out)])
    assert told.exit_code == 0, told.output
    assert "900 labelled answers of 300 sources" in told.stdout
    assert "shown on 270 of 300 sources, each counting the same" in told.stdout
    document = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)
    assert document["sources"] == 300
    assert document["groups"][""]["tested"] == 270
    assert json.loads(out.read_bytes())["sources"] == 300


def test_a_refusal_says_how_many_it_would_take(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    made = [{"risk": n / 200, "stands": n % 14 != 3} for n in range(200)]
    path.write_text("\n".join(map(json.dumps, made)), encoding="utf-8")
    words = ["calibrate", str(path), "--risk", "0.1"]
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 1
    refused = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)["groups"][""]
    assert refused["likely"] > 200
    assert f"about {refused['likely']} labelled answers" in " ".join(told.stdout.split())


@pytest.mark.parametrize("source", ["true", '""', "[]", "1.5"])
def test_a_source_that_is_no_name_is_refused_by_its_line(tmp_path: Path, source: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"risk": 0.1, "stands": true, "source": {source}}}', encoding="utf-8")
    result = CliRunner().invoke(cli, ["calibrate", str(path)])
    assert isinstance(result.exception, InputError)
    assert ":1: source" in str(result.exception)


def test_a_number_and_its_text_name_two_sources_and_null_names_none(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    sources = ("7", '"7"', "7", "null", "null")
    lines = [f'{{"risk": 0.1, "stands": true, "source": {one}}}' for one in sources]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert "of 4 sources" in CliRunner().invoke(cli, ["calibrate", str(path)]).stdout


def test_shared_evidence_without_a_source_is_remarked_upon(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    row = {"risk": 0.1, "stands": True, "evidence": ["Paris."], "answer": "Paris"}
    made = [{**row, "id": 1}, {**row, "id": 2}, {**row, "id": 3, "source": "a"}]
    path.write_text("\n".join(map(json.dumps, made)), encoding="utf-8")
    told = " ".join(CliRunner().invoke(cli, ["calibrate", str(path)]).stdout.split())
    assert "note: 2 rows share their evidence" in told
    path.write_text("\n".join(map(json.dumps, made[1:])), encoding="utf-8")
    assert "share their evidence" not in CliRunner().invoke(cli, ["calibrate", str(path)]).stdout
