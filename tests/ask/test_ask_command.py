"""``firmground ask`` as a person at a terminal uses it, and as a script does."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.models.wire_server import Answer, completion, refusal, wire

from firmground.cli import ask as ask_command
from firmground.cli.main import cli

SOURCE = "Northwind Ltd reported revenue of 24 million euros in 2023."
TRUE = "Northwind Ltd reported revenue of 24 million euros in 2023."
FALSE = "Northwind Ltd reported revenue of 42 million euros in 2023."
QUESTION = "What was the revenue of Northwind?"


def words(base_url: str, *more: str) -> list[str]:
    return [
        "ask", QUESTION, "-e", SOURCE, "--model", "scripted", "--base-url", base_url, *more,
    ]  # fmt: skip


def says(text: str) -> Any:
    def answer(body: dict[str, Any], number: int) -> Answer:
        return 200, {}, completion(text)

    return answer


def refuses(body: dict[str, Any], number: int) -> Answer:
    return refusal(400, "no such model")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that the runner's input is a terminal."""
    monkeypatch.setattr(ask_command, "is_interactive", lambda: True)


def test_an_answer_that_stands_exits_with_zero_and_progress_goes_to_standard_error() -> None:
    with wire(says(TRUE)) as server:
        result = CliRunner().invoke(cli, words(server.base_url))
    assert result.exit_code == 0
    stages = [line.split()[0] for line in result.stderr.splitlines()]
    assert stages == [
        "preflight", "retrieval", "prompt", "answer", "answer", "verify", "decision",
    ]  # fmt: skip


def test_an_answer_that_does_not_stand_exits_with_one() -> None:
    with wire(says(FALSE)) as server:
        result = CliRunner().invoke(cli, words(server.base_url, "--no-patch"))
    assert result.exit_code == 1
    assert "says 42 million euros, source says 24 million euros" in result.stdout


def test_without_a_terminal_a_case_for_a_person_exits_with_two_and_its_reasons() -> None:
    with wire(refuses) as server:
        result = CliRunner().invoke(cli, words(server.base_url))
        as_json = CliRunner().invoke(cli, words(server.base_url, "--json"))
    assert result.exit_code == as_json.exit_code == 2
    assert "A PERSON MUST DECIDE" in result.stdout
    assert result.stdout.startswith("NO ANSWER: ")
    assert "no such model" in result.stdout.splitlines()[0]
    assert result.stdout.count("no such model") == 1
    document = json.loads(as_json.stdout)
    assert document["outcome"] == "escalate"
    assert document["answer"] is None
    assert document["escalated"][0]["choices"] == ["retry", "amend", "abort"]


@pytest.mark.usefixtures("somebody")
def test_a_skip_at_the_terminal_lets_the_answer_out_and_exits_with_three(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[policy]\nescalate = ["contradiction"]\n')
    with wire(says(FALSE)) as server:
        asked = words(server.base_url, "--no-patch", "--policy", str(own))
        result = CliRunner().invoke(cli, asked, input="skip\nknown typo\n")
    assert result.exit_code == 3
    assert "NOT VOUCHED FOR" in result.stdout
    assert "known typo" in result.stdout


@pytest.mark.usefixtures("somebody")
@pytest.mark.parametrize(("typed", "code"), [("abort\n\n", 1), ("nonsense\nabort\n\n", 1), ("", 2)])
def test_abort_withholds_and_ended_input_leaves_the_case_open(typed: str, code: int) -> None:
    with wire(refuses) as server:
        result = CliRunner().invoke(cli, words(server.base_url), input=typed)
    assert result.exit_code == code


@pytest.mark.usefixtures("somebody")
def test_nobody_is_asked_who_does_not_want_to_be() -> None:
    with wire(refuses) as server:
        result = CliRunner().invoke(cli, words(server.base_url, "--no-input"), input="abort\n\n")
    assert result.exit_code == 2


def test_at_a_real_terminal_the_person_is_asked_and_obeyed() -> None:
    with wire(refuses) as server:
        ours, theirs = pty.openpty()
        os.write(ours, b"retry\nabort\nthe model is gone\n")
        ran = subprocess.Popen(
            [sys.executable, "-m", "firmground", *words(server.base_url)],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        )
        os.close(theirs)
        shown, _ = ran.communicate(timeout=300)
        os.close(ours)
        assert ran.returncode == 1
        assert b"the model is gone" in shown
        assert len(server.seen) == 2


def test_budgets_and_the_manner_of_repair_are_options_too() -> None:
    with wire(refuses) as server:
        for option in ("--model-calls", "--tokens", "--seconds"):
            result = CliRunner().invoke(cli, words(server.base_url, option, "0"))
            assert result.exit_code == 2
            assert "allows no call" in result.stdout
        wrong = CliRunner().invoke(cli, words(server.base_url, "--unsupported", "burn"))
    assert wrong.exit_code == 2
    assert "spare" in wrong.output
