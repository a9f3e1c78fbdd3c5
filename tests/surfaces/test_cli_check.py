"""The command as people type it: sources, output, exit codes, errors."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firmground.cli.check import command
from firmground.cli.examples import command as examples
from firmground.cli.main import cli
from firmground.errors import FirmgroundError, InputError, ModelError
from firmground.examples import example_names
from firmground.pipeline import BoundJudge
from firmground.testing import FunctionJudge

EVIDENCE = "The Alder bridge opened in 1932. It carries 40,000 cars a day."
TRUE = "The Alder bridge opened in 1932."
FALSE = "The Alder bridge opened in 1952."


def run(*arguments: str, stdin: str | bytes | None = None, columns: int = 80) -> Result:
    runner = CliRunner(env={"COLUMNS": str(columns), "NO_COLOR": "1"})
    return runner.invoke(command, arguments, input=stdin)


def document(result: Result) -> Any:
    return json.loads(result.stdout)


def test_an_answer_that_stands_exits_0_and_one_that_does_not_exits_1() -> None:
    assert run("--answer", TRUE, "--evidence", EVIDENCE).exit_code == 0
    result = run("--answer", FALSE, "--evidence", EVIDENCE)
    assert result.exit_code == 1
    assert "DOES NOT STAND" in result.output
    assert "1932" in result.output


def test_sources_may_be_arguments_files_folders_or_standard_input(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(TRUE)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "e.md").write_text(EVIDENCE)
    (tmp_path / "folder" / "picture.png").write_bytes(b"\x89PNG")
    answer, folder = str(tmp_path / "answer.txt"), str(tmp_path / "folder")
    for given in (
        run("-a", answer, "-e", folder),
        run("-a", "@" + answer, "-e", EVIDENCE),
        run("-a", TRUE, "-e", "-", stdin=EVIDENCE),
        run("-e", folder, stdin=TRUE),
        run("-a", "-", "-e", folder, stdin=TRUE),
    ):
        assert given.exit_code == 0, given.output
    assert "not read" in run("-a", answer, "-e", folder).stderr


def test_one_document_does_it_all(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "question": "When?",
        "answer": FALSE,
        "evidence": [{"text": EVIDENCE, "id": "b"}],
    }
    path = tmp_path / "doc.json"
    path.write_text(json.dumps(row))
    from_file = document(run("--input", str(path), "--json"))
    from_stdin = document(run("--input", "-", "--json", stdin=json.dumps(row)))
    assert from_file == from_stdin
    assert from_file["id"] == 7
    assert from_file["claims"][0]["evidence"][0]["id"] == "b"


def test_the_json_is_the_documented_shape_with_exact_offsets() -> None:
    result = run("-a", FALSE, "-e", EVIDENCE, "--json")
    found = document(result)
    assert result.exit_code == 1
    assert {"id", "decision", "support", "risk", "claims", "objections", "run"} <= set(found)
    (claim,) = found["claims"]
    assert FALSE[claim["start"] : claim["end"]] == claim["text"]
    (problem,) = claim["problems"]
    assert FALSE[problem["start"] : problem["end"]] == "1952"
    (span,) = claim["evidence"]
    assert "1932" in EVIDENCE[span["start"] : span["end"]]
    assert run("-a", FALSE, "-e", EVIDENCE, "--json").stdout == result.stdout


def test_text_is_readable_at_80_columns_without_colour() -> None:
    for name in example_names():
        result = run("--example", name)
        assert max(map(len, result.output.splitlines())) <= 80
        assert "\x1b" not in result.output
        for heading in ("ANSWER", "WHY"):
            assert heading in result.output.splitlines()


def test_text_survives_a_narrow_terminal() -> None:
    result = run("--example", "incident", columns=40)
    assert max(map(len, result.output.splitlines())) <= 40


def test_text_that_would_steer_the_terminal_is_shown_instead() -> None:
    hostile = "The \x1b[31mbridge\x1b[0m \u202eopened in 1932."
    result = run("-a", hostile, "-e", EVIDENCE + " \x1b]0;owned\x07 \u2066")
    assert "\x1b" not in result.output
    assert "\u202e" not in result.output
    assert "<U+202E>" in result.output


def test_markup_of_the_console_library_in_the_text_means_nothing() -> None:
    result = run("-a", "The [bold red]bridge[/] opened in [link=x]1952.", "-e", EVIDENCE)
    assert "[bold red]bridge[/]" in " ".join(result.output.split())


def test_every_example_does_not_stand_and_says_why() -> None:
    assert set(example_names()) == {"business", "cited", "incident", "poisoned"}
    for name in example_names():
        result = run("--example", name, "--json")
        assert result.exit_code == 1, name
        assert document(result)["objections"]


def test_the_incident_is_caught_reaching_too_far() -> None:
    found = document(run("--example", "incident", "--json"))
    fallen = [c for c in found["claims"] if c["standing"] not in ("grounded", "complementary")]
    assert [c["text"] for c in fallen] == ["The configuration push caused the outage."]
    assert "preceded" in fallen[0]["reason"]


def test_the_bad_quote_is_told_from_the_good_one() -> None:
    found = document(run("--example", "cited", "--json"))
    assert found["claims"][0]["standing"] == "grounded"
    assert any(c["status"] == "fabricated" for c in found["citations"])


def test_the_page_is_written_beside_the_output(tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    assert run("--example", "incident", "--html", str(page)).exit_code == 1
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_examples_can_be_listed_and_printed() -> None:
    listed = CliRunner().invoke(examples, [])
    assert all(name in listed.output for name in example_names())
    printed = CliRunner().invoke(examples, ["incident"])
    assert json.loads(printed.output)["id"] == "incident"
    assert len(json.loads(CliRunner().invoke(examples, ["--json"]).output)) == len(example_names())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-a", TRUE), "at least one piece of evidence"),
        (("-a", "-", "-e", "-"), "read only once"),
        (("--input", "x.json", "-a", TRUE), "cannot be given together"),
        (("--example", "incident", "-e", "x"), "cannot be given together"),
        (("--batch", "in.jsonl"), "--batch needs --output"),
        (("--batch", "in.jsonl", "--all"), "cannot be given together"),
        (("--batch", "in.jsonl", "--output", "o", "--mode", "prose"), "each document says that"),
        (("--batch", "in.jsonl", "--output", "o", "--json"), "--batch and --json cannot"),
        (("--input", "x.json", "--trust", "vouched"), "--input and --trust cannot"),
        (("--input", "x.json", "--fetch"), "--input and --fetch cannot"),
        (("--example", "incident", "--encoding", "utf-8"), "--example and --encoding cannot"),
        (("-a", TRUE, "-e", TRUE, "--workers", "2"), "--workers is for --batch"),
        (("-a", TRUE, "-e", TRUE, "--output", "o"), "--output is for --batch"),
        (("-a", TRUE, "-e", TRUE, "--html", ""), "--html needs the name of a file"),
    ],
)
def test_a_command_that_makes_no_sense_is_a_usage_error(
    arguments: tuple[str, ...], message: str
) -> None:
    result = run(*arguments, stdin="")
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-a", TRUE, "-e", "nowhere.txt"), "nowhere.txt: no such file"),
        (("-a", "@nowhere", "-e", EVIDENCE), "nowhere: no such file"),
        (("-a", TRUE, "-e", "https://example.com/"), "--fetch"),
        (("-a", " ", "-e", EVIDENCE), "answer is empty"),
        (("-a", TRUE, "-e", EVIDENCE, "--policy", "lenient"), "policy 'lenient' is unknown"),
        (("--example", "none"), "there is no example 'none'"),
        (("--batch", "nowhere.jsonl", "--output", "o"), "nowhere.jsonl: no such file"),
    ],
)
def test_input_that_cannot_be_used_is_one_clear_error(
    arguments: tuple[str, ...], message: str
) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_an_error_becomes_one_line_and_exit_code_2() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "firmground", "check", "-a", TRUE, "-e", "nowhere.txt"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr == (
        "firmground: nowhere.txt: no such file (pipe text that looks like a path in, as -)\n"
    )


def test_a_judge_that_cannot_judge_exits_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def out(inquiry: object) -> Any:
        raise ModelError("the judge is out")

    broken = BoundJudge(judge=FunctionJudge(function=out), name="broken")
    monkeypatch.setattr("firmground.engine.plans.bound_judge", lambda judge: broken)
    result = run("-a", TRUE, "-e", EVIDENCE)
    assert result.exit_code == 2
    assert "COULD NOT TELL" in result.output


def test_a_batch_from_the_command_line(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows: list[Any] = [
        {"id": "a", "answer": TRUE, "evidence": [EVIDENCE]},
        {"id": "b", "answer": FALSE, "evidence": [EVIDENCE]},
    ]
    source.write_text("\n".join(map(json.dumps, rows[:1])))
    assert run("--batch", str(source), "--output", str(target)).exit_code == 0
    source.write_text("\n".join(map(json.dumps, rows)))
    result = run("--batch", str(source), "--output", str(target))
    assert result.exit_code == 1
    assert "1 row checked, 1 were there already: 1 stand, 1 do not" in result.stderr
    source.write_text("\n".join(map(json.dumps, rows)) + "\n{}")
    result = run("--batch", str(source), "--output", str(target))
    assert result.exit_code == 2
    assert "line 3: 'id' is missing" in result.stderr
    alone = document(run("--input", "-", "--json", stdin=json.dumps(rows[1])))
    written = [json.loads(line) for line in target.read_text().splitlines()]
    assert {k: v for k, v in written[1].items() if k != "input"} == alone


def test_the_output_of_a_batch_may_not_be_its_input(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("{}")
    result = run("--batch", str(path), "--output", str(path))
    assert isinstance(result.exception, FirmgroundError)
    assert path.read_text() == "{}"


def test_the_group_knows_the_commands() -> None:
    listed = CliRunner().invoke(cli, ["--help"]).output
    assert "check" in listed
    assert "examples" in listed


def test_a_check_is_kept_in_the_ledger_that_is_named(tmp_path: Path) -> None:
    log = str(tmp_path / "log.db")
    first = document(run("-a", TRUE, "-e", EVIDENCE, "--json", "--ledger", log))
    second = document(run("-a", TRUE, "-e", EVIDENCE, "--json", "--ledger", log))
    assert [first["receipt"]["seq"], second["receipt"]["seq"]] == [0, 1]
    assert first["run"] == second["run"]
    assert "kept as" in run("-a", TRUE, "-e", EVIDENCE, "--ledger", log).output


def test_a_batch_is_kept_row_by_row_by_its_one_writer(tmp_path: Path) -> None:
    source, target, log = (tmp_path / name for name in ("in.jsonl", "out.jsonl", "log.db"))
    rows = [{"id": n, "answer": TRUE, "evidence": [EVIDENCE + f" {n}"]} for n in range(12)]
    source.write_text("\n".join(map(json.dumps, rows)) + "\n{}")
    given = ("--batch", str(source), "--output", str(target), "--ledger", str(log))
    assert run(*given, "--workers", "2").exit_code == 2
    written = [json.loads(line) for line in target.read_text().splitlines()]
    assert [row["receipt"]["seq"] for row in written[:-1]] == list(range(12))
    assert "outcome" not in written[0]


def test_a_ledger_that_cannot_be_written_is_an_error_and_not_a_pass(tmp_path: Path) -> None:
    result = run("-a", TRUE, "-e", EVIDENCE, "--ledger", str(tmp_path / "no" / "log.db"))
    assert isinstance(result.exception, FirmgroundError)


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_any_text_can_be_printed_on_any_terminal(tmp_path: Path, encoding: str) -> None:
    row = {
        "answer": "Zoë \ud800 opened in 1952 — 東京.",
        "evidence": ["Zoë \ud800 opened in 1932."],
    }
    path = tmp_path / "row.json"
    path.write_text(json.dumps(row))
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    typed = [sys.executable, "-m", "firmground", "check", "--input", str(path)]
    plain = subprocess.run(typed, env=environment, capture_output=True, check=False)
    assert plain.returncode == 1, plain.stderr
    assert b"DOES NOT STAND" in plain.stdout
    as_json = subprocess.run([*typed, "--json"], env=environment, capture_output=True, check=False)
    assert json.loads(as_json.stdout.decode(encoding))["claims"][0]["text"] == row["answer"]


def test_a_batch_shows_its_progress_to_a_person(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows = [{"id": n, "answer": TRUE, "evidence": [EVIDENCE]} for n in range(6)]
    source.write_text("\n".join(map(json.dumps, rows)))
    person, terminal = pty.openpty()
    typed = ["check", "--batch", str(source), "--output", str(target)]
    ran = subprocess.Popen(
        [sys.executable, "-m", "firmground", *typed],
        stderr=terminal,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(terminal)
    shown = b""
    with suppress(OSError):  # Linux ends a terminal nobody holds any more with an error
        while piece := os.read(person, 4096):
            shown += piece
    os.close(person)
    assert ran.wait() == 0
    assert b"%" in shown
    assert b"6 rows checked" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ledger", "no/such/runs.db"), "there is no folder no/such"),
        (("--ledger", "."), "this is a folder"),
        (("--ledger", ""), "the ledger has no name"),
        (("--html", "."), "it is a folder"),
        (("--html", "/"), "it is a folder"),
        (("--html", "no/such/page.html"), "there is no folder no/such"),
        (("--ledger", "runs.db", "--html", "runs.db"), "belongs to the log"),
    ],
)
def test_a_place_where_nothing_can_be_kept_is_named_in_words(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("--judge", "lexical", "-a", TRUE, "-e", EVIDENCE, *arguments)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)
    assert not list(tmp_path.iterdir())


def test_help_of_a_group_says_to_the_end_what_each_command_does() -> None:
    for name in ("runs", "policy", "witness", "cache", "hooks", "keys", "bench"):
        told = CliRunner(env={"COLUMNS": "80"}).invoke(cli, [name, "--help"]).output
        assert "..." not in told.partition("Commands:")[2], told
        assert max(map(len, told.splitlines())) <= 80


def test_the_named_encoding_is_that_of_answer_and_question_too(tmp_path: Path) -> None:
    for name in ("answer.txt", "evidence.txt"):
        (tmp_path / name).write_bytes("Das Café öffnete 1932.".encode("latin-1"))
    files = ("-a", str(tmp_path / "answer.txt"), "-e", str(tmp_path / "evidence.txt"))
    assert isinstance(run("--judge", "lexical", *files).exception, InputError)
    assert run("--judge", "lexical", "--encoding", "latin-1", *files).exit_code == 0
