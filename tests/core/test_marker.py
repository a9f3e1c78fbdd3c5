"""Pointers to sources are found where they stand, and nothing else is taken for one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.core.marker import MarkerStyle, blank_markers, markers


@pytest.mark.parametrize(
    ("text", "labels", "style"),
    [
        ("so [1].", ("1",), MarkerStyle.BRACKET),
        ("so [1, 3; 5 and 7]", ("1", "3", "5", "7"), MarkerStyle.BRACKET),
        ("so [E1,E2]", ("E1", "E2"), MarkerStyle.BRACKET),
        ("so [ e1 ]", ("E1",), MarkerStyle.BRACKET),
        ("so [2-4]", ("2", "3", "4"), MarkerStyle.BRACKET),
        ("so [E2–E3]", ("E2", "E3"), MarkerStyle.BRACKET),
        ("so [^7]", ("7",), MarkerStyle.BRACKET),
        ("so [Source 2]", ("2",), MarkerStyle.BRACKET),
        ("so [1](https://example.org/a)", ("1",), MarkerStyle.BRACKET),
        ("so【4†source】", ("4",), MarkerStyle.BRACKET),
        (
            "so (Source: the annual report; notes)",
            ("the annual report", "notes"),
            MarkerStyle.NAMED,
        ),
        ("so (Passage 2)", ("2",), MarkerStyle.PARENTHESIS),
        ("so (see passages 1 and 3)", ("1", "3"), MarkerStyle.PARENTHESIS),
        ("so.²", ("2",), MarkerStyle.SUPERSCRIPT),
        ("as passage 2 says", ("2",), MarkerStyle.MENTION),
    ],
)
def test_every_style_is_read(text: str, labels: tuple[str, ...], style: MarkerStyle) -> None:
    (found,) = markers(text)
    assert (found.labels, found.style) == (labels, style)


@pytest.mark.parametrize(
    "text",
    [
        "in [2019] or",
        "[sic]",
        "[a note]",
        "5 m²",
        "(in 2019)",
        "(from 1990 to 1995)",
        "[]",
        "x = [1.5]",
        "passage of time",
        "[12 men]",
        "(sources say so)",
    ],
)
def test_what_only_looks_like_a_pointer_is_none(text: str) -> None:
    assert markers(text) == ()


def test_a_range_cannot_be_blown_up() -> None:
    (found,) = markers("[1-999]")
    assert len(found.labels) <= 21
    assert markers("[9-3]")[0].labels == ("9",)


def test_blanking_keeps_every_other_character_in_its_place() -> None:
    text = "Cats [1] sleep (Source: 2) a lot."
    blank = blank_markers(text)
    assert len(blank) == len(text)
    assert blank.split() == ["Cats", "sleep", "a", "lot."]
    assert blank.index("sleep") == text.index("sleep")


def test_blanking_a_mention_keeps_its_words() -> None:
    assert blank_markers("As passage 12 says") == "As passage    says"


@given(st.text(alphabet="[]()E123,- \n^Sourcepag:.¹²†【】", max_size=120))
def test_markers_of_any_text_are_in_order_and_apart(text: str) -> None:
    last = 0
    for one in markers(text):
        assert last <= one.start < one.end <= len(text)
        assert one.labels
        last = one.end
    assert len(blank_markers(text)) == len(text)


@pytest.mark.parametrize("unit", ["[1,", "[", "(source: ", "passage 1, ", "[1 ", "(passage 1 "])
def test_cost_grows_with_the_text_and_not_faster(unit: str, grows_straight: Any) -> None:
    assert grows_straight(lambda times: markers(unit * times), 16_000)
