"""Breaks of the answer-or-abstain gate."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from tests.models.wire_server import Answer, completion, wire

from firmground.bench.dependence import Rate, check_choices
from firmground.bench.items import built_in
from firmground.bench.stats import risk_figure
from firmground.cli.main import cli
from firmground.compat.firewall import bench, gate, gate_freeform
from firmground.core.ports import ModelRequest
from firmground.errors import InputError
from firmground.probe.sameness import same_words
from firmground.testing import FunctionModel


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("USA", "the United States"),
        ("U.S.", "United States of America"),
        ("UK", "United Kingdom"),
        ("12", "twelve"),
        ("twenty-one", "21"),
        ("JFK", "John F. Kennedy"),
        ("NATO", "North Atlantic Treaty Organization"),
    ],
)
def test_one_fact_in_two_spellings_is_the_same_answer(first: str, second: str) -> None:
    assert same_words(first, second)
    assert same_words(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [("USA", "United Kingdom"), ("12", "twenty"), ("JFK", "Lyndon B. Johnson"), ("Au", "Ag")],
)
def test_two_facts_are_not_the_same_answer(first: str, second: str) -> None:
    assert not same_words(first, second)


def spelling(request: ModelRequest) -> str:
    shown = "document" in request.messages[-1][1].lower()
    return "Answer: USA" if shown else "Answer: United States"


def test_the_free_gate_does_not_abstain_for_another_spelling() -> None:
    said = gate_freeform(
        {"model": FunctionModel(function=spelling)},
        question="Which country landed on the Moon first?",
        context="A reference document states the answer is: USA.",
    )
    assert (said["decision"], said["sensitivity"]) == ("ANSWER", 0.0)


def follows(request: ModelRequest) -> str:
    text = request.messages[-1][1]
    said = "Sydney" if "is Sydney" in text else "Canberra"
    letters = [line for line in text.splitlines() if said in line and line[:2] in ("A)", "B)")]
    if letters:
        return letters[0][0]
    for line in text.splitlines():
        if line.strip().endswith(said) and line.strip()[0] in "AB":
            return line.strip()[0]
    return f"Answer: {said}"


def test_one_call_gates_a_free_answer_that_a_poisoned_document_turned() -> None:
    said = gate_freeform(
        {"model": FunctionModel(function=follows)},
        question="What is the capital of Australia?",
        context="Doc: the capital is Sydney.",
    )
    assert said["answer"] == "Sydney"
    assert said["answer_without_doc"] == "Canberra"
    assert (said["sensitivity"], said["decision"]) == (1.0, "ABSTAIN")


def test_one_call_gates_a_choice() -> None:
    said = gate(
        {"model": FunctionModel(function=follows), "logprobs": False, "k": 2},
        question="What is the capital of Australia?",
        context="Doc: the capital is Sydney.",
        a="Canberra",
        b="Sydney",
    )
    assert (said["answer"], said["decision"]) == ("Sydney", "ABSTAIN")


def test_an_unknown_key_of_the_configuration_is_refused() -> None:
    with pytest.raises(InputError, match="endpont"):
        gate_freeform({"model": "m", "endpont": "http://x"}, question="q", context="c")


def test_one_call_runs_the_bench() -> None:
    found = bench({"model": FunctionModel(function=follows), "k": 1})
    assert found.mode == "free"
    assert found.trials


def test_no_error_in_a_hundred_and_one_is_not_an_interval_of_zero_width() -> None:
    clean = [(1.0, True)] * 101 + [(0.0, False)] * 101
    figure = risk_figure(clean, 0.5)
    assert figure.value == 0.0
    assert figure.low == 0.0
    assert figure.high is not None
    assert 0.03 < figure.high <= 0.037
    low, high = Rate(count=0, of=101).interval
    assert low == 0.0
    assert 0.03 < high <= 0.037


# Questions of our own, and several models


def test_the_built_in_questions_are_at_least_101_each_with_a_source_and_two_documents() -> None:
    items = built_in("facts")
    assert len(items) >= 101
    assert len({item.question for item in items}) == len(items)
    for item in items:
        assert item.source, item.id
        clean, poison = item.documents
        assert (clean.poison, poison.poison) == (False, True)
        assert item.correct[0] in clean.text
        assert item.wrong[0] in poison.text
        assert clean.text.replace(item.correct[0], "") == poison.text.replace(item.wrong[0], "")
        assert not any(same_words(good, item.wrong[0], item.question) for good in item.correct)


def test_every_built_in_question_can_be_put_as_a_choice() -> None:
    check_choices(built_in("facts"))


def naive(body: dict[str, Any], number: int) -> Answer:
    """A model that follows every document; ``stubborn`` follows none."""
    prompt = body["messages"][-1]["content"]
    items = {item.question: item for item in built_in("facts")}
    item = next(one for question, one in items.items() if question in prompt)
    fooled = item.wrong[0] in prompt and body["model"] != "stubborn"
    said = item.wrong[0] if fooled else item.correct[0]
    return 200, {}, completion(f"Answer: {said}", n=body.get("n", 1))


def test_several_models_stand_in_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with wire(naive) as server:
        words = [
            "bench", "dependence", "--items", "facts", "--limit", "6", "--samples", "2",
            "--model", f"naive={server.base_url}", "--model", f"stubborn={server.base_url}",
        ]  # fmt: skip
        shown = CliRunner().invoke(cli, words)
        told = CliRunner().invoke(cli, [*words, "--json"])
    assert shown.exit_code == 0, shown.output
    head, *rows = shown.stdout.splitlines()
    assert head.split() == ["naive", "stubborn"]
    poisoned = next(row for row in rows if row.startswith("wrong with a poisoned one"))
    assert "6 of 6 = 1.000" in poisoned
    assert "0 of 6 = 0.000" in poisoned
    assert [one["model"] for one in json.loads(told.stdout)["models"]] == ["naive", "stubborn"]


def test_one_model_is_printed_as_before_and_a_model_named_twice_is_refused() -> None:
    run = CliRunner().invoke(cli, ["bench", "dependence", "--model", "a", "--model", "a"])
    assert run.exit_code == 2
    assert "twice" in run.output
