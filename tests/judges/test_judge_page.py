"""What the page about judges shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmground.adapters.judges import MODEL_JUDGES
from firmground.config.settings import load_settings
from firmground.engine.judges import JUDGES
from firmground.errors import ConfigError
from firmground.verify.neural import available

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "verifier.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.skipif(
    not available(), reason="the verifier's weights are not in src/firmground/verify/model"
)
def test_every_example_runs() -> None:
    (code,) = blocks("python")
    exec(compile(code, "example", "exec"), {})


def test_every_judge_and_note_is_on_the_page() -> None:
    notes = ("judge_failed", "model_score", "model_supported", "evidence_not_read",
             "next_judge_failed", "asked_further")  # fmt: skip
    for word in (*MODEL_JUDGES, *JUDGES, "cascade", *notes):
        assert f"`{word}" in PAGE, word


def test_the_settings_file_names_the_judge(tmp_path: Path) -> None:
    path = tmp_path / "firmground.toml"
    path.write_text(blocks("toml")[0])
    assert load_settings(path).judge == "cascade:lexical,builtin"
    path.write_text("[judge]\nuse = 3\n")
    with pytest.raises(ConfigError, match=r"judge\.use"):
        load_settings(path)
    path.write_text('[judge]\nuse = "lexical"\nspeed = 3\n')
    with pytest.raises(ConfigError, match="speed"):
        load_settings(path)
    path.write_text('[judge]\nuse = ""\n')
    with pytest.raises(ConfigError, match="must name a judge"):
        load_settings(path)


def test_check_takes_its_judge_from_the_settings_file(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from firmground.cli.check import command

    path = tmp_path / "firmground.toml"
    path.write_text('[judge]\nuse = "nonesuch"\n')
    words = ["-a", "A cat sat.", "-e", "A cat sat.", "--config", str(path)]
    told = CliRunner().invoke(command, words)
    assert "nonesuch" in str(told.exception)
    assert CliRunner().invoke(command, [*words, "--judge", "lexical"]).exit_code in (0, 1)
