"""Every row of the tables "What it does, and what shows it here" is run.

A row's last cell holds what shows it: expressions that must be true, or commands that must end with
exit code 0, or with the code written beside them, as in `firmground check …` (1). The first Python
block of the section makes the names that expressions use; blocks headed by a file name are files.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firmground.cli.main import cli

PAGES = Path(__file__).resolve().parents[2] / "docs/coming-from"
HEADING = "## What it does, and what shows it here"
_CODE = re.compile(r"`([^`]+)`(?: \((\d)\))?")


def section(page: str) -> str:
    text = (PAGES / page).read_text("utf-8")
    if HEADING not in text:
        return ""
    return re.split(r"^## ", text.split(HEADING, 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def shown(page: str) -> Iterator[tuple[str, str]]:
    """(capability, last cell) of every row."""
    for line in section(page).splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) >= 2 and not cells[0].startswith("capability"):
            yield cells[0], cells[-1]


ROWS = [
    pytest.param(page.name, cell, id=f"{page.stem}: {capability[:60]}")
    for page in sorted(PAGES.glob("*.md"))
    for capability, cell in shown(page.name)
]


def prepared(page: str) -> dict[str, Any]:
    """Write the files of the page and run its first Python block."""
    for name, body in re.findall(r"^`([\w./-]+)`:\n\n```\w*\n(.*?)```", section(page), re.M | re.S):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(body, encoding="utf-8")
    return names_of(page)


@cache
def names_of(page: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for code in re.findall(r"^```python\n(.*?)```", section(page), re.M | re.S)[:1]:
        exec(compile(code, page, "exec"), names)
    return names


@pytest.mark.parametrize(("page", "cell"), ROWS)
def test_what_a_row_names_does_what_the_row_says(
    page: str, cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "FIRMGROUND_"))]:
        monkeypatch.delenv(name)
    codes = _CODE.findall(cell)
    assert codes, f"{page}: a row names nothing that shows it"
    names = prepared(page)
    for code, exit_code in codes:
        if code.startswith("firmground "):
            run = CliRunner().invoke(cli, shlex.split(code)[1:])
            assert run.exit_code == int(exit_code or 0), f"{code}: {run.output}{run.exception!r}"
        else:
            assert eval(code, names), code


def test_every_parent_has_a_page_with_such_a_table() -> None:
    for page in ("hooks.md", "firewall.md", "run-dag.md", "gsar.md", "halguard.md"):
        assert list(shown(page)), page
