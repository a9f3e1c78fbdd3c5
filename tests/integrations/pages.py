"""The code blocks of a documentation page, and what a test needs to run them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def block(page: str, language: str, number: int = 0) -> str:
    """The text of one code block of a page under docs/integrations."""
    text = (REPOSITORY / "docs" / "integrations" / page).read_text(encoding="utf-8")
    return [m[2] for m in _BLOCK.finditer(text) if m[1] == language][number]


def need(*modules: str) -> None:
    """Skip the whole test file when a framework is not installed here."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(
                f"{module} is not installed here; make test-integrations runs this",
                allow_module_level=True,
            )
