"""The commonest opening of a prompt is no role play, and hides none."""

from __future__ import annotations

import pytest

from firmground.core.finding import PreflightStatus
from firmground.core.question import Question
from firmground.preflight import inspect_question

PREAMBLES = (
    "You are a helpful assistant. ",
    "You are a helpful, harmless and honest AI assistant.\n",
    "You're a friendly chatbot! ",
)


@pytest.mark.parametrize("preamble", PREAMBLES)
def test_an_assistant_that_is_told_so_may_be_asked(preamble: str) -> None:
    seen = inspect_question(Question(text=preamble + "What does the runbook say about restarts?"))
    assert seen.status is PreflightStatus.OK


@pytest.mark.parametrize("preamble", PREAMBLES)
def test_the_preamble_hides_no_invention_behind_it(preamble: str) -> None:
    goal = "You are the on-call SRE engineer responding to a production outage right now."
    alone, behind = (
        inspect_question(Question(text=goal)),
        inspect_question(Question(text=preamble + goal)),
    )
    assert behind.status is alone.status is PreflightStatus.BLOCKED
    roles = [s for s in behind.signals if s.name == "role_play"]
    assert roles
    assert all(start >= len(preamble) for s in roles for start, _ in s.spans)


def test_a_role_is_still_a_role() -> None:
    seen = inspect_question(
        Question(text="You are an SRE assistant responding to a production incident.")
    )
    assert seen.confidence < 0.6
