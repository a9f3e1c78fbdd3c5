"""Reading what models call JSON costs no more than its length and never raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmground.claims.lenient import Array, Node, Object, Scalar, Text, read_json

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


def _plain(node: Node) -> object:
    if isinstance(node, Text | Scalar):
        return node.value
    if isinstance(node, Array):
        return [_plain(item) for item in node.items]
    return {key: _plain(value) for key, value in node.pairs}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(max_size=6), _VALUES, min_size=1, max_size=4), st.booleans())
def test_whatever_is_valid_is_read_as_it_is(value: dict[str, object], ascii_only: bool) -> None:
    reading = read_json(json.dumps(value, ensure_ascii=ascii_only))
    assert isinstance(reading.node, Object)
    assert _plain(reading.node) == value
    assert reading.problems == ()


@given(st.text(alphabet="{}[]\":,\\ \n'“”ab1-", max_size=100))
def test_anything_else_is_read_or_refused_without_an_exception(text: str) -> None:
    reading = read_json(text)
    assert reading.node is not None or reading.problems


def test_strings_know_their_place() -> None:
    text = '{"a": "one", "b": ["two"]}'
    node = read_json(text).node
    assert isinstance(node, Object)
    first = node.get("a")
    assert isinstance(first, Text)
    assert text[first.start : first.end] == "one"
    assert node.get("A", "missing") is None
    assert node.get("missing") is None


@pytest.mark.parametrize(
    "unit", ['{"a":', "[", '"', "{", '{"claims": [{"x": "y"},', "[{", "\\", ", ", "/*"]
)
def test_cost_grows_with_the_text_and_not_faster(unit: str, grows_straight: Any) -> None:
    assert grows_straight(lambda times: read_json("{" + unit * times), 16_000)
