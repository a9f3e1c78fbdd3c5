"""What went wrong with a model is said with its name and address, and once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.models.scripted import POISON, QUESTION, serve
from tests.models.wire_server import completion, refusal, wire

from firmground.adapters.transcript import Replay
from firmground.bench.dependence import Rate
from firmground.bench.stats import Figure, with_interval
from firmground.cli import _consult
from firmground.cli.main import cli
from firmground.core.family import named_otherwise
from firmground.errors import InputError

pytest.importorskip("openai", reason="the extra 'llm' is not installed")

CHECK = ("check", "-q", QUESTION, "-a", POISON, "-e", POISON)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, list(arguments))


def asked_at(url: str) -> Any:
    return run(*CHECK, "--judge", "llm+lexical", "--model", "m", "--base-url", url)


def test_a_judge_behind_a_dead_address_is_said_to_be_out_of_reach() -> None:
    result = asked_at("http://127.0.0.1:9/v1")
    page = " ".join(result.stdout.split())
    assert result.exit_code == 2
    assert "judge m: http://127.0.0.1:9/v1 broke off or cannot be reached" in page
    assert "canary" not in page
    assert "look for other evidence" not in page
    assert "a checker failed, so ask again when it works" in page


def test_a_judge_that_refuses_the_key_is_said_to() -> None:
    with wire(lambda body, number: refusal(401, "Incorrect API key")) as server:
        page = " ".join(asked_at(server.base_url).stdout.split())
    assert f"judge m: {server.base_url} said 401: Incorrect API key" in page
    assert "look for other evidence" not in page


def test_the_same_sentence_stands_once_under_remarks_and_why() -> None:
    page = asked_at("http://127.0.0.1:9/v1").stdout
    _, _, after = page.partition("REMARKS")
    assert " ".join(after.split()).count("cannot be reached") == 1


def test_a_model_without_a_task_is_an_error_that_names_the_three() -> None:
    result = run(*CHECK, "--model", "m")
    assert result.exit_code == 2
    for flag in ("--judge llm", "--probe", "--consensus"):
        assert flag in result.output
    rows = run("check", "--batch", "rows.jsonl", "--model", "m")
    assert "--model cannot be given with it" in rows.output


def test_each_call_is_told_where_somebody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_consult, "watching", lambda: _consult.watch)
    monkeypatch.setattr("firmground.cli.check.watching", lambda: _consult.watch)
    with wire(serve) as server:
        result = asked_at(server.base_url)
        assert len(server.seen) == result.stderr.count("asking     m, call ")
    assert "asking     m, call 1\n" in result.stderr
    assert _consult.watching() is not None


def test_nobody_is_told_where_the_output_goes_into_a_file() -> None:
    with wire(serve) as server:
        assert "asking" not in asked_at(server.base_url).stderr


def test_an_endpoint_that_names_another_model_is_told() -> None:
    with wire(serve) as server:
        page = " ".join(asked_at(server.base_url).stdout.split())
    assert "asked for m, the endpoint says that scripted answered" in page


@pytest.mark.parametrize(
    ("asked", "answered", "other"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", False),
        ("vendor/M", "m", False),
        ("llama3", "llama3:8b", False),
        ("gpt-4o", "", False),
        ("gpt-4o", "gpt-4omni", True),
        ("gpt-4o", "gpt-3.5-turbo", True),
    ],
)
def test_a_dated_name_is_the_same_model(asked: str, answered: str, other: bool) -> None:
    assert bool(named_otherwise(asked, answered)) is other


def test_a_transcript_that_breaks_off_says_so(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with wire(serve) as server:
        run(
            *CHECK, "--judge", "llm+lexical", "--model", "m", "--base-url", server.base_url,
            "--record", str(path),
        )  # fmt: skip
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with pytest.raises(InputError, match=r"t.jsonl:\d+ is cut off: the transcript is incomplete"):
        Replay(path)
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    replay = ("--judge", "llm+lexical", "--model", "m", "--replay", str(path))
    page = " ".join(run(*CHECK, *replay).stdout.split())
    assert "the transcript is incomplete" in page


def test_the_gate_names_documents_by_number_and_beginning() -> None:
    with wire(serve) as server:
        result = run(
            "gate", "--model", "m", "--base-url", server.base_url, "--question", QUESTION,
            "--context", POISON, "--context", "Nothing to see here. " * 20,
        )  # fmt: skip
    assert f'document 1: "{" ".join(POISON.split())[:30]}' in result.stdout
    assert "document 2:" in result.stdout
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    assert "asked for m, the endpoint says that scripted answered" in result.stderr


def test_the_demo_shows_its_questions() -> None:
    with wire(lambda body, number: (200, {}, completion("Sydney", n=body.get("n", 1)))) as server:
        result = run("gate", "--demo", "--model", "m", "--base-url", server.base_url)
    assert "capital of Australia" in result.stdout
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


def test_a_file_that_is_not_there_is_named_once(tmp_path: Path) -> None:
    gone = tmp_path / "gone.txt"
    result = run("gate", "--model", "m", "--question", "q", "--context", f"@{gone}")
    assert str(result.exception).count("gone.txt") == 1


def test_one_case_has_no_interval() -> None:
    assert str(Rate(count=1, of=1)) == "1 of 1 (too few)"
    one = with_interval([(0.5, True)], lambda pairs: float(len(pairs)))
    assert one == Figure(value=1.0)
    assert str(one) == "+1.000 (too few)"


def test_the_legend_explains_brackets_only_where_there_are_some() -> None:
    page = asked_at("http://127.0.0.1:9/v1").stdout
    assert "⟦" not in page.partition("the piece that fails")[0] or "the piece that fails" in page
    assert json.dumps(page.count("the piece that fails")) == "0"
