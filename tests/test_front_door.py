"""The exported names: few, documented, and every example runs."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import firmground

MOST_NAMES = 40
OURS = Path(firmground.__file__).resolve().parent


def test_there_are_at_most_forty() -> None:
    assert len(firmground.__all__) <= MOST_NAMES
    assert sorted(firmground._HOMES) == sorted(firmground.__all__)
    assert not set(firmground._DEPRECATED) & set(firmground.__all__)


@pytest.mark.parametrize("name", firmground.__all__)
def test_each_has_a_docstring_and_an_example_that_runs(name: str) -> None:
    value = getattr(firmground, name)
    assert value.__doc__, f"{name} has no docstring"
    module = sys.modules[value.__module__]
    finder = doctest.DocTestFinder(recurse=False)
    (found,) = finder.find(value, name, module=module, globs=dict(vars(module)))
    assert found.examples, f"{name} has no example"
    told: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(found, out=told.append)
    assert not failed, "".join(told)


def test_help_fits_a_few_screens() -> None:
    assert len((firmground.__doc__ or "").splitlines()) < 40


def test_importing_takes_little_time() -> None:
    code = "import time; t = time.process_time(); import firmground; print(time.process_time() - t)"
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(3)
    ]
    assert min(runs) <= 0.15


def test_a_check_uses_few_modules_outside_the_checks_themselves() -> None:
    """Claims and verify are the work; everything around them must stay small."""
    evidence = ["The capital of France is Paris. The population of France is 67 million."]
    answer = "The capital of France is Berlin. Its population is 67 million."
    firmground.check(answer, evidence, judge="lexical")
    touched: set[str] = set()

    def watch(frame: object, event: str, argument: object) -> None:
        file = getattr(getattr(frame, "f_code", None), "co_filename", "")
        if event == "call" and str(OURS) in file:
            touched.add(str(Path(file).relative_to(OURS)))

    sys.setprofile(watch)
    try:
        firmground.check(answer, evidence, judge="lexical")
    finally:
        sys.setprofile(None)
    around = {one for one in touched if one.split("/")[0] not in ("claims", "verify")}
    assert len(around) <= 40, sorted(around)
    assert not any(one.startswith("compat") for one in touched)
