"""Every form of a yes/no question and of its reply is read as the plain statement it makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import firmground
from firmground.claims import prose_claims
from firmground.claims.asking import asked
from firmground.core.question import Question

_DATA = Path(__file__).parents[1] / "data"
_OPEN = Question(text="Is the Harrow Museum open on Mondays?")


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_DATA / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("row", _rows("question_forms.jsonl"), ids=lambda row: row["question"])
def test_yes_and_no_state_what_the_question_asks(row: dict[str, Any]) -> None:
    found = asked(row["question"])
    assert (found.affirmed if found else None) == row["yes"]
    assert ((found.denied or None) if found else None) == row["no"]


@pytest.mark.parametrize("row", _rows("reply_forms.jsonl"), ids=lambda row: row["answer"])
def test_a_reply_states_the_proposition_or_is_unclear(row: dict[str, Any]) -> None:
    claims = prose_claims(row["answer"], _OPEN)
    stated = [one.statement for one in claims if one.checkable and not one.unclear]
    assert stated == row["statements"]
    assert any(one.unclear for one in claims) is row["unclear"]


def test_each_of_two_questions_gets_its_own_reply() -> None:
    claims = prose_claims("Yes. No.", Question(text="Is there parking? Is the parking free?"))
    assert [one.statement for one in claims] == ["There is parking.", "The parking is not free."]


def test_one_no_to_two_questions_is_unclear() -> None:
    (claim,) = prose_claims("No.", Question(text="Is there parking? Is the parking free?"))
    assert claim.unclear


@pytest.mark.parametrize("answer", ["Yes.", "No.", "It is.", "Open, no doubt."])
def test_a_reply_to_an_alternative_is_never_grounded(answer: str) -> None:
    question = "Is the pool open, or is it closed?"
    result = firmground.check(answer, ["The pool is open."], question=question)
    assert answer.startswith("Open") or not result.stands


def test_a_limited_yes_is_one_statement_with_its_limit() -> None:
    (claim,) = prose_claims("Yes, but only if you are a member.", _OPEN)
    assert claim.statement == "The Harrow Museum is open on Mondays only if you are a member."


def test_no_with_another_value_names_the_statement_that_gives_it() -> None:
    first, second = prose_claims("No, on Tuesdays.", _OPEN)
    assert first.instead == second.statement == "The Harrow Museum is open on Tuesdays."


def test_a_reason_behind_no_is_no_other_value() -> None:
    first, _ = prose_claims("No, it is being painted.", _OPEN)
    assert first.instead == ""


@pytest.mark.parametrize("heading", ["**Symptoms of flu**", "## Symptoms of flu"])
def test_a_clipped_list_item_takes_its_heading_as_lead_in(heading: str) -> None:
    claims = prose_claims(f"{heading}\n\n- Fever\n- The cough is dry.")
    assert [one.statement for one in claims][1:] == ["Symptoms of flu: Fever", "The cough is dry."]
