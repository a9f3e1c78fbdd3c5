"""What a result says, flat and honest."""

from __future__ import annotations

import json

import pytest

import firmground

SOURCE = "The Alder bridge opened in 1932. It carries 40,000 cars a day."
ANSWER = "The Alder bridge opened in 1952. It carries 40,000 cars a day."


@pytest.fixture(scope="module")
def result() -> firmground.Result:
    return firmground.check(ANSWER, SOURCE, judge="lexical", id="a1")


def test_it_is_true_exactly_when_the_answer_stands(result: firmground.Result) -> None:
    assert not result
    assert not result.stands
    assert firmground.check(SOURCE, SOURCE, judge="lexical")


def test_claims_are_flat(result: firmground.Result) -> None:
    first, second = result.claims
    assert ANSWER[first.start : first.end] == first.text
    assert (str(first.standing), first.stands) == ("contradicted", False)
    assert first.reason == "says 1952, source says 1932"
    assert first.code
    assert 0 <= first.confidence <= 1
    quote = first.evidence[0]
    assert SOURCE[quote.start : quote.end] == quote.text
    assert "Alder" in first.statement
    assert second.stands
    assert result.problems == (first,)


def test_the_dictionary_is_json_and_names_the_run(result: firmground.Result) -> None:
    document = json.loads(json.dumps(result.to_dict()))
    assert document["id"] == "a1"
    assert document["run"] == result.root
    assert result.run_id is None


def test_it_shows_itself(result: firmground.Result) -> None:
    assert repr(result).startswith("<Result regenerate: does not stand; support")
    page = result.report()
    assert page.startswith("<!doctype html>") or page.lower().startswith("<!doctype html>")
    assert result._repr_html_().startswith("<iframe srcdoc=")
    assert "<script>" not in result._repr_html_().split("srcdoc=")[0]
