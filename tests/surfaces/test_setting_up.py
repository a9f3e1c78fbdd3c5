"""``init`` writes settings that load, ``doctor`` says what is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firmground.cli.init import TEMPLATE
from firmground.cli.main import cli
from firmground.config.settings import Settings
from firmground.errors import InputError


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


def test_init_writes_a_file_that_loads_and_never_over_another(tmp_path: Path) -> None:
    assert run("init", str(tmp_path)).exit_code == 0
    file = tmp_path / "firmground.toml"
    settings = Settings.load(file)
    assert (settings.judge, getattr(settings.policy, "name", "")) == ("builtin", "own")
    file.write_text("# mine\n")
    again = run("init", str(tmp_path))
    assert isinstance(again.exception, InputError)
    assert file.read_text() == "# mine\n"


def test_what_the_template_shows_as_comments_is_settings_too(tmp_path: Path) -> None:
    lines = [line.removeprefix("# ").removeprefix("#") for line in TEMPLATE.splitlines()[3:]]
    text = "\n".join(lines).replace("only where the first is unsure", "")
    file = tmp_path / "firmground.toml"
    file.write_text(text)
    settings = Settings.load(file)
    assert {"policy", "judge", "engine", "ledger", "models", "hooks"} <= settings.tables


def test_doctor_says_what_is_installed_and_where_settings_come_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    found = run("doctor", "--json")
    assert found.exit_code == 0
    document = json.loads(found.output)
    assert document["settings"]["file"] is None
    assert document["judge"]["error"] is None
    assert "OPENAI_API_KEY" in document["environment"]
    assert "sk-secret" not in found.output
    told = run("doctor").output
    assert "firmground init writes one" in told


def test_doctor_fails_on_a_settings_file_that_does_not_load(tmp_path: Path) -> None:
    file = tmp_path / "firmground.toml"
    file.write_text("[judeg]\nuse = 'lexical'\n")
    found = run("doctor", "--config", str(file))
    assert found.exit_code == 2
    assert "judeg" in found.output
