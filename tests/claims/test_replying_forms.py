"""Replies of a few words are completed from the question they answer."""

from __future__ import annotations

import pytest

from firmground.claims.prose import prose_claims
from firmground.core.question import Question


@pytest.mark.parametrize(
    ("question", "answer", "statements"),
    [
        (
            "Can a member bring two guests per visit?",
            "No, just one.",
            ["A member cannot bring two guests per visit.", "A member can bring just one."],
        ),
        (
            "Can I stay for 6 hours?",
            "No, at most 4 hours.",
            ["You cannot stay for 6 hours.", "You can stay for at most 4 hours."],
        ),
        ("Has the migration finished?", "Not yet.", ["The migration has not finished."]),
        ("Can editors publish?", "They can, yes.", ["Editors can publish."]),
        ("Can they enter?", "They can't, no.", ["They cannot enter."]),
        (
            "If I pay 3 days late, do I owe a fee?",
            "No.",
            ["You do not owe a fee if you pay 3 days late."],
        ),
    ],
)
def test_a_short_reply_states_what_the_question_left_open(
    question: str, answer: str, statements: list[str]
) -> None:
    assert [one.statement for one in prose_claims(answer, Question(text=question))] == statements


def test_a_fragment_behind_no_never_affirms_the_question() -> None:
    found = prose_claims("No, members.", Question(text="Can visitors park here?"))
    assert all("Visitors can park" not in one.statement for one in found)
