"""JSON in prose is found as it stands, and nothing is found where nothing is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.core.family import family_of
from firmground.core.fence import fence, mark_for
from firmground.core.loose_json import find_array, find_object
from firmground.core.prompt import Prompt, load_prompt
from firmground.errors import InputError

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner)
)
PROSE = st.text(alphabet=st.characters(exclude_characters='{}[]"', exclude_categories=["Cs"]))


@settings(max_examples=60)
@given(PROSE, st.dictionaries(st.text(max_size=4), VALUES, max_size=4), PROSE)
def test_an_object_in_prose_is_found_exactly(
    before: str, document: dict[str, Any], after: str
) -> None:
    assert find_object(before + json.dumps(document) + after) == document


@settings(max_examples=100)
@given(st.text(alphabet='{}[]",:\\ab1 \n'))
def test_no_text_raises(text: str) -> None:
    find_object(text)
    find_array(text)


@pytest.mark.parametrize("text", ["", "{", "{]}", '{"a": ', "a } b {", '{"a": NaN}', "{'a': 1}"])
def test_what_is_not_an_object_is_none(text: str) -> None:
    assert find_object(text) is None


def test_commas_before_a_bracket_are_forgiven_outside_strings_only() -> None:
    assert find_object('{"a": [1, 2,], "b": ",}",}') == {"a": [1, 2], "b": ",}"}


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o-mini", "openai"),
        ("o3-mini", "openai"),
        ("openai/gpt-5", "openai"),
        ("claude-sonnet-4-6", "anthropic"),
        ("anthropic/claude-opus-4-7", "anthropic"),
        ("gemini-2.5-pro", "google"),
        ("meta-llama/Llama-3.1-8B-Instruct", "meta"),
        ("qwen2.5-7b", "alibaba"),
        ("smollm2-135m-instruct", "huggingface"),
        ("glm-5.2", "zhipu"),
        ("acme-7b", "acme"),
        ("acme-13b-chat", "acme"),
    ],
)
def test_a_model_belongs_to_the_family_its_name_says(model: str, family: str) -> None:
    assert family_of(model) == family


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_a_mark_stands_in_none_of_the_texts_it_fences(texts: list[str]) -> None:
    mark = mark_for(texts)
    assert not any(mark in text for text in texts)
    assert mark == mark_for(texts)
    assert mark != mark_for([*texts, mark])
    assert fence("E1", texts[0], mark).count(mark) == 2


def test_a_prompt_refuses_missing_and_unknown_slots() -> None:
    prompt = Prompt(name="p", text="{{a}} and {{b}}", digest="d")
    assert prompt.fill(a="{{b}}", b="x") == "{{b}} and x"
    with pytest.raises(InputError, match="slots"):
        prompt.fill(a="1")
    with pytest.raises(InputError, match="no prompt"):
        load_prompt("firmground.core", "nowhere.v1")
