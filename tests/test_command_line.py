"""The exit code is a verdict, so nothing else may look like one."""

from __future__ import annotations

import json
import subprocess
import sys

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
