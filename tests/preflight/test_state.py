"""The question-state detectors and what follows from them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.core.evidence import Evidence
from firmground.core.finding import PreflightStatus
from firmground.core.question import Question
from firmground.preflight import (
    PreflightSettings,
    State,
    classify,
    inspect_question,
    preflight_payload,
    read_state,
)

CASES = [
    ("Who is the current champion of chess?", State.STALE_RISK),
    ("Who is the CEO of Nokia?", State.STALE_RISK),
    ("What happened in Lima this year?", State.STALE_RISK),
    ("When did Einstein stop playing the violin?", State.FALSE_PREMISE_SUSPECTED),
    ("How did Canada become a kingdom?", State.FALSE_PREMISE_SUSPECTED),
    ("Who is the spouse of the unmarried mayor?", State.CONTRADICTORY_QUESTION),
    ("Is a living person dead?", State.CONTRADICTORY_QUESTION),
    ("Does she never or always win?", State.CONTRADICTORY_QUESTION),
    ("Why is it always so and sometimes not?", State.CONTRADICTORY_QUESTION),
    ("Summarise my uploaded file", State.OUT_OF_CORPUS_RISK),
    ("What is in my inbox?", State.OUT_OF_CORPUS_RISK),
    ("Who rules the north in the novel?", State.REFERENCE_FRAME_AMBIGUOUS),
    ("List all songs about rain", State.BROAD_QUANTIFIER_UNBOUNDED),
    ("Why is it?", State.UNDER_SPECIFIED),
]


@pytest.mark.parametrize(("question", "state"), CASES)
def test_each_detector_sees_what_it_is_for(question: str, state: State) -> None:
    assert state in read_state(question, quantifier=classify(question)).states


def test_a_plain_question_is_well_formed_and_nothing_else() -> None:
    question = "Who wrote Middlemarch?"
    assert read_state(question, quantifier=classify(question)).states == (State.WELL_FORMED,)
    assert inspect_question(Question(text=question)).status is PreflightStatus.OK


def test_a_soft_state_is_a_reservation() -> None:
    seen = inspect_question(Question(text="Who is the CEO of Nokia?"))
    assert seen.status is PreflightStatus.PARTIAL
    assert seen.question_state == ("stale_risk",)


def test_what_was_not_handed_in_is_blocked_until_it_is_attached() -> None:
    question = Question(text="Summarise my uploaded contract")
    assert inspect_question(question).status is PreflightStatus.BLOCKED
    attached = inspect_question(question, evidence=(Evidence(text="The parties agree."),))
    assert attached.status is PreflightStatus.OK


def test_broad_and_unbounded_is_rejected_only_when_the_policy_says_so() -> None:
    question = Question(text="List all songs about rain")
    assert inspect_question(question).status is PreflightStatus.PARTIAL
    strict = inspect_question(question, settings=PreflightSettings(reject_broad=True))
    assert strict.status is PreflightStatus.BLOCKED
    assert "broad and unbounded" in strict.reasons
    bounded = Question(text="List all US states")
    settings = PreflightSettings(reject_broad=True)
    assert inspect_question(bounded, settings=settings).status is PreflightStatus.OK


def test_a_contradiction_blocks_only_when_the_policy_says_so() -> None:
    question = Question(text="Who is the wife of the bachelor?")
    assert inspect_question(question).status is PreflightStatus.PARTIAL
    settings = PreflightSettings(block_on_contradiction=True)
    assert inspect_question(question, settings=settings).status is PreflightStatus.BLOCKED


def test_off_looks_at_nothing_and_says_nothing() -> None:
    settings = PreflightSettings(question_state="off")
    seen = inspect_question(Question(text="What is in my inbox?"), settings=settings)
    assert seen.question_state == ()
    assert seen.status is PreflightStatus.OK


@pytest.mark.parametrize(
    "text",
    [
        "Summarise the attached document",
        "Translate the enclosed letter into Dutch",
        "What does the report attached say about rent?",
        "Explain this stack trace",
        "Please summarise the following article",
        "Compare the tables in the attachment",
        "Review this contract.",
    ],
)
def test_what_is_called_attached_and_is_not_there_is_flagged(text: str) -> None:
    seen = inspect_question(Question(text=text))
    assert seen.status is PreflightStatus.PARTIAL
    assert seen.question_state == ("under_specified",)
    assert any("attached" in reason for reason in seen.reasons)
    there = inspect_question(Question(text=text), evidence=(Evidence(text="The parties agree."),))
    assert there.status is PreflightStatus.OK
    assert there.question_state == ("well_formed",)


@pytest.mark.parametrize(
    "text",
    [
        "Summarise the following text: the tower was built in 1889 and is 330 m tall in all.",
        "Explain this stack trace:\nKeyError: 'currency' in ledger.py, line 88, in post_entry",
        "Which file formats does pandas read?",
        "Is the following true: water boils at 100 degrees at sea level?",
    ],
)
def test_what_is_pasted_in_is_there(text: str) -> None:
    assert "under_specified" not in inspect_question(Question(text=text)).question_state


@pytest.mark.parametrize(
    "text",
    [
        "You are an SRE. Write the incident report for last night's outage",
        "Make up error rates for the quarterly review",
    ],
)
def test_a_question_that_is_blocked_is_not_called_well_formed(text: str) -> None:
    seen = inspect_question(Question(text=text))
    assert seen.status is PreflightStatus.BLOCKED
    assert seen.question_state == ("false_premise_suspected",)
    clause = preflight_payload(Question(text=text))["question_state"]
    assert clause["logical_statuses"] == ["false_premise_suspected"]  # type: ignore[index]


@given(st.text(max_size=200) | st.sampled_from([text for text, _ in CASES]))
def test_well_formed_and_ok_say_the_same(text: str) -> None:
    seen = inspect_question(Question(text=text if text.strip() else "Why?"))
    assert (seen.status is PreflightStatus.OK) == (seen.question_state == ("well_formed",))
