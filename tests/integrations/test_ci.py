"""The command of the GitHub Action and the pre-commit hook, and the files that call it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.integrations.pages import REPOSITORY, block

from firmground.integrations.ci import main


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    path = tmp_path / "answers.jsonl"
    path.write_text(block("ci.md", "json"), encoding="utf-8")
    return path


def test_the_documented_command_prints_what_the_page_says(
    answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["answers.jsonl", "--judge", "lexical", "--report", "report.html"]) == 1
    printed = capsys.readouterr().out
    for line in block("ci.md", "console").splitlines()[1:]:
        assert line.removesuffix("...") in printed
    assert Path("report.html").read_text(encoding="utf-8").count("<details") == 2


def test_on_github_the_line_is_annotated_and_stays_one_line(
    answers: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert main(["answers.jsonl", "--judge", "lexical"]) == 1
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("::error file=answers.jsonl,line=2,title=firmground::the answer")
    assert "%0A" in first
    assert rest == ["1 of 2 answers stand, required 100.0%"]
    assert main(["answers.jsonl", "--judge", "lexical", "--min-pass-rate", "0.5"]) == 0
    assert capsys.readouterr().out.startswith("::warning ")


@pytest.mark.parametrize(
    ("text", "said"),
    [("no json\n", "answers.jsonl:1: not JSON"), ('{"answer": "x"}\n', "answers.jsonl:1")],
)
def test_a_file_that_cannot_be_read_is_no_verdict(
    answers: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    answers.write_text(text, encoding="utf-8")
    assert main(["answers.jsonl", "--judge", "lexical"]) == 2
    assert said in capsys.readouterr().err
    assert main(["missing.jsonl"]) == 2


def test_the_check_step_of_the_action_runs_in_a_shell(answers: Path) -> None:
    action: dict[str, Any] = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
    (step,) = [s for s in action["runs"]["steps"] if s.get("name") == "Check the answers"]
    given = {
        "FILES": "answers.jsonl",
        "POLICY": "balanced",
        "MIN_PASS_RATE": "1",
        "REPORT": "r.html",
    }
    assert set(step["env"]) == set(given)
    assert {"files", "policy", "min-pass-rate", "report", "package"} == set(action["inputs"])
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {
        **os.environ, **given, "PATH": path, "PYTHONPATH": str(REPOSITORY / "src"),
        "GITHUB_ACTIONS": "true",
    }  # fmt: skip
    ran = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        cwd=answers.parent, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 1, ran.stderr
    assert "::error file=answers.jsonl,line=2" in ran.stdout
    assert (answers.parent / "r.html").exists()


def test_the_pre_commit_hook_calls_the_command() -> None:
    (hook,) = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"].split() == ["python", "-m", "firmground.integrations.ci"]
    assert hook["id"] in block("ci.md", "yaml", 1)
