"""No crash and no wrong offset, whatever is handed in."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from tests.surfaces import wild

from firmground.adapters.document import request_from_value
from firmground.adapters.report_html import report_html
from firmground.cli._render import render
from firmground.engine.judges import JUDGES
from firmground.engine.many import check_request
from firmground.engine.plans import plan_for
from firmground.errors import InputError
from firmground.pipeline import CheckOutcome

PARTS = {name: plan_for(judge=name) for name in JUDGES}
CASES = 5_000
BUILTIN_CASES = 300


def require_exact(outcome: CheckOutcome) -> None:
    answer = outcome.request.answer
    texts = {piece.id: piece.text for piece in outcome.request.evidence}
    for claim in outcome.to_dict()["claims"]:
        assert answer[claim["start"] : claim["end"]] == claim["text"]
        for problem in claim["problems"]:
            assert claim["start"] <= problem["start"] < problem["end"] <= claim["end"]
        for span in claim["evidence"]:
            assert 0 <= span["start"] <= span["end"] <= len(texts[span["id"]])
        for note in claim["notes"]:
            if note["start"] is not None:
                assert 0 <= note["start"] <= note["end"] <= len(answer)
        assert 0 <= claim["confidence"] <= 1
        assert 0 <= claim["support"] <= 1
    for found in outcome.findings.suspicious:
        where = {**texts, "answer": answer}.get(found.where)
        if where is None:
            assert outcome.request.question is not None
            where = outcome.request.question.text
        assert 0 <= found.start < found.end <= len(where)
    for citation in outcome.findings.citations:
        assert 0 <= citation.start <= citation.end <= len(answer)


def require_shown(outcome: CheckOutcome) -> None:
    """Every way to show an outcome works, and fits."""
    json.dumps(outcome.to_dict())
    report_html(outcome).encode("utf-8")
    shown = io.StringIO()
    render(outcome, Console(file=shown, width=80, highlight=False), everything=True)
    assert max(cell_len(line) for line in shown.getvalue().splitlines()) <= 80


def checked(row: dict[str, Any], judge: str = "lexical") -> CheckOutcome | None:
    try:
        request = request_from_value(row, "row")
    except InputError:
        return None
    outcome = check_request(request, PARTS[judge])
    require_exact(outcome)
    return outcome


@pytest.mark.parametrize("part", range(10))
def test_five_thousand_generated_cases_in_any_script(part: int) -> None:
    done = 0
    for seed in range(part * CASES // 10, (part + 1) * CASES // 10):
        outcome = checked(wild.case(seed))
        done += outcome is not None
        if outcome is not None and seed % 25 == 0:
            require_shown(outcome)
            again = checked(wild.case(seed))
            assert again is not None
            assert again.root == outcome.root
    assert done > CASES // 10 * 0.9


def test_the_trained_judge_gives_exact_spans_and_the_same_root_twice() -> None:
    for seed in range(BUILTIN_CASES):
        outcome = checked(wild.case(seed), "builtin")
        if outcome is not None and seed % 25 == 0:
            again = checked(wild.case(seed), "builtin")
            assert again is not None
            assert again.root == outcome.root


@settings(max_examples=250, deadline=None)
@given(st.text(max_size=120), st.lists(st.text(max_size=160), min_size=1, max_size=3))
def test_any_text_at_all(answer: str, evidence: list[str]) -> None:
    checked({"answer": answer, "evidence": evidence})


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"answer": "", "evidence": ["x"]}, "answer is empty"),
        ({"answer": None, "evidence": ["x"]}, "answer is missing"),
        ({"answer": ["x"], "evidence": ["x"]}, "answer must be a string"),
        ({"answer": "x", "evidence": []}, "nothing the answer could stand on"),
        ({"answer": "x", "evidence": [""]}, r"evidence\[0\] is empty"),
        ({"answer": "x"}, "'evidence' is missing"),
        ({"answer": "x", "evidence": 5}, "evidence must be a list"),
        ({"answer": "x\0y", "evidence": ["x"]}, "binary data"),
        ({"answer": "x", "evidence": ["\x01\x02" * 99]}, r"evidence\[0\].*binary data"),
        ({"answer": "x" * (5 << 20), "evidence": ["x"]}, "answer is longer"),
        ({"answer": "x", "evidence": [{"rows": nested(3000)}]}, "is not JSON"),
        ({"answer": "x", "question": 3, "evidence": ["x"]}, "question must be a string"),
        ({"answer": "x", "evidence": ["x"], "anwser": "y"}, "is 'answer' meant"),
        ({"answer": "x", "evidence": ["x"], "Question": "y"}, "is 'question' meant"),
        (
            {"answer": "x", "evidence": [{"id": "a", "text": "b"}, {"id": "a", "text": "c"}]},
            "stands for two different texts",
        ),
        ("x", "expected an object"),
    ],
)
def test_empty_huge_binary_nested_and_contradictory_input_gets_a_clear_error(
    row: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        request_from_value(row, "row")


def test_a_row_may_carry_fields_of_its_owners() -> None:
    row = {"answer": "x", "evidence": ["x"], "task": "QA", "labels": [1], "model": "m"}
    assert request_from_value(row, "row") == request_from_value(
        {"answer": "x", "evidence": ["x"]}, "row"
    )
