"""Sentences and words with exact offsets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.core.segment import sentences, words

_TRICKY = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from(list(" \n\t.!?…。！\"')]*-•|#1234,:Aa\u0301\u200b\u2028中文")),
    ),
    max_size=120,
)


def _cut(text: str) -> list[str]:
    return [text[s.start : s.end] for s in sentences(text)]


@given(_TRICKY)
@settings(max_examples=400, deadline=None)
def test_every_visible_character_lies_in_exactly_one_trimmed_sentence(text: str) -> None:
    last = 0
    covered: set[int] = set()
    for span in sentences(text):
        piece = text[span.start : span.end]
        assert piece
        assert piece == piece.strip()
        assert span.start >= last
        last = span.end
        covered.update(range(span.start, span.end))
    assert all(i in covered for i, char in enumerate(text) if not char.isspace())


@given(_TRICKY)
@settings(max_examples=400, deadline=None)
def test_words_are_exact_ordered_and_hold_every_letter_and_digit(text: str) -> None:
    last = 0
    covered: set[int] = set()
    for word in words(text):
        assert text[word.start : word.end] == word.text
        assert word.start >= last
        last = word.end
        covered.update(range(word.start, word.end))
    assert all(i in covered for i, char in enumerate(text) if char.isalnum())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rose. It fell.", ["It rose.", "It fell."]),
        ("Dr. Smith met J. R. Ewing at 3.5 p.m. in Bonn. He left.", None),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("The U.S. economy grew 3.5 percent. Rates fell.", None),
        ("She works at Acme Inc. The firm grew.", ["She works at Acme Inc.", "The firm grew."]),
        ("Wait... what? Yes!", ["Wait... what?", "Yes!"]),
        ("今日は晴れ。明日は雨。", ["今日は晴れ。", "明日は雨。"]),
        ("# Title\n- one\n- two\n| a | b |", ["# Title", "- one", "- two", "| a | b |"]),
        ("a long line that wraps\nand goes on.", ["a long line that wraps\nand goes on."]),
        ("1. First step.\n2. Second step.", ["1. First step.", "2. Second step."]),
        ("The big city.The river runs.", ["The big city.", "The river runs."]),
        ("version 2.0.1 of node.js runs", ["version 2.0.1 of node.js runs"]),
        ("Is it (really?) so. Yes", ["Is it (really?) so.", "Yes"]),
    ],
)
def test_stops_that_end_a_sentence_are_told_from_stops_that_do_not(
    text: str, expected: list[str] | None
) -> None:
    if expected is None:
        assert len(_cut(text)) == 2
    else:
        assert _cut(text) == expected


def test_numbers_and_joined_words_stay_whole_and_ranges_come_apart() -> None:
    found = [
        w.text
        for w in words("It's 1,234.5 of 10-20, COVID-19 at 10:30; naïve e\u0301te\u0301 中文")
    ]
    assert found == [
        "It's", "1,234.5", "of", "10", "20", "COVID-19", "at", "10:30", "naïve", "e\u0301te\u0301",
        "中", "文",
    ]  # fmt: skip


def test_a_megabyte_without_a_stop_is_one_sentence() -> None:
    text = "word " * 200_000
    assert len(sentences(text)) == 1
    assert len(words(text)) == 200_000


def test_a_code_in_capitals_is_not_the_abbreviation_spelled_alike() -> None:
    text = "It is in Goleta, CA. It offers food. Built ca. 1900 by Mr. Smith."
    pieces = [text[span.start : span.end] for span in sentences(text)]
    assert pieces == ["It is in Goleta, CA.", "It offers food.", "Built ca. 1900 by Mr. Smith."]


def test_a_sign_of_omission_ends_no_sentence() -> None:
    text = "Fans of the […] John Hughes film came. Some [...] Left (…) Early. It rained…"
    cut = [text[one.start : one.end] for one in sentences(text)]
    assert cut == [
        "Fans of the […] John Hughes film came.",
        "Some [...] Left (…) Early.",
        "It rained…",
    ]
