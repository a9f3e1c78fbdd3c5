"""What the pages print is what the code prints."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["ledger.md", "coming-from/run-dag.md"])
def test_the_examples_on_the_page_run_and_print_what_it_says(page: str) -> None:
    blocks = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    ran = 0
    for (kind, code), (after, expected) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), names)
        assert after == "text"
        assert printed.getvalue() == expected
        ran += 1
    assert ran


def test_every_entry_type_and_every_field_is_on_the_page() -> None:
    from firmground.ledger import entry

    text = (DOCS / "ledger.md").read_text(encoding="utf-8")
    rows = {row[0]: row[1] for row in re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE)}
    for body, spellings in entry._SPELLINGS.items():
        for field in spellings:
            assert f"`{field}`" in rows[body.type], (body.type, field)


def test_every_stage_is_on_the_page() -> None:
    from firmground.core.run import Stage

    text = (DOCS / "ledger.md").read_text(encoding="utf-8")
    for stage in Stage:
        assert re.search(rf"\b{stage}\b", text)
