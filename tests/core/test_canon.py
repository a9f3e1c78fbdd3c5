"""One value, one sequence of bytes, in every language that can write JSON."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from typing import Any

import orjson
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.progress import Progress

from firmground.core import canon
from firmground.core.canon import (
    MAX_DEPTH,
    MAX_INTEGER,
    Value,
    canonical,
    decimal,
    digest,
    pack_text,
    parse,
    unpack_text,
)
from firmground.errors import CanonError

KEYS = st.text("abcdefghijklmnopqrstuvwxyz0123456789_.-", min_size=1, max_size=12)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


@settings(max_examples=400, deadline=None)
@given(VALUES)
def test_three_writers_give_the_same_bytes(value: Any) -> None:
    data = canonical(value)
    assert data == rfc8785.dumps(value)
    assert data == canon.write_with_stdlib(value)
    assert data == orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    assert parse(data) == value


def a_document(chance: random.Random, depth: int = 0) -> Value:
    """Much cheaper than hypothesis, for large numbers of documents."""
    kind = chance.randrange(6 if depth < 4 else 4)
    if kind == 0:
        return chance.choice((None, True, False))
    if kind == 1:
        return chance.randint(-MAX_INTEGER, MAX_INTEGER) >> chance.randrange(54)
    if kind in (2, 3):
        return "".join(a_character(chance) for _ in range(chance.randrange(8)))
    if kind == 4:
        return [a_document(chance, depth + 1) for _ in range(chance.randrange(4))]
    letters = "abz019_.-"
    return {
        "".join(chance.choices(letters, k=chance.randrange(1, 5))): a_document(chance, depth + 1)
        for _ in range(chance.randrange(4))
    }


def a_character(chance: random.Random) -> str:
    low, high = chance.choice(
        ((0, 0x20), (0x20, 0x7F), (0x7F, 0x100), (0x2000, 0x2070), (0xE000, 0x10000),
         (0x10000, 0x110000), (0x22, 0x23), (0x5C, 0x5D))
    )  # fmt: skip
    return chr(chance.randrange(low, high))


def differences(count: int, seed: int) -> list[Value]:
    chance = random.Random(seed)
    progress = Progress(f"documents, seed {seed}", count)
    odd = []
    for _ in range(count):
        progress.step()
        value = a_document(chance)
        data = canonical(value)
        if not data == rfc8785.dumps(value) == canon.write_with_stdlib(value):
            odd.append(value)
    return odd


def test_20_000_generated_documents_have_one_form() -> None:
    assert differences(20_000, seed=4) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_a_million_generated_documents_have_one_form(seed: int) -> None:
    assert differences(100_000, seed=seed) == []


def test_the_published_bytes_of_rfc_8785_come_out() -> None:
    """Section 3.2.4 without its numbers, which are floats."""
    text = "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/"
    value: Value = {"string": text, "literals": [None, True, False]}
    published = (
        "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c"
        "22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d"
    )
    assert canonical(value).hex() == published


def test_control_characters_are_escaped_as_rfc_8785_says() -> None:
    made = canonical("\b\t\n\f\r\x00\x1f\x7f\u2028")
    assert made == b'"\\b\\t\\n\\f\\r\\u0000\\u001f\x7f\xe2\x80\xa8"'


def test_keys_are_sorted_and_nothing_is_added() -> None:
    assert canonical({"b": 1, "a-": [], "a": {}, "a.": ""}) == b'{"a":{},"a-":[],"a.":"","b":1}'


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (1.0, "$ is a float"),
        (float("nan"), "$ is a float"),
        ({"a": [1, 0.5]}, "$.a[1] is a float"),
        ({1: "x"}, "the key 1"),
        ({"A": 1}, "the key 'A'"),
        ({"": 1}, "the key ''"),
        ({"k" * 65: 1}, "keys are"),
        ({"a\n": 1}, "keys are"),
        ("\ud800", "lone surrogate"),
        ({"a": "x\udfff"}, "$.a holds a lone surrogate"),
        (MAX_INTEGER + 1, "beyond"),
        (-MAX_INTEGER - 1, "beyond"),
        (b"bytes", "$ is a bytes"),
        ({"a": {1, 2}}, "$.a is a set"),
    ],
)
def test_values_without_a_canonical_form_are_refused_by_their_path(value: Any, named: str) -> None:
    with pytest.raises(CanonError) as caught:
        canonical(value)
    assert named in str(caught.value)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_depth_and_size_have_limits() -> None:
    assert canonical(nested(MAX_DEPTH))
    with pytest.raises(CanonError, match="nested"):
        canonical(nested(MAX_DEPTH + 1))
    with pytest.raises(CanonError, match="at most 10"):
        canonical("0123456789", max_bytes=10)
    assert canonical("01234567", max_bytes=10)
    with pytest.raises(CanonError, match="at most"):
        parse(b'"0123456789"', max_bytes=10)


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":1}',
        b'{"a":1,"a":2}',
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b" 1",
        b"1 ",
        b"1\n",
        b"\xef\xbb\xbf1",
        b'"\\u0041"',
        b'"\\/"',
        b'"\\u000a"',
        b'"\xff"',
        b'"\\ud800"',
        b"1.0",
        b"1e3",
        b"-0",
        b"01",
        b"NaN",
        b"Infinity",
        b"9007199254740992",
        b"123456789012345678901234567890",
        b"'a'",
        b"",
        b"[1,]",
        b"[" * 100_000,
        b"\xed\xa0\x80",
    ],
)
def test_bytes_that_are_not_the_one_form_are_refused(data: bytes) -> None:
    with pytest.raises(CanonError):
        parse(data)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_parsing_accepts_exactly_what_writing_makes(data: bytes) -> None:
    try:
        value = parse(data)
    except CanonError:
        return
    assert canonical(value) == data


def test_a_key_that_stands_twice_is_named() -> None:
    with pytest.raises(CanonError, match="'b' stands twice"):
        parse(b'{"a":{"b":1,"b":1}}')


def test_what_strangers_send_is_neither_remembered_nor_repeated_at_length() -> None:
    long = "k" * 500_000
    for data in (
        canon.write_with_stdlib({long: 1}),
        b'{"a":1,"' + long.encode() + b'":1,"' + long.encode() + b'":1}',
        b"1." + b"0" * 500_000,
    ):
        with pytest.raises(CanonError) as caught:
            parse(data, max_bytes=1 << 21)
        assert len(str(caught.value)) < 200
    before = canon._is_key.cache_info().currsize
    with pytest.raises(CanonError):
        canonical({"k" * 65: 1})
    assert canon._is_key.cache_info().currsize == before


def test_a_doubled_key_among_very_many_is_found_at_once() -> None:
    many = ",".join(f'"{number}":1' for number in range(50_000))
    with pytest.raises(CanonError, match="'49999' stands twice"):
        parse(f'{{{many},"49999":1}}'.encode())


def test_tags_keep_digests_of_different_kinds_apart() -> None:
    assert digest("a", b"x") != digest("b", b"x")
    assert digest("a", b"bx") != digest("ab", b"x")


@pytest.mark.parametrize(
    ("score", "text"),
    [(0, "0.000000"), (-0.0, "0.000000"), (-1e-9, "0.000000"), (1, "1.000000"), (0.1, "0.100000")],
)
def test_a_score_is_a_decimal_of_six_digits(score: float, text: str) -> None:
    assert decimal(score) == text


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -float("inf")])
def test_a_score_that_is_no_number_is_refused(score: float) -> None:
    with pytest.raises(CanonError):
        decimal(score)


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(), max_size=20) | st.text("\ud83d\ude00a", max_size=5))
def test_any_text_can_be_packed_and_comes_back_exactly(text: str) -> None:
    packed = pack_text(text)
    canonical(packed)
    assert unpack_text(json.loads(canonical(packed))) == text


@pytest.mark.parametrize(
    "wrong",
    [
        1,
        None,
        {},
        {"enc": "utf-8", "b64": "YQ=="},
        {"enc": "wtf-8", "b64": "!"},
        {"enc": "wtf-8", "b64": "/w=="},
        {"enc": "wtf-8", "b64": "YQ=="},
        {"enc": "wtf-8", "b64": "7aCA", "more": 1},
        {"enc": "wtf-8", "b64": 7},
    ],
)
def test_a_text_has_one_packed_form(wrong: Any) -> None:
    with pytest.raises(CanonError):
        unpack_text(wrong)


def test_the_standard_library_writes_the_same_bytes_where_orjson_is_absent() -> None:
    code = (
        "import sys; sys.modules['orjson'] = None\n"
        "from firmground.core.canon import canonical, parse\n"
        "value = {'b': [1, None, True], 'a': '\\u20ac\\n\\x7f'}\n"
        "assert parse(canonical(value)) == value\n"
        "print(canonical(value).hex())"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    value: Value = {"b": [1, None, True], "a": "\u20ac\n\x7f"}
    assert made.stdout.strip() == canonical(value).hex()


JAVASCRIPT = """
const bytes = (v) => Array.isArray(v) ? "[" + v.map(bytes).join(",") + "]"
  : v && typeof v === "object"
    ? "{" + Object.keys(v).sort().map((k) => JSON.stringify(k) + ":" + bytes(v[k])).join(",") + "}"
    : JSON.stringify(v);
const lines = require("fs").readFileSync(0, "utf8").split("\\n");
for (const line of lines) if (line) console.log(bytes(JSON.parse(line)));
"""


def compare_with_javascript(count: int, seed: int) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed, so no other language is asked")
    chance = random.Random(seed)
    wanted = [canonical(a_document(chance)) for _ in range(count)]
    # Sent with every character escaped and white space added, so that it has to be written anew.
    sent = "\n".join(json.dumps(json.loads(data)) for data in wanted)
    made = subprocess.run(
        [node, "-e", JAVASCRIPT], input=sent.encode(), capture_output=True, check=True
    )
    assert made.stdout.split(b"\n")[:-1] == wanted


def test_javascript_writes_the_same_bytes() -> None:
    compare_with_javascript(5_000, seed=11)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_javascript_writes_the_same_bytes_of_a_million_documents(seed: int) -> None:
    compare_with_javascript(100_000, seed=seed)
