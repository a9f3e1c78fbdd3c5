"""Tables inside evidence, and where sentences end when nobody wrote a capital."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import sentences
from firmground.verify.units import units

MARKDOWN = "Before it.\n\n| Host | Free |\n|---|---|\n| a | 12 |\n| b |  |\n\nAfter it."


def test_every_cell_reads_with_what_its_row_and_column_are_called() -> None:
    found = [(unit.text, unit.path) for unit in units("host,free\na,12\nb,40\n")]
    assert found == [
        ("host: a", "1.1.host"),
        ("a free: 12", "1.1.free"),
        ("host: b", "1.2.host"),
        ("b free: 40", "1.2.free"),
    ]


def test_a_table_inside_prose_leaves_the_prose_as_it_is() -> None:
    found = [unit.text for unit in units(MARKDOWN)]
    assert found == ["Before it.", "Host: a".lower(), "a free: 12", "host: b", "After it."]


def test_a_quoted_cell_may_hold_the_mark() -> None:
    text = 'name,note,age\n"Smith, Bob","said ""no""",41\n'
    assert [text[u.start : u.end] for u in units(text)] == ["Smith, Bob", 'said ""no""', "41"]


@pytest.mark.parametrize(
    "text",
    [
        "Roses are red, violets are blue.\nSugar is sweet, and so are you.\nThis is it, the end.",
        "Hello, world\nFoo, bar",
        "It rained, we left.",
        "a | b is no table",
        "",
    ],
)
def test_prose_with_commas_is_no_table(text: str) -> None:
    assert all(unit.path is None for unit in units(text))


@given(st.text(alphabet='ab1,;|\t\n"- .', max_size=60))
def test_the_span_of_a_unit_is_inside_its_text(text: str) -> None:
    for unit in units(text):
        assert 0 <= unit.start <= unit.end <= len(text)
        if unit.path is None:
            assert text[unit.start : unit.end] == unit.text


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("the job is done. then it restarts.", ["the job is done.", "then it restarts."]),
        ("it cost five dollars. it was cheap.", ["it cost five dollars.", "it was cheap."]),
        ("He works approx. two days.", ["He works approx. two days."]),
        ("Use e.g. the tool.", ["Use e.g. the tool."]),
        ("Yahoo! said it.", ["Yahoo! said it."]),
        ("It weighs 5 lbs. and more.", ["It weighs 5 lbs. and more."]),
    ],
)
def test_a_sentence_may_begin_in_lower_case_behind_an_ordinary_word(
    text: str, cut: list[str]
) -> None:
    assert [text[span.start : span.end] for span in sentences(text)] == cut


def test_a_lazy_pattern_does_what_a_compiled_one_does() -> None:
    lazy, made = lazy_pattern(r"(\d)(x)?", re.IGNORECASE), re.compile(r"(\d)(x)?", re.IGNORECASE)
    text = "1X 2y 3x"
    assert [m.span() for m in lazy.finditer(text)] == [m.span() for m in made.finditer(text)]
    assert lazy.sub("_", text) == made.sub("_", text)
    assert lazy.groups == made.groups
