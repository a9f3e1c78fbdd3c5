"""Data frames of pandas and polars, and the notebook that shows them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from tests.integrations.pages import REPOSITORY, need, run_page

need("pandas", "polars")

import pandas as pd  # noqa: E402
import polars as pl  # noqa: E402

from firmground.engine import Engine  # noqa: E402
from firmground.errors import InputError  # noqa: E402
from firmground.integrations.dataframes import COLUMNS, check_frame  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."
COLUMNS_OF_A_TABLE: dict[str, Any] = {
    "answer": [RIGHT, WRONG, RIGHT],
    "evidence": [[RIGHT], [RIGHT], []],
    "asked": ["When?", None, "When?"],
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(judge="lexical") as engine:
        yield engine


def test_the_documented_example_prints_what_the_page_says() -> None:
    printed, expected = run_page("dataframes.md", 0)
    assert printed == expected


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_every_row_is_checked_and_one_that_cannot_be_is_told(engine: Engine, library: Any) -> None:
    frame = library.DataFrame(COLUMNS_OF_A_TABLE)
    checked = check_frame(frame, question="asked", engine=engine, progress=False)
    assert type(checked) is type(frame)
    assert list(checked["verdict"]) == ["stands", "does_not_stand", "could_not_tell"]
    assert list(checked["stands"]) == [True, False, False]
    assert "contradicted" in checked["problems"][1]
    assert "evidence is empty" in checked["problems"][2]
    assert list(frame.columns) == list(COLUMNS_OF_A_TABLE)  # the given frame is not changed


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_the_accessor_does_the_same(engine: Engine, library: Any) -> None:
    frame = library.DataFrame({"said": [WRONG], "from": [RIGHT]})
    checked = frame.firmground.check(
        answer="said", evidence="from", engine=engine, progress=False, prefix="fg_"
    )
    assert list(checked.columns) == ["said", "from", *(f"fg_{name}" for name in COLUMNS)]
    assert list(checked["fg_verdict"]) == ["does_not_stand"]


def test_the_index_of_pandas_is_kept(engine: Engine) -> None:
    frame = pd.DataFrame({"answer": [RIGHT], "evidence": [RIGHT]}, index=[7])
    assert check_frame(frame, engine=engine, progress=False).loc[7, "stands"]


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="no column 'evidence'; it has answer"):
        check_frame(pd.DataFrame({"answer": [RIGHT]}))


def test_the_notebook_runs_and_displays_the_report() -> None:
    need("nbclient", "ipykernel")
    import nbformat
    from nbclient import NotebookClient

    path = REPOSITORY / "examples" / "notebook.ipynb"
    notebook = nbformat.read(path, as_version=4)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(REPOSITORY / "src")
    try:
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    finally:
        os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [one["data"] for one in outputs if "data" in one]
    assert any("<iframe" in data.get("text/html", "") for data in shown)
    assert shown[-1]["text/plain"] == "{'stands': 1, 'does_not_stand': 1}"
