"""What the pages about verdicts, scores and policies promise is what the code does."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from firmground.core.claim import EvidenceType, Standing
from firmground.decide import POLICIES, RULES
from firmground.verify.features import CODES

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ["coming-from/gsar.md", "policies.md"]
EXAMPLES = [
    pytest.param(code, id=f"{page}:{at}")
    for page in PAGES
    for at, code in enumerate(
        re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    )
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_every_example_prints_what_its_comments_say(code: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {})
    expected = re.findall(r"^print\(.*\)  # (.*)$", code, re.MULTILINE)
    assert expected
    assert printed.getvalue().splitlines() == expected


def test_every_standing_evidence_type_and_reason_code_is_explained() -> None:
    page = (DOCS / "verdicts.md").read_text("utf-8")
    source = Path(__file__).resolve().parents[2] / "src/firmground/verify"
    noted = {
        code
        for path in (source / "checks").glob("*.py")
        for code in re.findall(r"\"([a-z]+(?:_[a-z]+)+)\"", path.read_text("utf-8"))
        if code.split("_")[0]
        in "number date hours time negation cause certainty name identifier quote field".split()
    }
    for word in [*Standing, *EvidenceType, *CODES, *noted]:
        assert f"`{word}`" in page, word


def test_every_rule_is_documented_with_what_it_reads() -> None:
    page = (DOCS / "policies.md").read_text("utf-8")
    for rule in RULES:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{rule.name}` |"))
        assert rule.about in row
        for field in rule.reads:
            assert f"`{field}`" in row
    for name in POLICIES:
        assert f"`{name}`" in page
