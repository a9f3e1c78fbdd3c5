"""A claim that the documents do not mention something is wrong when they do."""

from __future__ import annotations

import pytest

import firmground

_PLAN = (
    "The Pro plan costs 49 euros per month. It includes ten seats and single sign-on. "
    "Support is available on weekdays."
)


@pytest.mark.parametrize(
    ("answer", "stands"),
    [
        ("The documents do not mention the price of the Pro plan.", False),
        ("The documents do not mention that the Pro plan costs 49 euros per month.", False),
        ("The text does not say how many seats the Pro plan includes.", False),
        ("I couldn't find any information about single sign-on in the documents.", False),
        ("There is no mention of single sign-on in the documents.", False),
        ("The documents do not mention a discount for students.", True),
        ("I couldn't find any information about refunds.", True),
        ("No information about a free trial is provided.", True),
        ("I don't know the price of the Starter plan.", True),
    ],
)
def test_silence_is_decided_by_what_the_documents_hold(answer: str, stands: bool) -> None:
    assert firmground.check(answer, [_PLAN]).stands is stands


def test_a_denial_about_the_world_is_no_claim_about_the_documents() -> None:
    (one,) = firmground.check("We do not offer refunds.", [_PLAN]).assessments
    assert not one.code.startswith("silence")


def test_the_name_of_a_source_stands_only_if_it_names_one() -> None:
    evidence = [{"text": "Cats sleep a lot.", "title": "Cat Monthly"}]
    assert firmground.check("Cats sleep a lot (Source: Cat Monthly).", evidence).stands
    assert not firmground.check("Cats sleep a lot (Source: cats bark).", evidence).stands


def test_problems_of_a_reworded_claim_stay_inside_it() -> None:
    result = firmground.check(
        "Did you know that it opened in 1952?",
        ["The bridge opened in 1932."],
        question="When did the bridge open?",
    )
    (fallen,) = [a for a in result.findings.assessments if not a.standing.stands]
    assert fallen.claim.statement == "The bridge opened in 1952."
    assert all(fallen.claim.start <= p.start < p.end <= fallen.claim.end for p in fallen.problems)
    assert "1952" in "".join(result.request.answer[p.start : p.end] for p in fallen.problems)
