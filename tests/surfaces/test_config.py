"""Hooks named in the settings file stand around a check from the command line too."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from firmground.cli.main import cli

SOURCE = "Two and two make four."


def checked(tmp_path: Path, answer: str) -> tuple[int, dict[str, object]]:
    config = tmp_path / "firmground.toml"
    config.write_text('[[hooks.use]]\ntype = "arithmetic"\n', encoding="utf-8")
    words = ["check", "-a", answer, "-e", f"{SOURCE} {answer}", "--config", str(config), "--json"]
    result = CliRunner().invoke(cli, words)
    return result.exit_code, json.loads(result.stdout)


def test_a_hook_that_says_no_holds_back_what_the_evidence_says(tmp_path: Path) -> None:
    code, document = checked(tmp_path, "We count 2 + 2 = 5 of them.")
    assert code == 1
    assert "hooks" in {o["rule"] for o in document["objections"]}  # type: ignore[attr-defined]


def test_a_hook_that_says_yes_does_not(tmp_path: Path) -> None:
    _, document = checked(tmp_path, "We count 2 + 2 = 4 of them.")
    assert "hooks" not in {o["rule"] for o in document["objections"]}  # type: ignore[attr-defined]
