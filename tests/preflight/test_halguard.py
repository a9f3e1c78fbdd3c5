"""The parent's penalties come out of the profile that keeps its name."""

from __future__ import annotations

import pytest

from firmground.core.question import Question
from firmground.preflight import PreflightSettings, inspect_question

HALGUARD = PreflightSettings(profile="halguard")

GOLDEN = [
    ("You are an SRE engineer responding to a production incident", 0.43),
    ("Simulate a database outage scenario", 0.28),
    # role 2 hits, second person, two metrics over two sentences
    ("You are an SRE. Respond to a live incident: the cart went from 50ms to 2000ms.", 0.565),
    # role 2 hits, fabrication 2 hits, urgency, three metrics over three stops
    (
        "Imagine you're a DevOps person in a critical outage. "
        "Error rate jumped from 0.1% to 15% in the last 30 minutes.",
        0.7275,
    ),
    ("A tabletop exercise in which users are reporting errors", 0.455),
    # role, second person, fabrication 2 hits, four metrics over four sentences
    (
        "You're an incident commander. It is dark for 45 minutes. CPU usage spiked to 98%. "
        "P99 latency increased from 100ms to 5000ms.",
        0.7175,
    ),
    ("See what the cart did in the last 30 minutes", 0.175),
    (
        "Triage the critical alert: p99 latency rose from 120ms to 900ms in the last 10 minutes, "
        "users are reporting errors",
        0.78,
    ),
    ("Sort the imports of every module under the tools directory", 0.0),
]


@pytest.mark.parametrize(("goal", "penalty"), GOLDEN)
def test_the_parents_golden_penalties_come_out(goal: str, penalty: float) -> None:
    seen = inspect_question(Question(text=goal), settings=HALGUARD)
    assert 1.0 - seen.confidence == pytest.approx(penalty, abs=1e-9)
    assert sum(s.penalty for s in seen.signals) == pytest.approx(penalty, abs=1e-9)


def test_seven_specific_words_in_forty_four_with_a_full_arc_and_urgency_give_0_1159() -> None:
    goal = (
        "The shop has been limping ever since the big release of our lovely new basket page went "
        "out to the world. The response was degraded. It was caused by a memory leak. "
        "Now immediately check the dashboards and generate an incident paper for them."
    )
    seen = inspect_question(Question(text=goal), settings=HALGUARD)
    assert len(goal.split()) == 44
    assert 1.0 - seen.confidence == pytest.approx(0.1 + 0.1 * 2 * ((7 / 44 + 1) / 2 - 0.5))
    assert round(1.0 - seen.confidence, 4) == 0.1159


def test_the_parent_blocks_nothing_on_one_signal_alone() -> None:
    goal = "Imagine you are here. Simulate it. In this scenario handle the outage."
    seen = inspect_question(Question(text=goal), settings=HALGUARD)
    assert [s.name for s in seen.signals] == ["role_play"]
    assert seen.confidence == pytest.approx(0.6)


def test_the_parent_weighs_what_is_attached_at_seven_tenths() -> None:
    goal = "Check the cart"
    context = "The dashboard shows p99 latency spiked from 200ms to 3000ms in the last 15 minutes."
    alone = 1.0 - inspect_question(Question(text=context), settings=HALGUARD).confidence
    attached = (
        1.0 - inspect_question(Question(text=goal, context=context), settings=HALGUARD).confidence
    )
    assert attached == pytest.approx(0.7 * alone)
