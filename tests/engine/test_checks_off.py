"""Checks of the built-in judges can be left out by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmground import Engine, Settings
from firmground.engine.judges import judge_name
from firmground.errors import ConfigError, InputError

ANSWER = "The bridge opened in 1952."
EVIDENCE = ["The bridge opened in 1932."]


def _codes(judge: str) -> set[str]:
    with Engine(judge=judge) as engine:
        (claim,) = engine.check(ANSWER, EVIDENCE).to_dict()["claims"]
    return {note["code"] for note in claim["notes"]}


def test_a_check_that_is_left_out_notes_nothing() -> None:
    assert "date_differs" in _codes("lexical")
    assert "date_differs" not in _codes("lexical!dates")


def test_leaving_a_check_out_changes_the_identity_of_the_judge() -> None:
    assert judge_name("lexical!quotes") != judge_name("lexical")


def test_an_unknown_check_is_refused_with_the_known_names() -> None:
    with pytest.raises(InputError, match=r"no check is named 'qoutes'.*quotes"):
        Engine(judge="lexical!qoutes").check(ANSWER, EVIDENCE)


def test_checks_can_only_be_left_out_of_own_judges(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="builtin and lexical only"):
        Engine(judge="cascade!quotes:lexical,builtin").check(ANSWER, EVIDENCE)
    file = tmp_path / "firmground.toml"
    file.write_text('[judge]\nuse = "cascade:lexical,builtin"\nwithout = ["quotes"]\n')
    with pytest.raises(ConfigError, match="line 3"):
        Settings.load(file)


def test_the_settings_file_names_checks_to_leave_out(tmp_path: Path) -> None:
    file = tmp_path / "firmground.toml"
    file.write_text('[judge]\nuse = "lexical"\nwithout = ["numbers", "dates"]\n')
    assert Settings.load(file).judge == "lexical!numbers,dates"
