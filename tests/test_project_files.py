"""The files around the code say what is true of the code."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parent.parent
CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "RELEASING.md")
EXAMPLES = re.findall(r"```python\n(.*?)```", CONTRIBUTING, re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES, ids=["rule", "judge"])
def test_the_examples_of_contributing_run(code: str) -> None:
    exec(compile(code, "CONTRIBUTING.md", "exec", dont_inherit=True), {"__name__": "example"})


def test_contributing_lists_every_package() -> None:
    for path in (REPOSITORY / "src/firmground").iterdir():
        if (path / "__init__.py").is_file() and path.name != "examples":
            assert re.search(rf"`(src/firmground/)?{path.name}`", CONTRIBUTING), path.name


@pytest.mark.parametrize("page", PAGES)
def test_every_link_and_make_target_of_a_page_exists(page: str) -> None:
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert (REPOSITORY / target).is_file(), target
    for name in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE):
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), name


def test_the_workflow_runs_the_same_file_as_a_local_run() -> None:
    for name in ("ci", "release"):
        flow = yaml.safe_load((REPOSITORY / f".github/workflows/{name}.yml").read_text("utf-8"))
        (job,) = flow["jobs"].values()
        assert ".ci/run" in [step.get("run") for step in job["steps"]]
    assert (REPOSITORY / ".ci/run").stat().st_mode & stat.S_IXUSR


def test_forms_and_hooks_can_be_read() -> None:
    for path in (REPOSITORY / ".github/ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text("utf-8"))
        assert path.name == "config.yml" or {"name", "description", "body"} <= set(form)
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text("utf-8"))
    assert [hook["id"] for repo in hooks["repos"] for hook in repo["hooks"]]


def test_the_package_says_that_it_is_typed() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert "Typing :: Typed" in project["classifiers"]
    assert (REPOSITORY / "src/firmground/py.typed").is_file()
