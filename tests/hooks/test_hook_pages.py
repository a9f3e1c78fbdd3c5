"""Every example on the pages about hooks and preflight runs and says what it says it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from firmground.adapters.hooks.build import KINDS
from firmground.preflight.settings import SIGNALS

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = (
    "docs/hooks.md",
    "docs/writing-a-hook.md",
    "docs/coming-from/hooks.md",
    "docs/preflight.md",
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"# (\S+\.(?:py|toml|yaml))\n")


def blocks(page: str) -> list[tuple[str, str]]:
    return [(m[1], m[2]) for m in BLOCK.finditer((REPOSITORY / page).read_text("utf-8"))]


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which ``firmground`` is this package's command."""
    command = tmp_path / "bin" / "firmground"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m firmground "$@"\n')
    command.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "src"),
        "PYTHONWARNINGS": "error",
        "NO_COLOR": "1",
    }


@pytest.mark.parametrize("page", PAGES)
def test_every_example_on_a_page_runs(page: str, tmp_path: Path, shell: dict[str, str]) -> None:
    found = blocks(page)
    assert found
    for language, body in found:
        named = NAMED.match(body)
        if named:
            (tmp_path / named[1]).write_text(body)
        elif language == "toml":
            tomllib.loads(body)
        if language == "python":
            require_output(body, tmp_path, shell)
        elif language == "console":
            require_session(body, tmp_path, shell)


def require_output(body: str, folder: Path, shell: dict[str, str]) -> None:
    """Run a program; what stands behind ``#`` on its print lines is what it prints."""
    ran = subprocess.run(
        [sys.executable, "-c", body],
        cwd=folder, env=shell, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"{body}\n{ran.stderr}"
    promised = re.findall(r"^print\(.*\)  # (.*)$", body, flags=re.MULTILINE)
    assert ran.stdout.splitlines() == promised


def require_session(body: str, folder: Path, shell: dict[str, str]) -> None:
    """Run a session; a line of dots stands for any lines."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        ran = subprocess.run(
            command, shell=True, cwd=folder, env=shell, capture_output=True, text=True, check=False
        )
        pattern = re.escape(shown.strip()).replace(r"\.\.\.", ".*")
        assert re.fullmatch(pattern, ran.stdout.strip(), re.DOTALL), ran.stdout + ran.stderr


def test_every_kind_of_hook_is_documented() -> None:
    page = (REPOSITORY / "docs/hooks.md").read_text("utf-8")
    for kind in KINDS:
        assert f"| `{kind}` |" in page


def test_every_signal_is_documented() -> None:
    page = (REPOSITORY / "docs/preflight.md").read_text("utf-8")
    for signal in SIGNALS:
        assert f"| `{signal}` |" in page
