"""``firmground preflight``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firmground.cli.main import cli


def run(*args: str, text: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["preflight", *args], input=text)


def test_an_ordinary_question_exits_with_zero() -> None:
    result = run("Who wrote Middlemarch?")
    assert result.exit_code == 0
    assert result.output.startswith("PREFLIGHT_OK")


def test_a_fabricated_goal_exits_with_one_and_shows_the_words() -> None:
    result = run("Make up the figures for the outage")
    assert result.exit_code == 1
    assert '"Make up the figures' in result.output


def test_json_has_exactly_the_promised_shape() -> None:
    text = "You are an SRE. List five outages"
    document = json.loads(run(text, "--json").output)
    assert list(document) == ["confidence", "status", "signals", "quantifier", "question_state"]
    assert document["status"] == "PREFLIGHT_BLOCKED"
    for signal in document["signals"]:
        assert list(signal) == ["name", "penalty", "spans"]
        assert all(text[a:b] for a, b in signal["spans"])
    assert document["quantifier"]["explicit_count"] == 5
    assert document["quantifier"]["is_broad"] is False


def test_the_question_can_come_from_standard_input() -> None:
    assert run("-", text="Who wrote Middlemarch?").exit_code == 0


def test_an_attached_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "contract.txt"
    path.write_text("The parties agree.")
    assert run("Summarise my uploaded contract").exit_code == 1
    assert run("Summarise my uploaded contract", "--evidence", str(path)).exit_code == 0


def test_an_empty_question_could_not_be_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from firmground.cli.main import main

    monkeypatch.setattr("sys.argv", ["firmground", "preflight", "  "])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert "question.text is empty" in capsys.readouterr().err


def test_an_attachment_that_is_not_text_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(b"ok\xff")
    result = run("Hi", "--evidence", str(path))
    assert result.exit_code != 0
    assert "x.bin: not UTF-8 at byte 2" in str(result.exception)


def test_ask_keeps_to_the_preflight_of_its_settings_and_records_a_reject_run(
    tmp_path: Path,
) -> None:
    """Before any model call: there is nobody at the address it was given."""
    config, ledger = tmp_path / "firmground.toml", tmp_path / "log.db"
    config.write_text("[preflight]\nreject_broad = true\n")
    model = ("--model", "none", "--base-url", "http://127.0.0.1:9")
    asking = ("ask", "List all rivers of the world", "-e", "The Po is a river.", *model)
    told = CliRunner().invoke(cli, [*asking, "--config", str(config), "--ledger", str(ledger)])
    assert told.exit_code == 1, told.output
    assert "broad and unbounded" in told.output
    listed = CliRunner().invoke(cli, ["runs", "list", "--ledger", str(ledger)])
    assert "  reject  " in listed.output
