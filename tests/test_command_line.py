"""The exit code is a verdict, so nothing else may look like one."""

from __future__ import annotations

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import click
import pytest

from firmground.cli import main as entry
from firmground.cli._output import print_json
from firmground.cli.main import cli
from firmground.errors import InputError


def exit_code(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["firmground", *words])
    with pytest.raises(SystemExit) as caught:
        entry.main()
    return int(caught.value.code or 0)


def test_a_crash_is_could_not_tell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError("boom")

    monkeypatch.setattr(cli, "main", broken)
    assert exit_code(monkeypatch) == 2
    assert "not a verdict" in capsys.readouterr().err


def test_an_interruption_is_could_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*args: object, **kwargs: object) -> None:
        raise click.Abort

    monkeypatch.setattr(cli, "main", stopped)
    assert exit_code(monkeypatch) == 2


@pytest.mark.parametrize(
    "words",
    [("nonesuch",), ("check", "--nonesuch"), ("check", "--answer", "x"), ("verify", "/no/such")],
)
def test_a_mistake_in_the_call_is_could_not_tell(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    assert exit_code(monkeypatch, *words) == 2


@pytest.mark.parametrize("words", [(), ("--help",), ("--version",), ("check", "--help")])
def test_asking_for_help_holds(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    assert exit_code(monkeypatch, *words) in (0, 2 if not words else 0)


def test_every_command_explains_itself() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert command.help, f"{name} has no help"


def test_a_verdict_comes_through_as_the_exit_code() -> None:
    command = [sys.executable, "-m", "firmground", "check", "--example", "incident"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\u2066\x9b31m\x7f\u200b"


@pytest.mark.parametrize(
    "error",
    [InputError(HOSTILE), click.UsageError(HOSTILE), ZeroDivisionError(HOSTILE)],
)
def test_no_error_message_reaches_a_terminal_as_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(cli, "main", broken)
    assert exit_code(monkeypatch) == 2
    said = capsys.readouterr().err
    assert "gnp.exe" in said
    assert not set(HOSTILE) & {c for c in said if not c.isprintable()}


def test_json_on_a_terminal_is_the_same_document_and_does_nothing_to_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = {"text": HOSTILE + "é — 漢 \U000e0041"}
    print_json(document)
    assert "\u202e" in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_json(document)
    shown = capsys.readouterr().out
    assert json.loads(shown) == document
    assert "é — 漢" in shown
    assert {c for c in shown if not c.isprintable()} == {"\n"}


def test_what_tasks_side_by_side_failed_of_is_said_once_and_is_no_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(*args: object, **kwargs: object) -> None:
        inner = ExceptionGroup("inner", [InputError("no client")])
        raise ExceptionGroup("tasks", [InputError("no client"), inner])

    monkeypatch.setattr(cli, "main", failing)
    assert exit_code(monkeypatch) == 2
    assert capsys.readouterr().err == "firmground: no client\n"


def test_a_defect_among_foreseen_failures_stays_a_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(*args: object, **kwargs: object) -> None:
        raise ExceptionGroup("tasks", [InputError("no client"), ZeroDivisionError("boom")])

    monkeypatch.setattr(cli, "main", failing)
    assert exit_code(monkeypatch) == 2
    assert "boom" in (said := capsys.readouterr().err)
    assert "not a verdict" in said


@pytest.mark.parametrize(
    "words",
    [
        ("gate", "--demo"),
        ("ask", "Who?", "-e", "It rained."),
        ("check", "-q", "Who?", "-a", "It rained.", "-e", "It rained.", "--judge", "llm"),
    ],
)
def test_without_the_client_a_command_that_asks_models_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    place = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert exit_code(monkeypatch, *words, *place) == 2
    said = capsys.readouterr().err
    assert "firmground[llm]" in said
    assert "Traceback" not in said


def test_the_list_of_commands_cuts_no_sentence_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    exit_code(monkeypatch, "--help")
    assert "..." not in capsys.readouterr().out.split("Commands:")[1]


def test_a_policy_that_names_no_codes_is_not_shown_as_minding_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code(monkeypatch, "policy", "explain", "strict")
    assert "codes = all" in capsys.readouterr().out


def test_the_headline_says_what_its_step_means_and_a_piped_answer_leaves_no_empty_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ("check", "-a", "It opened in 1952.\n", "-e", "It opened in 1932.")
    assert exit_code(monkeypatch, *words, "--judge", "lexical") == 1
    said = capsys.readouterr().out
    assert " - replan: look for other evidence\n" in said
    assert "\n  \n" not in said


def test_a_batch_from_standard_input_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(monkeypatch, "check", "--batch", "-", "--output", "out.jsonl") == 2
    assert "reads a file" in capsys.readouterr().err


def test_a_torn_row_names_its_line_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = tmp_path / "in.jsonl"
    rows.write_text('{"id": "c", "answer": "The Alder\n', encoding="utf-8")
    words = ("--batch", str(rows), "--output", str(tmp_path / "out.jsonl"), "--judge", "lexical")
    assert exit_code(monkeypatch, "check", *words, "--workers", "1") == 2
    told = f"firmground: {rows}: line 1, column 33: not JSON: Invalid control"
    assert told in capsys.readouterr().err


def test_an_erasure_that_nobody_could_confirm_says_how_to_confirm_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = str(tmp_path / "log.sqlite")
    assert exit_code(monkeypatch, "check", "--example", "incident", "--ledger", log) == 1
    capsys.readouterr()
    exit_code(monkeypatch, "runs", "list", "--ledger", log, "--json")
    run = json.loads(capsys.readouterr().out)[0]["run"]
    monkeypatch.setattr(sys, "stdin", StringIO(""))
    words = ("runs", "erase", run, "--reason", "asked", "--ledger", log)
    assert exit_code(monkeypatch, *words) == 2
    assert "nothing was erased, because it was not confirmed; --yes" in capsys.readouterr().err
