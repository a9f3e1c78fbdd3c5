"""Ten rungs, their order pinned."""

from __future__ import annotations

import pytest

from firmground.errors import InputError
from firmground.preflight import QuantifierLevel, claim_cap, classify

RUNGS = [
    ("Are there no penguins in Greenland?", QuantifierLevel.ABSENT),
    ("Who wrote Middlemarch?", QuantifierLevel.SINGULAR),
    ("What percentage of adults smoke?", QuantifierLevel.PROPORTIONAL),
    ("List five rivers in Africa", QuantifierLevel.SMALL_NUM_EXPLICIT),
    ("Name at least three causes of rust", QuantifierLevel.COMPARATIVE_BOUND),
    ("What are some causes of rust?", QuantifierLevel.FEW),
    ("Are there many causes of rust?", QuantifierLevel.MANY),
    ("List all causes of rust", QuantifierLevel.ALL),
    ("Tell me about rust", QuantifierLevel.OPEN_REQUEST),
    ("Give a comprehensive overview of rust", QuantifierLevel.COMPREHENSIVE),
]


@pytest.mark.parametrize(("question", "rung"), RUNGS)
def test_each_rung_has_its_wording(question: str, rung: QuantifierLevel) -> None:
    assert classify(question).rung is rung


def test_the_order_of_the_rungs_is_pinned() -> None:
    assert [r.name for r in sorted(QuantifierLevel)] == [
        "ABSENT",
        "SINGULAR",
        "PROPORTIONAL",
        "SMALL_NUM_EXPLICIT",
        "COMPARATIVE_BOUND",
        "FEW",
        "MANY",
        "ALL",
        "OPEN_REQUEST",
        "COMPREHENSIVE",
    ]


@pytest.mark.parametrize(
    ("question", "rung"),
    [
        ("Tell me about all five causes, comprehensively", QuantifierLevel.COMPREHENSIVE),
        ("Tell me about all five causes", QuantifierLevel.OPEN_REQUEST),
        ("Name five or all of many causes", QuantifierLevel.ALL),
        ("Give me at least 4 of several causes", QuantifierLevel.FEW),
    ],
)
def test_the_highest_rung_wins(question: str, rung: QuantifierLevel) -> None:
    assert classify(question).rung is rung


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("List five rivers", 5),
        ("Name 12 apostles", 12),
        ("Give me more than twenty ideas", 20),
        ("Tell me about five rivers", None),
        ("Who wrote it?", None),
    ],
)
def test_a_count_is_reported_on_the_two_numeric_rungs_only(
    question: str, count: int | None
) -> None:
    assert classify(question).explicit_count == count


@pytest.mark.parametrize(
    ("question", "scope"),
    [
        ("List all members of the Beatles", "bounded"),
        ("Name every film of 1994", "bounded"),
        ("List all US states", "bounded"),
        ("Give a comprehensive list of every US state", "bounded"),
        ("Describe each planet comprehensively", "bounded"),
        ("List every state of mind", "unbounded"),
        ("All clubs of the Premier League", "bounded"),
        ("Find all functions in this file", "bounded"),
        ("List all songs about rain", "unbounded"),
        ("Tell me everything about rain", "unbounded"),
        ("Who invented the umbrella?", "unknown"),
    ],
)
def test_scope_is_bounded_by_an_anchor_and_else_unbounded_when_broad(
    question: str, scope: str
) -> None:
    assert classify(question).scope == scope


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("How many bones are there?", "count"),
        ("What are the moons of Mars?", "list"),
        ("Why is it cold?", "explain"),
        ("Who was first?", "lookup"),
        ("Is it cold?", "yes_no"),
        ("What is the difference between a crow and a raven?", "compare"),
        ("Restart the printer", "request"),
    ],
)
def test_the_shape_says_what_kind_of_reply_is_wanted(question: str, shape: str) -> None:
    assert classify(question).shape == shape


def test_the_matched_words_are_an_exact_piece_of_the_question() -> None:
    question = "Please LIST ALL of them"
    read = classify(question)
    assert read.span is not None
    assert question[read.span[0] : read.span[1]] == read.matched_token == "ALL"


def test_caps_depend_on_the_model_profile() -> None:
    every, full, open_ = (classify(RUNGS[i][0]) for i in (7, 9, 8))
    assert [claim_cap(q) for q in (every, full, open_)] == [12, 15, 12]
    small = [claim_cap(q, model_profile="hermes-3-8b") for q in (every, full, open_)]
    assert small == [8, 5, 5]
    assert claim_cap(classify("Who wrote it?")) is None


def test_an_unknown_model_profile_is_an_error() -> None:
    with pytest.raises(InputError, match="model_profile"):
        claim_cap(classify("List all"), model_profile="gpt-9000")
