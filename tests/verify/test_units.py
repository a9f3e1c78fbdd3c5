"""Evidence units keep exact spans, for prose and for records."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.verify.units import units

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_units_of_any_text_have_spans_inside_it_and_in_order(text: str) -> None:
    last = 0
    for unit in units(text):
        assert last <= unit.start <= unit.end <= len(text)
        last = unit.start
        if unit.path is None:
            assert unit.text == text[unit.start : unit.end]


@given(st.dictionaries(st.text(max_size=8), _VALUES, max_size=5), st.booleans(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_a_record_is_read_as_one_whether_written_as_json_or_as_python(
    record: dict[str, object], as_json: bool, spaced: bool
) -> None:
    text = json.dumps(record, indent=2 if spaced else None) if as_json else repr(record)
    for unit in units(text):
        assert unit.path is not None
        assert 0 <= unit.start <= unit.end <= len(text)


def test_a_leaf_keeps_the_exact_span_of_its_value() -> None:
    text = "{'name': 'Apna', 'hours': {'Monday': '16:30-21:0'}, 'WiFi': None, 'tags': ['a', 2.5]}"
    found = {u.path: (u.text, text[u.start : u.end]) for u in units(text)}
    assert found == {
        "name": ("name: Apna", "Apna"),
        "hours.Monday": ("hours monday: 16:30-21:00 (4:30 PM to 9 PM)", "16:30-21:0"),
        "WiFi": ("wi fi: None", "None"),
        "tags.1": ("tags 1: a", "a"),
        "tags.2": ("tags 2: 2.5", "2.5"),
    }


def test_a_long_value_becomes_sentences_under_its_path() -> None:
    review = (
        "We loved the butter chicken and naan.\\n\\nThe room was cold, and the music \\'awful\\'."
    )
    text = "{'review': '" + review + " " + review + "'}"
    found = units(text)
    assert len(found) == 4
    assert found[0].text == "review: We loved the butter chicken and naan."
    assert found[1].text == "review: The room was cold, and the music 'awful'."
    assert all(u.path == "review" for u in found)


@pytest.mark.parametrize(
    "text", ["{'a': 1", "{a: b}", "{'a' 1}", "[1, 2] tail", "{" * 500, "{'a': 1 2}"]
)
def test_a_broken_record_falls_back_to_prose(text: str) -> None:
    assert all(unit.path is None for unit in units(text))
    assert units(text)


def test_an_unclosed_string_of_a_megabyte_is_read_once() -> None:
    text = "{'a': '" + "x\\'" * 300_000
    assert all(unit.path is None for unit in units(text))


def test_a_long_list_without_stops_is_cut_at_its_separators_and_nothing_is_lost() -> None:
    text = "; ".join(f"key {i}: value number {i}" for i in range(60))
    found = units(text)
    assert len(found) > 4
    assert all(len(u.text) <= 240 and u.text == text[u.start : u.end] for u in found)
    assert "".join(u.text for u in found).replace(" ", "") == text.replace(" ", "")
