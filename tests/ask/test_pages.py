"""The pages about asking and calibrating run, and print what they say they print."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.models.wire_server import Answer, completion, wire
from tests.surfaces.test_docs import blocks, require_session
from tests.verify.test_docs import test_every_example_prints_what_its_comments_say as run_example

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = ("docs/asking.md", "docs/calibration.md")
ANSWER = "Northwind reported revenue of 42 million euros in 2023."


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which ``firmground`` is this package's command."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, words in (("firmground", " -m firmground"), ("python3", "")):
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "src"),
        "PYTHONWARNINGS": "error",
        "OPENAI_API_KEY": "none",
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }


def replies(body: dict[str, Any], number: int) -> Answer:
    return 200, {}, completion(ANSWER)


@pytest.mark.parametrize("page", PAGES)
def test_every_session_prints_what_the_page_shows(
    page: str, tmp_path: Path, shell: dict[str, str]
) -> None:
    with wire(replies) as server:
        shell["OPENAI_BASE_URL"] = server.base_url
        for language, body in blocks(page):
            if language == "console":
                require_session(body, tmp_path, shell)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(body, id=f"{page}:{at}")
        for page in PAGES
        for at, (language, body) in enumerate(blocks(page))
        if language == "python"
    ],
)
def test_every_example_runs(code: str) -> None:
    run_example(code)


def test_every_exit_code_and_ruling_is_on_the_page() -> None:
    page = (REPOSITORY / "docs/asking.md").read_text("utf-8")
    for code in range(4):
        assert re.search(rf"^\| {code} \|", page, re.MULTILINE)
    for ruling in ("retry", "amend", "skip", "abort"):
        assert f"| `{ruling}` |" in page
