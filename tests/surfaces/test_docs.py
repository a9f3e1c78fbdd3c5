"""Every example in the documentation runs and says what it says it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = (
    "docs/tutorial.md",
    "docs/how-to/rag-app.md",
    "docs/how-to/ci.md",
    "docs/how-to/batch.md",
    "docs/how-to/own-judge.md",
    "docs/how-to/own-rule.md",
    "docs/reference/json-schemas.md",
    "docs/checking.md",
    "docs/html-report.md",
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    return [(m[1], m[2]) for m in BLOCK.finditer((REPOSITORY / page).read_text(encoding="utf-8"))]


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which ``firmground`` is this package's command."""
    command = tmp_path / "bin" / "firmground"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m firmground "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "src"),
        "PYTHONWARNINGS": "error",
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }


@pytest.mark.parametrize("page", PAGES)
def test_every_example_on_a_page_runs(page: str, tmp_path: Path, shell: dict[str, str]) -> None:
    found = blocks(page)
    assert found
    for language, body in found:
        if language == "python":
            ran = subprocess.run(
                [sys.executable, "-c", body],
                cwd=tmp_path,
                env=shell,
                capture_output=True,
                text=True,
                check=False,
            )
            assert ran.returncode == 0, f"{body}\n{ran.stderr}"
        elif language == "console":
            require_session(body, tmp_path, shell)


def require_session(body: str, folder: Path, shell: dict[str, str]) -> None:
    """Run a session; a shown line may end in dots, and a line of dots stands for any lines."""
    commands = re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
    code = 0
    for one in commands:
        typed, *shown = one.rstrip("\n").split("\n")
        while typed.endswith("\\"):
            typed = typed[:-1] + shown.pop(0)
        if "<<'END'" in typed:
            end = shown.index("END") + 1
            typed, shown = "\n".join([typed, *shown[:end]]), shown[end:]
        if typed == "echo $?":
            assert shown == [str(code)], f"exit code {code}, shown {shown}: {body}"
            continue
        ran = subprocess.run(
            ["bash", "-c", typed],
            cwd=folder,
            env=shell,
            capture_output=True,
            text=True,
            check=False,
        )
        code = ran.returncode
        require_shown(shown, (ran.stdout + ran.stderr).splitlines(), typed)


def require_shown(shown: list[str], printed: list[str], typed: str) -> None:
    at = 0
    for line in shown:
        if line.strip() in ("...", ""):
            continue
        wanted = line.rstrip().removesuffix("...")
        exact = wanted == line.rstrip()
        while at < len(printed):
            have = printed[at].rstrip()
            at += 1
            if have == wanted if exact else have.startswith(wanted):
                break
        else:
            pytest.fail(f"{typed}\nshould print {line!r} but prints\n" + "\n".join(printed))
