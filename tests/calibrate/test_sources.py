"""Answers that share a source are no independent draws, and are not counted as such."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.calibrate import Calibration, LabelledScore, Refusal, betting, calibrate
from firmground.calibrate.labelled import Source, dealt, one_of_each, sources_of
from firmground.calibrate.threshold_tests import ClusteredTest, IndependentTest, exam


def clustered(
    rng: random.Random, sources: int, each: int, chance: float, *, alike: float
) -> list[LabelledScore]:
    """A score that knows nothing; a source's answers share one truth with probability alike."""
    made = []
    for name in range(sources):
        shared = rng.random() < chance
        for _ in range(each):
            wrong = shared if rng.random() < alike else rng.random() < chance
            made.append(LabelledScore(risk=rng.random(), wrong=wrong, source=str(name)))
    return made


def accepted(rows: list[LabelledScore], *, risk: float = 0.2, confidence: float = 0.9) -> bool:
    return isinstance(calibrate(rows, risk=risk, confidence=confidence), Calibration)


@pytest.mark.parametrize("alike", [0.0, 0.6, 1.0])
def test_a_rate_at_the_accepted_risk_is_accepted_no_oftener_than_stated(alike: float) -> None:
    rng = random.Random(f"null {alike}")
    false = sum(accepted(clustered(rng, 120, 5, 0.2, alike=alike)) for _ in range(200))
    assert false / 200 <= 0.1 + 3 * math.sqrt(0.09 / 200)


def test_the_same_answers_taken_for_independent_would_break_the_promise() -> None:
    rng = random.Random(5)
    worlds = [clustered(rng, 120, 5, 0.2, alike=1.0) for _ in range(100)]
    blind = sum(accepted([replace(one, source="") for one in rows]) for rows in worlds)
    told = sum(accepted(rows) for rows in worlds)
    assert blind / 100 > 0.2
    assert told / 100 <= 0.1 + 3 * math.sqrt(0.09 / 100)


def test_sources_that_go_their_own_ways_are_proved_with_all_their_answers() -> None:
    """Of one answer each it would be proved in well under half of the cases."""
    rng = random.Random(6)
    worlds = [clustered(rng, 150, 5, 0.12, alike=0.0) for _ in range(60)]
    assert sum(accepted(rows, confidence=0.95) for rows in worlds) >= 50
    alone = [[replace(one, source="") for one in rows[::5]] for rows in worlds]
    assert sum(accepted(rows, confidence=0.95) for rows in alone) < 50


def test_answers_with_a_source_each_are_counted_as_if_they_had_none() -> None:
    rng = random.Random(7)
    rows = [LabelledScore(risk=(r := rng.random()), wrong=rng.random() < r**3) for _ in range(400)]
    named = [replace(one, source=f"s{at}") for at, one in enumerate(rows)]
    assert calibrate(named, risk=0.1) == calibrate(rows, risk=0.1)
    assert isinstance(calibrate(rows, risk=0.1), Calibration)


@given(st.permutations(range(60)), st.integers(0, 5))
def test_neither_the_order_nor_the_names_of_sources_mean_anything(
    order: list[int], salt: int
) -> None:
    rng = random.Random(9)
    rows = clustered(rng, 60, 2, 0.02, alike=0.5)
    moved = [replace(rows[2 * at + late], source=f"{salt}/{at}") for at in order for late in (1, 0)]
    assert calibrate(moved, risk=0.2) == calibrate(rows, risk=0.2)


def test_each_source_counts_the_same_however_many_answers_it_has() -> None:
    rng = random.Random(10)
    rows = clustered(rng, 100, 2, 0.4, alike=0.5)
    crowd = [LabelledScore(risk=rng.random(), wrong=False, source="crowd") for _ in range(5000)]
    assert isinstance(calibrate([*rows, *crowd], risk=0.2), Refusal)
    assert accepted([replace(one, source="") for one in [*rows, *crowd]])


def test_where_few_sources_have_several_answers_one_is_drawn_of_each() -> None:
    single: list[Source] = [(LabelledScore(risk=0.1, wrong=False),)] * 30
    double: list[Source] = [(LabelledScore(risk=0.1, wrong=False, source="d"),) * 2] * 30
    assert isinstance(exam(single[:20] + double[:10], double), IndependentTest)
    assert isinstance(exam(single[:10] + double[:20], single), ClusteredTest)
    assert len(one_of_each([*single, *double])) == 60


def test_the_test_is_chosen_by_the_pilot_alone() -> None:
    """Chosen by the tested sources it would depend on what it is to judge."""
    double = [(LabelledScore(risk=0.1, wrong=False, source="d"),) * 2] * 30
    assert isinstance(exam([(LabelledScore(risk=0.1, wrong=False),)] * 10, double), IndependentTest)


def test_which_sources_are_the_pilot_depends_on_nothing_that_was_labelled() -> None:
    rows = [LabelledScore(risk=at / 1000, wrong=False, source=f"s{at}") for at in range(200)]
    turned = [replace(one, wrong=True) for one in rows]
    for ours, theirs in zip(dealt(sources_of(rows)), dealt(sources_of(turned)), strict=True):
        assert [s[0].source for s in ours] == [s[0].source for s in theirs]
    pilot, rest = dealt(sources_of(rows))
    assert (len(pilot), len(rest)) == (20, 180)
    places = [int(s[0].source[1:]) for s in pilot]
    assert min(places) < 40
    assert max(places) > 160


def test_too_few_sources_are_refused_in_sources() -> None:
    rows = clustered(random.Random(1), 40, 6, 0.0, alike=1.0)
    result = calibrate(rows, risk=0.05)
    assert isinstance(result, Refusal)
    assert result.needed == 65
    assert "40 sources cannot show" in result.reason


def test_too_many_errors_say_how_many_sources_it_would_take() -> None:
    result = calibrate(clustered(random.Random(2), 100, 3, 0.07, alike=0.2), risk=0.1)
    assert isinstance(result, Refusal)
    assert result.likely is not None
    assert result.likely > 101
    assert f"about {result.likely} sources" in result.reason


Draw = Callable[[random.Random], float]


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda rng: 0.8 if rng.random() < 0.2 else -0.2, id="one answer each"),
        pytest.param(lambda rng: sum(rng.random() < 0.2 for _ in range(5)) / 5 - 0.2, id="five"),
        pytest.param(lambda rng: 0.8 if rng.random() < 0.02 else -0.8 / 49, id="rarely all wrong"),
        pytest.param(lambda rng: rng.choice((0.1, -0.1)), id="even"),
    ],
)
def test_who_bets_on_a_fair_game_gets_rich_no_oftener_than_stated(draw: Draw) -> None:
    rng = random.Random(12)
    rich = sum(
        betting.reaches([draw(rng) for _ in range(80)], most=0.8, goal=10) for _ in range(2000)
    )
    assert rich / 2000 <= 0.1 + 3 * math.sqrt(0.09 / 2000)


def test_draws_without_one_error_are_enough_as_soon_as_any_test_could_say_so() -> None:
    assert not betting.reaches([-0.05] * 58, most=0.95, goal=20)
    assert betting.reaches([-0.05] * 59, most=0.95, goal=20)


def test_what_is_lost_is_lost() -> None:
    """Somebody who staked everything and lost stays poor, however well the rest would have gone."""
    assert not betting.reaches([0.95, *[-0.05] * 60], most=0.95, goal=20, like=[-0.05] * 60)
