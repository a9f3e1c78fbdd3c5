"""A threshold is only given when its promise can be kept."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.calibrate import (
    Calibration,
    LabelledScore,
    Refusal,
    binomial,
    calibrate,
    threshold,
)
from firmground.calibrate.threshold_tests import IndependentTest
from firmground.errors import InputError


def world(rng: random.Random, n: int, *, quality: float, ties: bool) -> list[LabelledScore]:
    """Answers whose error rate rises with the score; ``quality`` 0 makes the score worthless."""
    made = []
    for _ in range(n):
        score = rng.random()
        chance = 0.35 * (1 - quality) + quality * score**2
        made.append(
            LabelledScore(risk=round(score, 1) if ties else score, wrong=rng.random() < chance)
        )
    return made


def true_rate(threshold: float, quality: float, ties: bool) -> float:
    """The error rate among all answers at or below the threshold, by integration."""
    reach = min(1.0, threshold + 0.05) if ties else threshold
    return 0.35 * (1 - quality) + quality * reach**2 / 3


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("quality", [0.0, 0.6, 1.0])
def test_the_promised_risk_is_broken_at_most_as_often_as_stated(quality: float, ties: bool) -> None:
    rng = random.Random(f"{quality}{ties}")
    broken = rounds = 0
    for _ in range(200):
        result = calibrate(world(rng, 300, quality=quality, ties=ties), risk=0.1, confidence=0.9)
        rounds += 1
        if isinstance(result, Calibration):
            broken += true_rate(result.threshold, quality, ties) > 0.1
    # 10 % may break; 17 % of 200 is more than three standard deviations above that
    assert broken / rounds <= 0.17


def test_a_perfect_score_accepts_every_right_answer() -> None:
    right = [LabelledScore(risk=i / 1000, wrong=False) for i in range(200)]
    wrong = [LabelledScore(risk=0.9 + i / 1000, wrong=True) for i in range(50)]
    result = calibrate([*right, *wrong], risk=0.05)
    assert isinstance(result, Calibration)
    assert result.accepted >= 200
    assert result.errors <= 0.05 * result.accepted


def test_too_few_answers_are_refused_with_the_number_it_would_take() -> None:
    result = calibrate([LabelledScore(risk=0.1, wrong=False)] * 30, risk=0.05)
    assert isinstance(result, Refusal)
    assert result.needed > 30
    assert str(result.needed) in result.reason


def test_a_worthless_score_on_bad_answers_is_refused() -> None:
    rng = random.Random(3)
    labelled = [LabelledScore(risk=rng.random(), wrong=rng.random() < 0.5) for _ in range(400)]
    assert isinstance(calibrate(labelled, risk=0.05), Refusal)


def test_a_cut_never_falls_inside_a_tie() -> None:
    labelled = [LabelledScore(risk=0.2, wrong=False)] * 150 + [
        LabelledScore(risk=0.8, wrong=True)
    ] * 150
    result = calibrate(labelled, risk=0.1)
    assert isinstance(result, Calibration)
    assert result.threshold == 0.2
    assert result.accepted == 150


def test_a_test_passed_inside_a_tie_does_not_speak_for_the_worse_answers_before_it() -> None:
    """Among the surest hundred a third is wrong; of the many alike behind them the right come first
    in the file, which says nothing.
    """
    labelled = [LabelledScore(risk=0.1, wrong=at % 3 == 0) for at in range(100)]
    labelled += [LabelledScore(risk=0.5, wrong=False)] * 200 + [
        LabelledScore(risk=0.5, wrong=True)
    ] * 200
    assert isinstance(calibrate(labelled, risk=0.2), Refusal)
    assert isinstance(calibrate(labelled[::-1], risk=0.2), Refusal)


@given(st.permutations(range(120)))
def test_the_order_of_the_rows_means_nothing(order: list[int]) -> None:
    rows = [
        LabelledScore(risk=(at % 5) / 10, wrong=at % 5 == 4 and at % 2 == 0) for at in range(120)
    ]
    assert calibrate([rows[at] for at in order], risk=0.2) == calibrate(rows, risk=0.2)


def test_an_early_mishap_costs_one_share_and_not_the_threshold() -> None:
    rows = [LabelledScore(risk=at / 1000, wrong=at in (0, 3)) for at in range(400)]
    result = calibrate(rows, risk=0.05)
    assert isinstance(result, Calibration)
    assert result.accepted == 400


def test_a_threshold_that_failed_ends_the_search_whatever_comes_after() -> None:
    rows = [LabelledScore(risk=0.1, wrong=False)] * 40 + [LabelledScore(risk=0.2, wrong=True)] * 20
    rows += [LabelledScore(risk=0.3, wrong=False)] * 400
    asked = IndependentTest(rows)
    assert [asked.shows(t, 0.1, 0.05) for t in (0.1, 0.2, 0.3)] == [True, False, True]
    assert threshold._passed(asked, (0.1, 0.2, 0.3), 0.1, 0.05) == [0.1]


def test_the_pilot_proves_nothing() -> None:
    clean = [LabelledScore(risk=0.1, wrong=False)] * 65
    few = calibrate(clean[:64], risk=0.05)
    assert isinstance(few, Refusal)
    assert few.needed == 65
    enough = calibrate(clean, risk=0.05)
    assert isinstance(enough, Calibration)
    assert enough.tested == 59


def bent(score: float) -> float:
    """Chances of error that rise, fall, rise and fall again with the score."""
    return next(p for end, p in ((0.03, 0.5), (0.5, 0.01), (0.6, 0.6), (1.0, 0.12)) if score <= end)


def bent_rate(threshold: float) -> float:
    steps = [(at + 0.5) / 2000 for at in range(2000) if (at + 0.5) / 2000 <= threshold]
    return sum(map(bent, steps)) / len(steps)


def test_a_score_whose_error_rate_crosses_the_risk_twice_keeps_the_promise() -> None:
    rng = random.Random(8)
    rates = {at: bent_rate(at / 1000) for at in range(1, 1001)}
    assert [rates[at] > 0.1 for at in (20, 450, 600, 1000)] == [True, False, True, True]
    broken = found = 0
    for _ in range(400):
        scores = [rng.random() for _ in range(300)]
        rows = [LabelledScore(risk=s, wrong=rng.random() < bent(s)) for s in scores]
        result = calibrate(rows, risk=0.1, confidence=0.9)
        if isinstance(result, Calibration):
            found += 1
            broken += rates[max(1, round(result.threshold * 1000))] > 0.1
    assert broken / 400 <= 0.1 + 3 * math.sqrt(0.09 / 400)
    assert found > 20


def test_no_threshold_is_entered_at_which_too_few_are_accepted_for_any_proof() -> None:
    """Taken at its word this score is hopeless everywhere but at the lowest handful."""
    rng = random.Random(13)
    found = 0
    for _ in range(40):
        scores = [rng.random() for _ in range(120)]
        rows = [LabelledScore(risk=s, wrong=s > 0.9 and rng.random() < 0.5) for s in scores]
        found += isinstance(calibrate(rows, risk=0.05), Calibration)
    assert found >= 30


def test_too_few_errors_for_nothing_say_how_many_answers_it_would_take() -> None:
    rng = random.Random(4)
    rows = [LabelledScore(risk=rng.random(), wrong=rng.random() < 0.07) for _ in range(200)]
    result = calibrate(rows, risk=0.1)
    assert isinstance(result, Refusal)
    assert result.likely is not None
    assert 200 < result.likely < 2000
    assert f"about {result.likely} labelled answers" in result.reason


def test_a_score_that_knows_nothing_is_told_that_more_answers_would_not_help() -> None:
    rng = random.Random(3)
    rows = [LabelledScore(risk=rng.random(), wrong=rng.random() < 0.5) for _ in range(400)]
    result = calibrate(rows, risk=0.05)
    assert isinstance(result, Refusal)
    assert result.likely is None
    assert "more answers would not help" in result.reason


def test_fewer_answers_than_a_pilot_takes_are_taken_at_their_scores_word() -> None:
    clean = [LabelledScore(risk=0.3, wrong=False)] * 8
    result = calibrate(clean, risk=0.5)
    assert isinstance(result, Calibration)
    assert result.tested == 8


def test_ten_thousand_equal_scores_cost_no_more_than_others(grows_straight: Any) -> None:
    rows = [LabelledScore(risk=0.5, wrong=False)] * 32_000
    assert grows_straight(lambda n: calibrate(rows[:n], risk=0.1), 32_000)


@pytest.mark.parametrize("risk", [0.0, 1.0, -1.0, float("nan")])
def test_a_risk_that_is_no_rate_is_refused(risk: float) -> None:
    with pytest.raises(InputError, match="risk"):
        calibrate([], risk=risk)


def test_a_score_outside_zero_and_one_is_refused() -> None:
    with pytest.raises(InputError, match="risk"):
        LabelledScore(risk=float("nan"), wrong=False)


@given(st.integers(1, 60), st.data())
def test_the_tail_is_the_sum_of_exact_terms(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    direct = sum(math.comb(n, i) * 0.2**i * 0.8 ** (n - i) for i in range(k + 1))
    assert binomial.at_most(k, n, 0.2) == pytest.approx(direct, abs=1e-12)


def test_published_clopper_pearson_values_come_out() -> None:
    assert binomial.upper_bound(0, 59, 0.95) == pytest.approx(0.0495, abs=5e-4)
    assert binomial.upper_bound(1, 10, 0.975) == pytest.approx(0.4450, abs=1e-4)
    assert binomial.upper_bound(10, 10, 0.95) == 1.0
