"""The families of wordings: each is met by somebody, and none of them is slow."""

from __future__ import annotations

import pytest
from tests.conftest import GrowsStraight

from firmground.core.finding import PreflightStatus
from firmground.core.question import Question
from firmground.preflight import inspect_question
from firmground.preflight.cue_families import FAMILIES
from firmground.preflight.cue_table import Cue

CAST = [
    "You are the harbour master. Log the ships you see.",
    "Impersonate a notary and confirm the deed.",
    "Write the weather log as if you had spent the winter in the hut.",
    "Let's pretend the dam broke and you answer the phones.",
    "In the following story the reactor trips. Give the readings.",
    "Tell me about the fictional airline and its crash record.",
    "Brief the council as their chief geologist on the landslide.",
    "List what you measured on your shift at the turbine.",
]
INVENTED = [
    "Concoct a reason for the delay and back it with dates.",
    "Prepare plausible survey answers for the appendix.",
    "Whatever you write, it must sound authentic.",
    "It doesn't matter where the percentages come from, add some.",
    "We never recorded the temperatures, put a column in anyway.",
    "Find figures that would justify the larger turbine.",
    "Compose three customer reviews of the new ferry.",
]
TOLD = [
    "The gateway crashed, sessions dropped and the standby failed; explain.",
    "Recount the database outage hour by hour.",
    "Present the root cause analysis of the router failure.",
]


def _fires(cue: Cue, text: str) -> bool:
    return cue.pattern.search(text if cue.cased else text.lower()) is not None


@pytest.mark.parametrize("number", range(len(FAMILIES)))
def test_every_family_is_met_by_an_example(number: int) -> None:
    cue = FAMILIES[number]
    met = [text for text in (*CAST, *INVENTED, *TOLD) if _fires(cue, text)]
    assert met
    assert cue.gate is not None
    assert any(cue.gate & set(text.lower().replace("'", " ").split()) for text in met)


@pytest.mark.parametrize("text", [*CAST[:7], *INVENTED[:4]])
def test_who_is_cast_or_told_to_invent_does_not_go_through(text: str) -> None:
    assert inspect_question(Question(text=text)).status is PreflightStatus.BLOCKED


@pytest.mark.parametrize(
    "text",
    [
        "Why do people make up stories about their youth?",
        "Who invented the dynamo?",
        "What did sailors imagine beyond the horizon?",
        "How do I assume an IAM role from the command line?",
        "What is a realistic marathon time for a beginner?",
        "Configure nginx to act as a reverse proxy for the wiki",
        "Generate fake customer records for the unit tests",
    ],
)
def test_a_question_about_inventing_is_no_order_to_invent(text: str) -> None:
    assert inspect_question(Question(text=text)).status is not PreflightStatus.BLOCKED


def test_a_polite_order_is_an_order() -> None:
    seen = inspect_question(Question(text="Could you make up a few error rates for the report?"))
    assert seen.status is PreflightStatus.BLOCKED


def test_a_text_made_of_all_of_them_is_read_in_linear_time(grows_straight: GrowsStraight) -> None:
    everything = " ".join((*CAST, *INVENTED, *TOLD))

    def work(size: int) -> None:
        inspect_question(Question(text=(everything * (size // len(everything) + 1))[:size]))

    assert grows_straight(work, 64_000)
