"""A letter is read where one is named, and nowhere else."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.probe.letters import letter_of_token, lettered, option_masses, read_choice
from firmground.probe.sameness import mentions, same_words, short_answer

TWO = ("Canberra", "Sydney")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B", 1),
        ("b", 1),
        (" (B) ", 1),
        ("B.", 1),
        ("B) Sydney", 1),
        ("**B**", 1),
        ("Answer: B", 1),
        ("The answer is B.", 1),
        ("Actually B", 1),
        ("I think B", 1),
        ("I would say option A", 0),
        ("В", 1),
        ("А", 0),
        ("Ｂ", 1),
        ("Sydney", 1),
        ("It is Canberra, of course", 0),
        ("A city called Sydney", 1),
        ("Both", None),
        ("A and B", None),
        ("A or B", None),
        ("Canberra or Sydney", None),
        ("C", None),
        ("", None),
        ("I cannot tell.", None),
        ("Because", None),
    ],
)
def test_a_reply_names_one_option_or_none(text: str, expected: int | None) -> None:
    assert read_choice(text, TWO) == expected


@pytest.mark.parametrize(
    ("token", "place"),
    [("A", 0), (" B", 1), ("▁B", 1), ("(A", 0), ("b)", 1), ("Answer", None), ("Both", None),
     ("An", None), ("C", None), ("", None), ("В", 1)],
)  # fmt: skip
def test_a_token_is_a_letter_only_if_it_is_nothing_else(token: str, place: int | None) -> None:
    assert letter_of_token(token, 2) == place


def test_masses_of_the_same_letter_add_up() -> None:
    offered = [("A", log(0.2)), (" A", log(0.1)), ("B", log(0.3)), ("Answer", log(0.4))]
    assert option_masses(offered, 2) == pytest.approx((0.3, 0.3))


@given(st.text(), st.integers(2, 10))
def test_no_reply_raises(text: str, count: int) -> None:
    options = [f"option number {i}" for i in range(count)]
    found = read_choice(text, options)
    assert found is None or 0 <= found < count
    assert lettered(options).count("\n") == count - 1


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Canberra", "The capital of Australia is Canberra.", True),
        ("Canberra", "Sydney", False),
        ("Canberra", "Not Canberra", False),
        ("206", "206 bones", True),
        ("206", "215", False),
        ("yes", "no", False),
        ("Yes, both are", "No, both are", False),
        ("the Pacific", "Pacific Ocean", True),
        ("", "Canberra", False),
        ("William Shakespeare", "Shakespeare", True),
    ],
)
def test_short_answers_are_compared_by_what_they_add_to_the_question(
    first: str, second: str, same: bool
) -> None:
    question = "What is the capital of Australia?"
    assert same_words(first, second, question) is same
    assert same_words(second, first, question) is same


def test_the_answer_is_what_stands_behind_the_last_mark() -> None:
    assert short_answer("Thinking…\nANSWER: Sydney\nanswer: Canberra.") == "Canberra"
    assert short_answer("\n Sydney. \nBecause it is big.") == "Sydney"
    assert mentions("A document says: the capital is Sydney.", "Sydney", "What is the capital?")
    assert not mentions("A document says so.", "Sydney", "What is the capital?")
