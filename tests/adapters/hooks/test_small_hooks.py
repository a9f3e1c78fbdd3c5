"""Regular expressions, JSON Schema, arithmetic and citations."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import GrowsStraight

from firmground.adapters.hooks._common import Unreadable, follow, read_json
from firmground.adapters.hooks.arithmetic import (
    ArithmeticHook,
    NotACalculation,
    TooManyCalculations,
    evaluate,
    recompute,
)
from firmground.adapters.hooks.citation import CitationHook
from firmground.adapters.hooks.json_schema import JsonSchemaHook
from firmground.adapters.hooks.regex import RegexHook
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import Hook, HookCase
from firmground.errors import InputError
from firmground.hooks import HookEngine, Registered


def ask(hook: Hook, answer: str | None, *evidence: Evidence) -> HookReply | Fault:
    return asyncio.run(hook.ask(HookCase(question=None, answer=answer, evidence=evidence)))


def passed(reply: HookReply | Fault) -> bool:
    assert isinstance(reply, HookReply), reply
    return reply.passed


# -- regular expressions ---------------------------------------------------------------------------


def test_what_must_occur_and_what_must_not() -> None:
    hook = RegexHook(must=(r"\d+ m\b",), must_not=(r"(?i)guarantee",))
    assert passed(ask(hook, "It is 324 m tall"))
    assert not passed(ask(hook, "It is tall"))
    refused = ask(hook, "I guarantee 324 m")
    assert isinstance(refused, HookReply)
    assert refused.details == (("present", "(?i)guarantee at 2:11"),)


def test_a_pattern_that_ruins_a_backtracking_engine_costs_time_in_proportion(
    grows_straight: Any,
) -> None:
    hook = RegexHook(must_not=(r"(a+)+$",))
    assert grows_straight(lambda size: ask(hook, "a" * size + "!"), 1_000_000)


@pytest.mark.parametrize("pattern", ["(", r"(?=look)", r"(a)\1"])
def test_a_pattern_re2_does_not_know_is_an_error(pattern: str) -> None:
    with pytest.raises(InputError, match="re2"):
        RegexHook(must=(pattern,))


def test_no_pattern_is_an_error() -> None:
    with pytest.raises(InputError, match="nothing would be checked"):
        RegexHook()


def test_without_an_answer_nothing_was_checked() -> None:
    reply = ask(RegexHook(must=("x",)), None)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.SKIPPED


# -- JSON Schema -----------------------------------------------------------------------------------

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"height": {"type": "number", "minimum": 1}},
        "required": ["height"],
        "additionalProperties": False,
    }
)


def test_json_of_the_right_shape_passes_and_other_json_does_not() -> None:
    hook = JsonSchemaHook(schema=SCHEMA)
    assert passed(ask(hook, '{"height": 324}'))
    refused = ask(hook, '{"height": 0, "width": 1}')
    assert isinstance(refused, HookReply)
    assert not refused.passed
    assert "$.height" in dict(refused.details)
    assert "schema" in refused.guidance


@pytest.mark.parametrize(
    "answer",
    [
        "324 m",
        "",
        '{"height": NaN}',
        '{"height": 1, "height": 2}',
        "[" * 100_000,
        '{"a":' * 40 + "1" + "}" * 40,
        '"' + "x" * (1 << 20) + '"',
    ],
)
def test_what_is_no_usable_json_is_a_no(answer: str) -> None:
    assert not passed(ask(JsonSchemaHook(schema=SCHEMA), answer))


def test_a_pointer_picks_the_part() -> None:
    hook = JsonSchemaHook(schema='{"type": "integer"}', pointer="/a/0/b~1c")
    assert passed(ask(hook, '{"a": [{"b/c": 3}]}'))
    assert not passed(ask(hook, '{"a": []}'))


def test_a_reference_elsewhere_is_not_fetched() -> None:
    hook = JsonSchemaHook(schema='{"$ref": "http://127.0.0.1:1/schema.json"}')
    reply = ask(hook, "{}")
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.MISCONFIGURED


def test_patterns_in_a_schema_are_linear_too() -> None:
    hook = JsonSchemaHook(schema='{"pattern": "^(a+)+$", "type": "string"}')
    assert not passed(ask(hook, json.dumps("a" * 40 + "!")))
    assert passed(ask(hook, json.dumps("a" * 40)))
    keyed = JsonSchemaHook(schema='{"patternProperties": {"^n_": {"type": "number"}}}')
    assert passed(ask(keyed, '{"n_a": 1, "b": "x"}'))
    assert not passed(ask(keyed, '{"n_a": "x"}'))


@pytest.mark.parametrize("schema", ["", "{", '{"type": "nothing"}', "[1]"])
def test_a_schema_that_is_none_is_an_error(schema: str) -> None:
    with pytest.raises(InputError, match="schema"):
        JsonSchemaHook(schema=schema)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=20))
def test_reading_json_gives_what_was_written(value: Any) -> None:
    assert read_json(json.dumps(value)) == value


def test_a_pointer_that_leads_nowhere_is_a_lookup_error() -> None:
    for pointer in ("/a", "/0", "/-", "/01"):
        with pytest.raises(LookupError):
            follow([], pointer)
    with pytest.raises(InputError):
        follow({}, "a")
    with pytest.raises(Unreadable):
        read_json(b"\xff")


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
        {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": {"type": "null"}},
    ],
)
def test_keys_beside_the_patterns_are_found_in_linear_time(schema: dict[str, Any]) -> None:
    hook = JsonSchemaHook(schema=json.dumps({"properties": {"b": {}}, **schema}))
    assert not passed(ask(hook, json.dumps({"a" * 60 + "!": 1})))
    assert passed(ask(hook, json.dumps({"a" * 60: 1, "b": 2})))


def test_what_can_only_be_matched_slowly_is_refused_at_once() -> None:
    schema = {"patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": False}
    with pytest.raises(InputError, match="additionalProperties"):
        JsonSchemaHook(schema=json.dumps({"allOf": [schema]}))


def test_repeated_items_are_found_in_linear_time(grows_straight: GrowsStraight) -> None:
    hook = JsonSchemaHook(schema='{"uniqueItems": true}')

    def work(size: int) -> None:
        mixed = [[i, str(i), [i]][i % 3] for i in range(size)]
        assert passed(ask(hook, json.dumps(mixed)))

    assert grows_straight(work, 60_000)


@pytest.mark.parametrize(
    ("items", "unique"),
    [
        ([1, True, 0, False, "1", None], True),
        ([1, 1.0], False),
        ([{"a": [1], "b": 2}, {"b": 2, "a": [1.0]}], False),
        ([{"a": 1}, {"a": True}], True),
        ([[1, 2], [2, 1]], True),
        (["x", "y", "x"], False),
    ],
)
def test_two_items_are_the_same_when_their_json_is(items: list[Any], unique: bool) -> None:
    assert passed(ask(JsonSchemaHook(schema='{"uniqueItems": true}'), json.dumps(items))) is unique


def test_a_schema_that_takes_for_ever_is_called_off() -> None:
    below = [{"items": {"$ref": "#"}, "minItems": 9 + i} for i in range(3)]
    nested = "[" * 30 + "]" * 30
    hook = Registered(
        hook=JsonSchemaHook(schema=json.dumps({"anyOf": below})), inline=True, timeout_seconds=0.3
    )
    (reply,) = asyncio.run(HookEngine([hook]).run(HookCase(question=None, answer=nested)))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.TIMEOUT


# -- arithmetic ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "12 * 3 = 36",
        "So 1,200 + 300 = 1,500 in total.",
        "20% of 50 = 10",
        "(2 + 3) × 4 = 20",
        "7 / 3 = 2.33",
        "100 ÷ 8 = 12.5",
        "2 - 5 = -3",
        "$40 + $2 = $42",
        "1/3 ≈ 0.33",
        "3 of 4 = 12",
        "30 / 120 = 25%",
        "0.1 + 0.2 = 0.3",
    ],
)
def test_right_sums_are_right(text: str) -> None:
    right, wrong = recompute(text)
    assert (len(right), wrong) == (1, [])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12 * 3 = 35", "36"),
        ("1,200 + 300 = 1,600", "1500"),
        ("20% of 50 = 11", "10"),
        ("7 / 3 = 2.34", "2.333333333"),
        ("100 / 8 = 12", "12.5"),
        ("9 - 1 + 1 = 7", "9"),
        ("30 / 120 = 20%", "25"),
    ],
)
def test_wrong_sums_are_wrong_and_say_what_they_come_to(text: str, value: str) -> None:
    _, wrong = recompute(text)
    assert [v for _, v in wrong] == [value]


def test_a_wrong_sum_is_a_no_with_guidance() -> None:
    reply = ask(ArithmeticHook(), "We sold 3 * 4 = 13 towers and 2 + 2 = 4 bridges.")
    assert isinstance(reply, HookReply)
    assert not reply.passed
    assert "should come to 12" in reply.guidance


@pytest.mark.parametrize(
    "answer", ["x = 3", "version 1.2.3 = stable", "5 / 0 = 1", "VII + III ≈ X"]
)
def test_an_equation_that_cannot_be_read_was_not_checked(answer: str) -> None:
    reply = ask(ArithmeticHook(), answer)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.SKIPPED


@pytest.mark.parametrize("odd", ["2 ** 3 = 9", "5 / 0 = 1", "8 / / 5 = 1"])
def test_a_right_sum_does_not_vouch_for_one_that_cannot_be_computed(odd: str) -> None:
    reply = ask(ArithmeticHook(), f"First 2 + 2 = 4, then {odd}.")
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.SKIPPED
    assert "cannot be computed" in reply.message
    refused = ask(ArithmeticHook(), f"First 2 + 2 = 5, then {odd}.")
    assert isinstance(refused, HookReply)
    assert not refused.passed


def test_a_sum_beyond_all_floating_numbers_is_wrong_and_not_a_crash() -> None:
    reply = ask(ArithmeticHook(), " * ".join(["999999999999999998"] * 90) + " / 17 = 5")
    assert isinstance(reply, HookReply)
    assert not reply.passed
    assert "should come to about" in reply.guidance


def test_guidance_names_the_first_few_and_how_many_more() -> None:
    reply = ask(ArithmeticHook(), " ".join(f"{n} + 1 = 0;" for n in range(1, 101)))
    assert isinstance(reply, HookReply)
    assert reply.guidance.count("should come to") == 20
    assert reply.guidance.endswith("and 80 more")
    assert len(reply.details) == 100


def test_sums_do_not_apply_to_an_answer_without_any() -> None:
    reply = ask(ArithmeticHook(), "No sums here.")
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.NOT_APPLICABLE


@pytest.mark.parametrize("text", ["__import__('os')", "1 +", "(1", "2 ** 3", "a", "1 2", ""])
def test_only_numbers_and_the_four_operations_are_read(text: str) -> None:
    with pytest.raises(NotACalculation):
        evaluate(text)


@pytest.mark.parametrize(
    "piece",
    ["1 + ", "(", "1 ", "1" + " " * 50, "1,111", "-", "1+2=", "is ", "= ", "(1+", "2 of ", "1)"],
)
def test_no_answer_takes_more_than_its_length(piece: str, grows_straight: GrowsStraight) -> None:
    def work(size: int) -> None:
        with suppress(TooManyCalculations):
            recompute((piece * size)[:size] + " apples")

    assert grows_straight(work, 20_000)


def test_a_long_sum_without_a_result_ends() -> None:
    assert recompute(" + ".join("123456789") + " apples") == ([], [])


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("x - 5 + 3 = 1", 0, 0),
        ("half of 80 + 2 = 42", 0, 0),
        ("a tax of 5 + 3 = 8", 1, 0),
        ("it is -5 + 3 = -2 today", 1, 0),
        ("(1 + 2 = 3)", 1, 0),
        ("(1 + 2 = 4)", 0, 1),
        ("1 + 2 = 3 + 4 = 7", 2, 0),
        ("2(3 + 4) = 14", 0, 0),
        ("f(2) + 3 = 9", 0, 0),
        ("a) 1 + 2 = 4", 0, 1),
        ("$5.00 + $3.50 = $8.50", 1, 0),
        ("12 / 48 = 25%", 1, 0),
        ("12345678901234567890 + 1 = 2", 0, 0),
        ("1.2.3 + 4 = 5", 0, 0),
    ],
)
def test_only_whole_calculations_are_judged(text: str, right: int, wrong: int) -> None:
    holds, fails = recompute(text)
    assert (len(holds), len(fails)) == (right, wrong)


@pytest.mark.parametrize("answer", ["x" * 200_000 + " 1 + 1 = 3", "1 + 1 = 2 " * 2001])
def test_what_was_not_read_to_its_end_did_not_pass(answer: str) -> None:
    reply = ask(ArithmeticHook(), answer)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.LIMIT


def test_deep_brackets_do_not_crash() -> None:
    with pytest.raises(NotACalculation):
        evaluate("(" * 500 + "1" + ")" * 500)
    recompute("(" * 3000 + "1+1=2")


@given(st.integers(-999, 999), st.integers(-999, 999), st.sampled_from("+-*"))
def test_sums_that_python_agrees_with_are_right(a: int, b: int, sign: str) -> None:
    value = {"+": a + b, "-": a - b, "*": a * b}[sign]
    assert evaluate(f"{a} {sign} {b}") == value


# -- citations -------------------------------------------------------------------------------------

TOWER = Evidence(text="The tower is 324 m tall.", origin="https://example.org/tower")


@pytest.mark.parametrize(
    "answer",
    [
        "It is 324 m tall [1].",
        "It is 324 m tall [E1].",
        f"It is 324 m tall [{TOWER.id}].",
        "It is 324 m tall (https://example.org/tower).",
        "See https://example.org/tower.",
    ],
)
def test_citations_that_resolve_pass(answer: str) -> None:
    assert passed(ask(CitationHook(), answer, TOWER))


@pytest.mark.parametrize(
    "answer",
    [
        "It is 324 m tall [2].",
        "It is 324 m tall [1, 2].",
        "It is 324 m tall [0].",
        f"It is 324 m tall [e{'0' * 64}].",
        "See https://example.org/other [1].",
        "It is 324 m tall.",
    ],
)
def test_citations_that_lead_nowhere_do_not_pass(answer: str) -> None:
    reply = ask(CitationHook(), answer, TOWER)
    assert not passed(reply)
    assert isinstance(reply, HookReply)
    assert reply.guidance


def test_where_citations_are_not_required_the_hook_does_not_apply_to_an_answer_without_one() -> (
    None
):
    reply = ask(CitationHook(required=False), "It is tall.", TOWER)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.NOT_APPLICABLE


@pytest.mark.parametrize("pattern", ["", "a*", "(?s).*", "x|", "^"])
@pytest.mark.parametrize("key", ["must", "must_not"])
def test_a_pattern_that_matches_everything_is_an_error(key: str, pattern: str) -> None:
    with pytest.raises(InputError, match="checks nothing"):
        RegexHook(**{key: (pattern,)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "(?=a)"},
        {"properties": {"x": {"pattern": "(a)\\1"}}},
        {"patternProperties": {"(?<!x)y": {}}},
        {"$defs": {"x": {"items": {"pattern": "(?=a)"}}}},
    ],
)
def test_a_pattern_that_is_not_linear_is_an_error_before_anybody_asks(schema: object) -> None:
    with pytest.raises(InputError, match="is not a re2 pattern"):
        JsonSchemaHook(schema=json.dumps(schema))


def test_a_pattern_in_data_is_no_pattern() -> None:
    hook = JsonSchemaHook(schema=json.dumps({"const": {"pattern": "(?=a)"}}))
    reply = ask(hook, '{"pattern": "(?=a)"}')
    assert isinstance(reply, HookReply)
    assert reply.passed


def test_a_schema_is_read_as_the_draft_it_names() -> None:
    seventh = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "dependencies": {"a": ["b"]},
    }
    reply = ask(JsonSchemaHook(schema=json.dumps(seventh)), '{"a": 1}')
    assert isinstance(reply, HookReply)
    assert not reply.passed
    with pytest.raises(InputError, match="is not a known draft"):
        JsonSchemaHook(schema=json.dumps({"$schema": "http://example.org/mine"}))


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({"multipleOf": 0.01}, "9" * 400),
        ({"type": "number"}, "1e999999"),
        ({"minimum": 0}, "-1e400"),
    ],
)
def test_a_number_nobody_can_compare_is_a_no_and_not_a_crash(schema: object, answer: str) -> None:
    reply = ask(JsonSchemaHook(schema=json.dumps(schema)), answer)
    assert isinstance(reply, HookReply)
    assert not reply.passed


def test_half_a_character_is_searched_like_any_other() -> None:
    reply = ask(RegexHook(must=("tower",), must_not=("bridge",)), "\ud800 tower \udfff")
    assert isinstance(reply, HookReply)
    assert reply.passed
    shaped = ask(JsonSchemaHook(schema=json.dumps({"pattern": "^x"})), '"\\ud800"')
    assert isinstance(shaped, HookReply)
    assert not shaped.passed
