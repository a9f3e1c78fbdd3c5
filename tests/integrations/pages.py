"""The code blocks of a documentation page, and what a test needs to run them."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import warnings
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def block(page: str, language: str, number: int = 0) -> str:
    """The text of one code block of a page under docs/integrations."""
    text = (REPOSITORY / "docs" / "integrations" / page).read_text(encoding="utf-8")
    return [m[2] for m in _BLOCK.finditer(text) if m[1] == language][number]


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package that it is a part of
        return False


def need(*modules: str) -> None:
    """Import a framework, or skip the whole test file when it is not installed here."""
    for module in modules:
        if not _installed(module):
            pytest.skip(
                f"{module} is not installed here; make test-integrations runs this",
                allow_module_level=True,
            )
        with warnings.catch_warnings():  # what a framework warns of when it is imported
            warnings.simplefilter("ignore")
            importlib.import_module(module)


def run_page(page: str, number: int) -> tuple[str, str]:
    """Run one Python block of a page; return what it printed and what the page says it prints."""
    code, printed = block(page, "python", number), StringIO()
    module = ModuleType(f"page_{Path(page).stem}_{number}")
    sys.modules[module.__name__] = module
    try:
        with redirect_stdout(printed):
            exec(compile(code, f"{page}[{number}]", "exec", dont_inherit=True), vars(module))
    finally:
        del sys.modules[module.__name__]
    return printed.getvalue(), block(page, "text", number)
