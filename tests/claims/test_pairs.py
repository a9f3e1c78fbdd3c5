"""Yes/no answers and presuppositions: honest ones stand, wrong ones fall."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import firmground
from firmground.claims import prose_claims
from firmground.core.question import Question

_DATA = Path(__file__).parents[1] / "data"
_FLOOR = 0.8


def _pairs(name: str) -> list[dict[str, Any]]:
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


YES_NO = _pairs("yes_no_pairs.jsonl")
LATER = _pairs("yes_no_later.jsonl")
"""Written later, without sight of the rules that form propositions."""
PRESUPPOSED = _pairs("presupposition_pairs.jsonl")


@pytest.mark.parametrize("pairs", [YES_NO, PRESUPPOSED], ids=["yes_no", "presupposition"])
def test_the_pairs_are_judged_rightly(pairs: list[dict[str, Any]]) -> None:
    right = {True: 0, False: 0}
    for one in pairs:
        result = firmground.check(
            one["answer"], [one["evidence"]], question=one["question"] or None
        )
        right[one["stands"]] += result.stands == one["stands"]
    print(f"honest {right[True]} of 100 stand, wrong {right[False]} of 100 fall")
    assert sum(right.values()) >= _FLOOR * len(pairs)


def _statements(answer: str, question: str) -> list[str]:
    claims = prose_claims(answer, Question(text=question) if question else None)
    assert not any(claim.unclear for claim in claims)
    return [claim.statement for claim in claims if claim.checkable]


_BOTH = [*YES_NO, *LATER]


@pytest.mark.parametrize("at", range(0, len(_BOTH), 2))
def test_yes_and_no_state_different_things(at: int) -> None:
    honest, wrong = _BOTH[at], _BOTH[at + 1]
    first = _statements(honest["answer"], honest["question"])
    second = _statements(wrong["answer"], wrong["question"])
    assert first
    assert first != second


@pytest.mark.parametrize("one", PRESUPPOSED, ids=lambda one: one["id"])
def test_what_a_question_takes_for_granted_is_judged(one: dict[str, Any]) -> None:
    assert _statements(one["answer"], one["question"])


@pytest.mark.parametrize(
    ("question", "answer", "statements"),
    [
        ("Is the shop open?", "Yes.", ["The shop is open."]),
        ("Is the shop open?", "No.", ["The shop is not open."]),
        ("Is the shop open?", "Not quite.", ["The shop is not open."]),
        ("Is the shop open?", "That's right.", ["The shop is open."]),
        ("Is the shop open?", "Indeed it is.", ["The shop is open."]),
        ("Is the shop open?", "It isn't.", ["The shop is not open."]),
        ("Can I pay by card?", "Absolutely!", ["You can pay by card."]),
        ("Did the shop open in 1990?", "No, in 1995.", [
            "The shop did not open in 1990.", "The shop opened in 1995."]),
        ("Can anyone vote?", "No, only members can.", [
            "It is not the case that anyone can vote.", "Only members can vote."]),
        ("Is the shop open?", "Yes, it closes at six.", [
            "The shop is open.", "The shop closes at six."]),
    ],
)  # fmt: skip
def test_a_yes_or_no_states_what_was_asked(
    question: str, answer: str, statements: list[str]
) -> None:
    assert _statements(answer, question) == statements


@pytest.mark.parametrize("question", [None, "Where is the shop?", "Can you help me?"])
def test_a_yes_to_no_question_is_unclear_and_never_grounded(question: str | None) -> None:
    result = firmground.check("Yes.", ["The shop is open."], question=question)
    assert [one.code for one in result.assessments] == ["statement_unclear"]
    assert not result.stands


def test_a_yes_that_denies_itself_is_unclear() -> None:
    (claim,) = prose_claims("Yes, it is not.", Question(text="Is the shop open?"))
    assert claim.unclear


def test_the_question_lends_a_subject_but_no_support() -> None:
    result = firmground.check(
        "It opened in 1952.",
        ["The bridge opened in 1932."],
        question="Is it true that the bridge opened in 1952?",
    )
    assert not result.stands
