"""Every character of an answer is judged, or matched whole by the closed list of exempt text."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.claims.wrappers import BASES, wrappers

from firmground.claims import coverage, prose_claims
from firmground.claims.exempt import exempt
from firmground.claims.words import CODE_LANGUAGES
from firmground.claims.wrapping import is_head, is_tail
from firmground.core.claim import NotCheckable
from firmground.core.question import Question

_WRAPPERS = tuple(wrappers())
_QUESTIONS = (
    None,
    Question(text="Is the harbour bridge open to cyclists?"),
    Question(text="When did the bridge open?"),
    Question(text="Can you summarise the documents?"),
)
_BETWEEN = (" ", "\n", "\n\n", "\n- ", "\n| a | b |\n|---|---|\n| ", ", ", ": ", " – ", "; ")
_LOOSE = (
    "Yes.",
    "No, it is not.",
    "Absolutely",
    "Not quite",
    "Prices:",
    "## Opening hours",
    "[1]",
    "(Source: report)",
    "【4†source】",
    "```",
    "It opened in 1932.",
    "They are not.",
    "Would you like more?",
    "Why?",
    "Let me know if you need anything else!",
    "I cannot answer that.",
    "| 1 | 2 |",
    "<b>",
    "\u200b",
    "東京は日本の首都です。",
    "of course",
    "that",
)


def _accounted(answer: str, question: Question | None) -> None:
    claims = prose_claims(answer, question)
    last = 0
    for claim in claims:
        assert answer[claim.start : claim.end] == claim.text
        assert claim.start >= last
        last = claim.end
        assert claim.statement
        if claim.not_checkable not in (None, NotCheckable.EMPTY):
            text = claim.text
            listed = (
                exempt(text) is not None
                or exempt(text, question=True) is not None
                or is_head(text)
                or is_head(text + ",")
                or is_tail(text)
                or text.lower() in CODE_LANGUAGES
            )
            assert listed, (answer, text, claim.not_checkable)
    assert coverage(answer, claims) == pytest.approx(1.0), answer


def _generated(rng: random.Random) -> str:
    parts = []
    for _ in range(rng.randrange(1, 7)):
        base = rng.choice(BASES)
        sentence = rng.choice((base.true, base.false))
        parts.append(
            rng.choice(_LOOSE) if rng.random() < 0.4 else rng.choice(_WRAPPERS).wrap(sentence)
        )
        parts.append(rng.choice(_BETWEEN))
    return "".join(parts)


def _run(count: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        _accounted(_generated(rng), rng.choice(_QUESTIONS))


def test_generated_answers_are_accounted_for() -> None:
    _run(400, 1)


@pytest.mark.soak
def test_ten_thousand_generated_answers_are_accounted_for() -> None:
    _run(10_000, 2)


@given(st.text(max_size=200), st.sampled_from(_QUESTIONS))
@settings(max_examples=200, deadline=None)
def test_any_text_is_accounted_for(answer: str, question: Question | None) -> None:
    _accounted(answer, question)


_WORDS = st.sampled_from(
    "Yes No the bridge opened in 1952 is it not that which , : ? ! . - | \n I think you know of "
    "course because since ( ) [1] ** # sure document does say would like".split(" ")
)


@given(st.lists(_WORDS, max_size=40), st.sampled_from(_QUESTIONS))
@settings(max_examples=300, deadline=None)
def test_any_order_of_telling_words_is_accounted_for(
    parts: list[str], question: Question | None
) -> None:
    _accounted(" ".join(parts), question)


@pytest.mark.parametrize(
    "unit",
    [
        "from 1 to 2 ",
        "more than 5 ",
        "at 10:30 ",
        "on 3 May 2021 ",
        "I think that ",
        "I say: ",
        "of course, ",
        "Sure! ",
        "Did you know that ",
        "since it is, ",
        "is it? ",
        "yes, ",
        "| a ",
        "(Source: x) ",
        "which is, ",
        "[a](b) ",
        "<b>",
        "not ",
        "Why is it, which is ",
    ],
)
def test_long_answers_cost_no_more_than_their_length(unit: str, grows_straight: Any) -> None:
    asked = Question(text="Is it open?")
    assert grows_straight(lambda size: prose_claims(unit * (size // len(unit)), asked), 64_000)
