"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_the_example_runs_and_prints_what_it_says() -> None:
    found = re.search(r"```python\n(.*?)```\s*```\n(.*?)```", README, re.DOTALL)
    assert found is not None
    code, shown = found.groups()
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert run.stdout == shown


def test_the_example_is_short() -> None:
    found = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert found is not None
    statements = [line for line in found.group(1).splitlines() if line.strip()]
    assert len(statements) <= 9


def test_every_page_the_readme_points_to_exists() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (REPOSITORY / target).is_file(), f"README points to {target}"


def test_every_command_the_readme_names_exists() -> None:
    commands = {path.stem for path in (REPOSITORY / "src/firmground/cli").glob("[a-z]*.py")}
    for name in re.findall(r"`firmground ([a-z]+)", README):
        assert name in commands, f"README names firmground {name}"


def test_every_make_target_the_readme_names_exists() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for name in re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE):
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), f"README names make {name}"


def test_the_readme_or_the_index_leads_to_every_page() -> None:
    docs = REPOSITORY / "docs"
    index = (docs / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#]+)", README))
    linked |= {f"docs/{target}" for target in re.findall(r"\]\(([^)#]+)", index)}
    pages = {str(path.relative_to(REPOSITORY)) for path in docs.rglob("*.md")}
    left_out = {page for page in pages if not page.startswith("docs/decisions/")} - linked
    assert left_out <= {"docs/index.md"}, left_out


def test_the_readme_names_every_command() -> None:
    commands = {path.stem for path in (REPOSITORY / "src/firmground/cli").glob("[a-z]*.py")}
    assert commands - {"main"} <= set(re.findall(r"`firmground ([a-z]+)", README))
