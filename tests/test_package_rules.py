"""Rules that the package itself keeps: imports, size, errors, network."""

from __future__ import annotations

import ast
import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import firmground
from firmground import errors

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "src" / "firmground"
HEAVY = {
    "aiohttp", "apsw", "asyncio", "click", "cryptography", "numpy", "onnxruntime", "orjson",
    "pydantic", "rich", "socket", "sqlite3", "ssl", "tokenizers",
}  # fmt: skip


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        firmground.no_such_name  # noqa: B018


def test_importing_firmground_loads_nothing_heavy() -> None:
    code = "import sys, json, firmground; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(run.stdout)}
    assert not loaded & HEAVY


def test_the_whole_error_tree_is_drawn_in_its_docstring() -> None:
    drawn = errors.__doc__ or ""
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.FirmgroundError):
            assert re.search(rf"\b{name}\b", drawn), f"{name} is missing from the drawing"


def test_no_inner_module_imports_the_public_package() -> None:
    allowed = {PACKAGE / "cli" / "main.py"}  # it prints the version
    for path in PACKAGE.rglob("*.py"):
        if path in allowed:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert "firmground" not in names, f"{path} imports the front door"


def test_no_module_is_longer_than_six_hundred_lines() -> None:
    for path in PACKAGE.rglob("*.py"):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= 600, f"{path} has {lines} lines"


def test_a_test_cannot_leave_this_machine() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward,
        pytest.raises(OSError, match="tried to reach"),
    ):
        outward.connect(("192.0.2.1", 9))
