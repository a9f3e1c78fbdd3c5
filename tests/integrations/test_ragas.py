"""Data sets in the shape of Ragas."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.pages import run_page

from firmground.engine import Engine
from firmground.errors import InputError
from firmground.integrations.ragas import rows_from_ragas

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."
NEW = {"user_input": "When?", "response": WRONG, "retrieved_contexts": [RIGHT]}
OLD = {"question": "When?", "answer": RIGHT, "contexts": [RIGHT], "ground_truth": RIGHT}


def test_the_documented_example_prints_what_the_page_says() -> None:
    printed, expected = run_page("ragas.md", 0)
    assert printed == expected


def test_old_and_new_names_are_read_and_checked() -> None:
    rows = list(rows_from_ragas([NEW, OLD]))
    assert rows[0] == {"id": 0, "question": "When?", "answer": WRONG, "evidence": [RIGHT]}
    with Engine(judge="lexical") as engine:
        assert [bool(one) for one in engine.check_many(rows)] == [False, True]


def test_a_file_names_the_line_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps(NEW) + "\n\n" + json.dumps({"answer": "x"}) + "\n", encoding="utf-8")
    rows = rows_from_ragas(path)
    assert next(rows)["answer"] == WRONG
    with pytest.raises(InputError, match=r"samples.jsonl:3: retrieved_contexts or contexts"):
        next(rows)


def test_of_a_conversation_the_last_message_counts() -> None:
    said: list[Any] = [{"content": "Hi", "type": "human"}, {"content": "When?", "type": "human"}]
    (row,) = rows_from_ragas([{**NEW, "user_input": said}])
    assert row["question"] == "When?"


@pytest.mark.skipif(importlib.util.find_spec("ragas") is None, reason="ragas is not installed here")
@pytest.mark.filterwarnings("default")
def test_an_evaluation_dataset_of_ragas_is_read() -> None:
    from ragas import EvaluationDataset

    rows = list(rows_from_ragas(EvaluationDataset.from_list([NEW])))
    assert rows[0]["evidence"] == [RIGHT]
