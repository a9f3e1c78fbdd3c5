"""The pages about claims and citations say what is the case."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

import pytest

from firmground import claims
from firmground.claims import (
    ClaimStatus,
    HardCheck,
    InspectClass,
    LatticeLabel,
    RepairKind,
    VerifierMethod,
    Violation,
)
from firmground.core.claim import ClaimKind, NotCheckable
from firmground.core.finding import CitationStatus
from firmground.core.match import Grade
from firmground.core.suspicious import REASONS

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["claims.md", "citations.md"])
def test_every_example_runs(page: str) -> None:
    examples = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.S)
    assert examples
    for example in examples:
        exec(compile(example, page, "exec"), {})


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("claims.md", NotCheckable),
        ("claims.md", ClaimKind),
        ("claims.md", HardCheck),
        ("claims.md", ClaimStatus),
        ("claims.md", Violation),
        ("claims.md", LatticeLabel),
        ("claims.md", InspectClass),
        ("citations.md", CitationStatus),
        ("citations.md", Grade),
        ("citations.md", RepairKind),
    ],
)
def test_every_value_is_documented(page: str, names: type[StrEnum]) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    for one in names:
        assert f"`{one.value}`" in text, f"{one.value} is missing from {page}"


def test_every_suspicious_code_is_documented_and_reasoned() -> None:
    text = (DOCS / "citations.md").read_text(encoding="utf-8")
    for code in REASONS:
        assert f"`{code}`" in text


def test_the_four_layers_are_documented() -> None:
    text = (DOCS / "claims.md").read_text(encoding="utf-8")
    for method in (
        VerifierMethod.QUOTE,
        VerifierMethod.SPAN,
        VerifierMethod.ENTITY,
        VerifierMethod.PARAPHRASE,
    ):
        assert f"**{method.value}**" in text


def test_the_rooms_door_offers_what_it_lists() -> None:
    assert sorted(claims.__all__) == list(claims.__all__)
    for name in claims.__all__:
        assert getattr(claims, name) is not None
