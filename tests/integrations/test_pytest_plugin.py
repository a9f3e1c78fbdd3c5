"""The pytest plugin, run by pytest in processes of its own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.integrations.pages import REPOSITORY, block

LEXICAL = "[pytest]\nfirmground_judge = lexical\n"


def run(folder: Path, *arguments: str, **files: str) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    named = entry_points(group="pytest11", name="firmground")  # absent: metadata of an older state
    load = [] if named else ["-p", "firmground.integrations.pytest_plugin"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *load, "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def documented(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("documented")
    files = {
        "answers__jsonl": block("pytest.md", "json"),
        "test_answers__py": block("pytest.md", "python"),
    }
    arguments = ("-W", "error", "--firmground-report=out.html", "--junitxml=out.xml")
    return folder, run(folder, *arguments, **files)


def test_the_documented_example_shows_the_claim_its_span_and_the_evidence(
    documented: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    _, ran = documented
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "1 failed, 2 passed" in ran.stdout
    assert "[20:23]: '210'" in ran.stdout
    printed = " ".join(ran.stdout.split())
    for line in block("pytest.md", "console").splitlines()[1:]:
        assert " ".join(line.removesuffix("...").split()) in printed


def test_the_report_and_the_junit_file_have_every_check(
    documented: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, _ = documented
    page = (folder / "out.html").read_text(encoding="utf-8")
    assert page.count("<details") == 2
    assert page.index("[length]") < page.index("[opened]")
    cases = ElementTree.parse(folder / "out.xml").iter("testcase")
    found = {
        case.get("name"): {p.get("name"): p.get("value") for p in case.iter("property")}
        for case in cases
    }
    assert found["test_answers_stand[length]"]["firmground.verdict"] == "does_not_stand"
    assert found["test_answers_stand[opened]"]["firmground.verdict"] == "stands"


def test_a_run_without_checks_loads_nothing_of_the_engine(tmp_path: Path) -> None:
    code = """
import sys
def test_nothing():
    loaded = [m for m in sys.modules if m.startswith("firmground")]
    assert not [m for m in loaded if m.startswith(("firmground.engine", "firmground.core"))], loaded
    assert "numpy" not in sys.modules
"""
    ran = run(tmp_path, "-q", test_it__py=code)
    assert ran.returncode == 0, ran.stdout
    assert "firmground" not in ran.stdout


RATED = """
import pytest
from firmground.integrations.pytest_plugin import assert_grounded
@pytest.mark.parametrize("year", [1932, 1932, 1932, 1952])
def test_year(year):
    assert_grounded(f"The bridge opened in {year}.", "The bridge opened in 1932.")
"""


@pytest.mark.parametrize(
    ("rate", "code", "said"),
    [("0.75", 0, "required 75.0%: enough"), ("0.9", 1, "required 90.0%: too few")],
)
def test_a_pass_rate_counts_checks_and_decides_the_session(
    tmp_path: Path, rate: str, code: int, said: str
) -> None:
    ran = run(
        tmp_path,
        test_it__py=RATED,
        pytest__ini=f"{LEXICAL}firmground_min_pass_rate = {rate}\n",
    )
    assert ran.returncode == code, ran.stdout
    assert "3 passed, 1 xfailed" in ran.stdout
    assert f"3 of 4 checks hold (75.0%), {said}" in ran.stdout


def test_an_ordinary_failure_is_not_excused_by_a_pass_rate(tmp_path: Path) -> None:
    ran = run(
        tmp_path, "--firmground-min-pass-rate=0", test_it__py="def test_bad():\n    assert False\n"
    )
    assert ran.returncode == 1
    assert "no answer was checked" in ran.stdout


def test_limits_of_the_mark_and_the_suite_hold(tmp_path: Path) -> None:
    code = """
import pytest
from firmground.integrations.pytest_plugin import NotGrounded, assert_grounded
PAIR = ("The bridge opened in 1932.", "The bridge opened in 1932.")
def test_suite():
    with pytest.raises(NotGrounded, match="below min_support 2.0"):
        assert_grounded(*PAIR)
@pytest.mark.firmground(min_support=0.1)
def test_mark():
    assert_grounded(*PAIR)
def test_call():
    assert_grounded(*PAIR, min_support=0.1)
@pytest.mark.firmground(min_suport=1)
def test_typo():
    assert_grounded(*PAIR)
"""
    ini = f"{LEXICAL}firmground_min_support = 2\n"
    ran = run(tmp_path, "-q", test_it__py=code, pytest__ini=ini)
    assert "1 failed, 3 passed" in ran.stdout, ran.stdout
    assert "does not know min_suport" in ran.stdout


def test_an_answer_that_a_policy_only_lets_pass_fails(tmp_path: Path) -> None:
    code = """
from firmground.integrations.pytest_plugin import assert_grounded
def test_it():
    assert_grounded("The bridge opened in 1952.", "The bridge opened in 1932.", policy="advisory")
"""
    ran = run(tmp_path, "-q", test_it__py=code, pytest__ini=LEXICAL)
    assert ran.returncode == 1
    assert "(waived)" in ran.stdout


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('{"a": 1}\nnot json\n', "rows.jsonl:2: not JSON"),
        ("[1]\n", "rows.jsonl:1: a row must be an object"),
        ("\n", "rows.jsonl: the data set has no rows"),
    ],
)
def test_a_broken_data_set_names_its_line(tmp_path: Path, rows: str, said: str) -> None:
    code = """
import pytest
@pytest.mark.firmground(data="rows.jsonl")
def test_it(firmground_row):
    pass
"""
    ran = run(tmp_path, "-q", test_it__py=code, rows__jsonl=rows)
    assert ran.returncode != 0
    assert said in ran.stdout + ran.stderr


@pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None,
    reason="pytest-xdist is not installed here; make test-integrations runs this",
)
def test_checks_of_all_xdist_workers_are_counted_and_reported(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        "-n2",
        "--firmground-report=out.html",
        "--firmground-min-pass-rate=0.9",
        test_it__py=RATED,
        pytest__ini=LEXICAL,
    )
    assert ran.returncode == 1, ran.stdout
    assert "3 of 4 checks hold (75.0%), required 90.0%: too few" in ran.stdout
    assert (tmp_path / "out.html").read_text(encoding="utf-8").count("<details") == 4
