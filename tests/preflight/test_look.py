"""What the default profile sees, and what it leaves alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.core.evidence import Evidence
from firmground.core.finding import PreflightStatus
from firmground.core.question import Question
from firmground.errors import InputError
from firmground.preflight import PreflightSettings, inspect_question

GOALS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/preflight_goals.jsonl")
    .read_text("utf-8")
    .splitlines()
]
TRIAGE = (
    "Triage the critical alert: p99 latency rose from 120ms to 900ms in the last 10 minutes, "
    "users are reporting errors"
)
INVENTED = (
    "Checkout has been crawling since the last rollout. It was caused by a leaking connection pool "
    "in the cart service. Immediately generate an incident report."
)


def test_a_real_triage_goal_passes() -> None:
    assert inspect_question(Question(text=TRIAGE)).status is not PreflightStatus.BLOCKED


def test_a_real_triage_goal_with_a_ticket_and_tools_has_no_reservation() -> None:
    question = Question(text=f"PD-88213: {TRIAGE}", tools=("grafana",))
    assert inspect_question(question).status is PreflightStatus.OK


def test_its_fabricated_twin_does_not_pass() -> None:
    assert (
        inspect_question(Question(text=f"You are an SRE. {TRIAGE}")).status
        is PreflightStatus.BLOCKED
    )


def test_a_told_story_with_its_cause_and_a_report_to_write_does_not_pass() -> None:
    assert inspect_question(Question(text=INVENTED)).status is PreflightStatus.BLOCKED


def test_one_strong_signal_is_enough_to_block() -> None:
    seen = inspect_question(
        Question(text="Make up the figures for the appendix"),
        settings=PreflightSettings(max_penalty=(("wording", "off"),)),
    )
    assert [s.name for s in seen.signals] == ["fabricated_data"]
    assert seen.status is PreflightStatus.BLOCKED


@pytest.mark.parametrize(
    "question",
    [
        Question(text=f"OPS-1142: {INVENTED}"),
        Question(text=INVENTED, tools=("kubectl",)),
        Question(text=f"According to the export in logs/cart.txt: {INVENTED}"),
        Question(text=INVENTED, context="the export of the incident channel"),
    ],
)
def test_what_ties_the_question_to_the_world_lowers_the_doubt(question: Question) -> None:
    assert (
        inspect_question(question).confidence > inspect_question(Question(text=INVENTED)).confidence
    )


def test_attached_evidence_lowers_the_doubt() -> None:
    evidence = (Evidence(text="14:02 pool exhausted"),)
    assert (
        inspect_question(Question(text=INVENTED), evidence=evidence).confidence
        > inspect_question(Question(text=INVENTED)).confidence
    )


def test_nothing_excuses_a_demand_to_invent() -> None:
    goal = "OPS-1142: fabricate the latency numbers"
    seen = inspect_question(Question(text=goal, tools=("grafana",)), evidence=(Evidence(text="x"),))
    assert seen.status is PreflightStatus.BLOCKED


def test_filling_a_sandbox_with_fake_users_is_work() -> None:
    goal = "Seed the staging database with realistic data from Faker"
    assert inspect_question(Question(text=goal)).status is not PreflightStatus.BLOCKED


@pytest.mark.parametrize("goal", [g["text"] for g in GOALS], ids=range(len(GOALS)))
def test_every_span_is_an_exact_piece_of_the_question(goal: str) -> None:
    for profile in ("default", "halguard"):
        seen = inspect_question(Question(text=goal), settings=PreflightSettings(profile=profile))
        for signal in seen.signals:
            assert signal.spans
            assert all(0 <= a < b <= len(goal) for a, b in signal.spans)


def test_spans_point_at_the_words_also_behind_letters_that_grow_in_lower_case() -> None:
    text = "\u0130\u0130\u0130: make up the figures"
    seen = inspect_question(Question(text=text))
    spans = next(s.spans for s in seen.signals if s.name == "fabricated_data")
    assert text[spans[0][0] : spans[0][1]] == "make up the figures"


@given(st.text(min_size=1, max_size=300).filter(str.strip))
def test_any_text_gets_a_confidence_between_zero_and_one(text: str) -> None:
    seen = inspect_question(Question(text=text))
    assert 0.0 <= seen.confidence <= 1.0
    assert all(0 <= a <= b <= len(text) for s in seen.signals for a, b in s.spans)


@given(st.sampled_from([g["text"] for g in GOALS]))
def test_another_signal_never_raises_the_confidence(goal: str) -> None:
    plain = inspect_question(
        Question(text=goal), settings=PreflightSettings(max_penalty=(("role_play", "off"),))
    )
    assert inspect_question(Question(text=goal)).confidence <= plain.confidence


def _penalty(goal: str, value: float | str | None) -> float | None:
    settings = PreflightSettings(max_penalty=(("role_play", value),))  # type: ignore[arg-type]
    found = inspect_question(Question(text=goal), settings=settings).signals
    return next((s.penalty for s in found if s.name == "role_play"), None)


def test_unset_off_and_zero_are_three_things() -> None:
    goal = "You are an SRE who answers a production incident"
    assert (_penalty(goal, None) or 0.0) > 0.6
    assert _penalty(goal, "off") is None
    assert _penalty(goal, 0.0) == 0.0


def test_a_threshold_of_zero_is_a_number_and_off_is_not_one() -> None:
    assert PreflightSettings(block_below=0.0).block_threshold() == 0.0
    assert PreflightSettings(block_below="off").block_threshold() is None
    assert PreflightSettings().block_threshold() == 0.4


def test_without_a_threshold_nothing_is_blocked_as_invented() -> None:
    settings = PreflightSettings(block_below="off")
    assert (
        inspect_question(Question(text=INVENTED), settings=settings).status
        is PreflightStatus.PARTIAL
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"profile": "strictest"},
        {"block_below": 1.5},
        {"block_below": True},
        {"max_penalty": (("role_plai", 0.1),)},
        {"max_penalty": (("role_play", -0.1),)},
    ],
)
def test_a_wrong_setting_is_an_error_that_names_the_key(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match="preflight"):
        PreflightSettings(**wrong)  # type: ignore[arg-type]


def test_a_hundred_kilobytes_cost_no_more_than_linearly_much(grows_straight: Any) -> None:
    unit = "You are a write up p99 went from 1 ms make up aa-bb/cc. "
    assert grows_straight(
        lambda size: inspect_question(Question(text=(unit * size)[:size])), 100_000
    )
