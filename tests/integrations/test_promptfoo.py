"""Promptfoo: the assertion, and the program itself where it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integrations.pages import REPOSITORY, block

from firmground.integrations.promptfoo import get_assert

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."


def test_the_assertion_returns_a_grading_result() -> None:
    found = get_assert(WRONG, {"vars": {"context": [RIGHT], "question": "When?"}})
    assert found["pass"] is False
    assert "answer[0:32] contradicted" in found["reason"]
    assert [one["pass"] for one in found["componentResults"]] == [False]
    assert get_assert(RIGHT, {"vars": {"context": RIGHT}})["pass"] is True
    json.dumps(found)


def test_the_configuration_may_name_other_variables_and_a_policy() -> None:
    context = {
        "vars": {"documents": RIGHT},
        "config": {"evidence": "documents", "policy": "strict"},
    }
    assert get_assert(RIGHT, context)["pass"] is True
    assert get_assert(RIGHT, {"vars": {"documents": RIGHT}})["pass"] is False


@pytest.mark.skipif(shutil.which("promptfoo") is None, reason="promptfoo is not on the path")
def test_the_documented_configuration_runs_in_promptfoo(tmp_path: Path) -> None:
    (tmp_path / "grounded.py").write_text(block("promptfoo.md", "python"), encoding="utf-8")
    page = block("promptfoo.md", "yaml")
    stated = page.replace("'Answer from this: {{context}} Question: {{question}}'", f"'{WRONG}'")
    (tmp_path / "promptfooconfig.yaml").write_text(stated, encoding="utf-8")
    environment = {
        **os.environ,
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_CONFIG_DIR": str(tmp_path / "config"),
        "PYTHONPATH": str(REPOSITORY / "src"),
    }
    subprocess.run(
        ["promptfoo", "eval", "--no-cache", "-o", "out.json"],
        cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=300,
    )  # fmt: skip
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    (row,) = found["results"]["results"]
    assert row["gradingResult"]["pass"] is False
    assert "contradicted" in row["gradingResult"]["reason"]
