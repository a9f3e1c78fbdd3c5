"""A calibration speaks only about what it was made with."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from firmground.calibrate import (
    Artefact,
    Calibration,
    CalibrationScope,
    DriftWatch,
    LabelledScore,
    Refusal,
    ThresholdPair,
    area_under,
    calibrate,
    calibrate_pair,
    calibration_error,
    drift,
    make_artefact,
    make_pair_artefact,
    read_artefact,
    reliability,
    risk_coverage,
)
from firmground.core.canon import canonical
from firmground.errors import InputError


def rows(n: int, seed: int = 1) -> list[LabelledScore]:
    dice = random.Random(seed)
    return [LabelledScore(risk=(r := dice.random()), wrong=dice.random() < r**3) for _ in range(n)]


def made(**groups: list[LabelledScore]) -> Artefact:
    artefact, _ = make_artefact(
        groups, bound=CalibrationScope(judge="j", policy="p", prompt="w"), risk=0.1, confidence=0.9
    )
    assert artefact is not None
    return artefact


def test_a_calibration_survives_its_file() -> None:
    artefact = made(all=rows(800))
    again = read_artefact(artefact.to_bytes())
    assert again.thresholds == artefact.thresholds
    assert again.to_bytes() == artefact.to_bytes()


def test_another_judge_policy_or_prompt_is_refused() -> None:
    artefact = made(all=rows(800))
    artefact.require(judge="j", policy="p", prompt="w")
    with pytest.raises(InputError, match="judge"):
        artefact.require(judge="other", policy="p", prompt="w")
    with pytest.raises(InputError, match="policy"):
        artefact.require(judge="j", policy="other", prompt="w")
    with pytest.raises(InputError, match="were not named"):
        artefact.require(judge="j", policy="p", prompt="")


def test_a_group_nobody_calibrated_has_no_threshold() -> None:
    with pytest.raises(InputError, match="'b'"):
        made(a=rows(800)).threshold("b")


def test_groups_share_the_permitted_miss() -> None:
    alone = made(a=rows(800)).threshold("a")
    shared = made(a=rows(800), b=rows(800, 2), c=rows(800, 3)).threshold("a")
    assert shared <= alone


def test_a_group_that_cannot_be_supported_says_so() -> None:
    _, results = make_artefact(
        {"big": rows(800), "small": rows(10)},
        bound=CalibrationScope(judge="j", policy="p"),
        risk=0.1,
        confidence=0.9,
    )
    assert isinstance(results["small"], Refusal)


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"version":"x"}', b"\xff"])
def test_a_file_that_is_no_calibration_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="not a calibration file"):
        read_artefact(data)


def test_scores_from_the_same_world_raise_no_alarm_and_others_do() -> None:
    artefact = made(all=rows(1000))
    assert not drift(artefact, [one.risk for one in rows(500, 9)]).alarm
    assert drift(artefact, [one.risk**4 for one in rows(500, 9)]).alarm
    with pytest.raises(InputError, match="no live"):
        drift(artefact, [])


def test_the_risk_coverage_curve_ends_at_everything() -> None:
    points = risk_coverage(rows(500))
    assert points[-1].coverage == 1.0
    assert points[-1].error == sum(one.wrong for one in rows(500)) / 500
    assert 0 < area_under(points) < points[-1].error


def test_honest_scores_have_a_small_calibration_error() -> None:
    dice = random.Random(5)
    honest = [
        LabelledScore(risk=(r := dice.random()), wrong=dice.random() < r) for _ in range(20_000)
    ]
    assert calibration_error(reliability(honest)) < 0.02
    assert calibration_error(reliability(rows(20_000))) > 0.1


def test_a_watch_alarms_once_live_scores_have_moved_and_not_before() -> None:
    artefact = made(all=rows(800))
    watch = DriftWatch(artefact, window=100, least=50)
    assert all(watch.see(one.risk) is None for one in rows(49, 5))
    calm = [watch.see(one.risk) for one in rows(200, 6)]
    assert not any(one.alarm for one in calm if one)
    moved = [watch.see(0.999) for _ in range(100)]
    assert moved[-1] is not None
    assert moved[-1].alarm
    with pytest.raises(InputError, match="least"):
        DriftWatch(artefact, window=10, least=20)


def scored(n: int, seed: int = 1) -> list[LabelledScore]:
    """Answers whose support is a fair guess at their truth."""
    return [replace(one, risk=round(one.risk, 6)) for one in rows(n, seed)]


def test_two_thresholds_come_with_a_bound_each_and_in_order() -> None:
    found = calibrate_pair(scored(2000), risk=0.1, regenerate_risk=0.3, confidence=0.95)
    assert isinstance(found, ThresholdPair)
    assert isinstance(found.regenerating, Calibration)
    # Each gets half of the permitted miss, so that both hold at once.
    assert found.proceeding.confidence == pytest.approx(0.975)
    assert found.regenerating.confidence == pytest.approx(0.975)
    assert isinstance(found, ThresholdPair)
    assert 0 <= found.regenerate < found.proceed <= 1
    fresh = scored(20000, 9)
    for threshold, risk in ((found.proceed, 0.1), (found.regenerate, 0.3)):
        accepted = [one for one in fresh if 1 - one.risk >= threshold]
        assert accepted
        assert sum(one.wrong for one in accepted) / len(accepted) <= risk


def test_too_little_data_for_two_thresholds_is_a_refusal_and_not_a_guess() -> None:
    assert isinstance(calibrate_pair(scored(20), risk=0.05), Refusal)
    with pytest.raises(InputError, match="regenerate_risk"):
        calibrate_pair(scored(200), risk=0.5, regenerate_risk=0.5)


def test_a_score_that_knows_nothing_proceeds_nowhere() -> None:
    dice = random.Random(3)
    noise = [LabelledScore(risk=dice.random(), wrong=dice.random() < 0.5) for _ in range(2000)]
    assert isinstance(calibrate_pair(noise, risk=0.1), Refusal)


def test_what_other_rules_hold_back_is_not_counted_as_accepted() -> None:
    free = rows(400)
    held = [replace(one, held=True, wrong=False, risk=0.0) for one in rows(400, 2)]
    alone, both = calibrate(free, risk=0.1), calibrate([*free, *held], risk=0.1)
    assert isinstance(alone, Calibration)
    assert isinstance(both, Calibration)
    assert both.threshold == alone.threshold
    assert both.accepted == alone.accepted
    assert both.coverage == alone.coverage / 2


def test_two_thresholds_survive_their_file() -> None:
    artefact, _ = make_pair_artefact(
        {"": scored(2000)},
        bound=CalibrationScope(judge="j", policy="p"),
        risk=0.1,
        regenerate_risk=0.4,
        confidence=0.95,
    )
    assert artefact is not None
    again = read_artefact(artefact.to_bytes())
    assert again == artefact
    assert again.regenerate_from() < again.threshold()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("thresholds", [["", "nan"]]), ("thresholds", [["", "inf"]]), ("thresholds", []),
        ("thresholds", [["", "0.100000"], ["", "0.900000"]]), ("thresholds", [[5, "0.100000"]]),
        ("regenerate", [["", "-1.000000"]]), ("score", "support"), ("judge", 5), ("total", 0),
        ("total", -4), ("total", "x"), ("total", True), ("sources", 0), ("sources", None), ("quantiles", []), ("quantiles", ["0.5"]),
        ("quantiles", ["1.0", "0.0"]), ("quantiles", ["nan"] * 21), ("risk", "7.0"),
        ("risk", True), ("confidence", "nan"), ("bonus", 1),
    ],
)  # fmt: skip
def test_a_file_that_somebody_bent_is_no_calibration(key: str, value: Any) -> None:
    rows = [LabelledScore(risk=i / 1000, wrong=i > 900) for i in range(1000)]
    made, _ = make_artefact(
        {"": rows}, bound=CalibrationScope(judge="j", policy="p"), risk=0.1, confidence=0.95
    )
    assert made is not None
    whole = json.loads(made.to_bytes())
    assert read_artefact(canonical(whole)) == made
    with pytest.raises(InputError, match="not a calibration file"):
        read_artefact(canonical({**whole, key: value}))


def test_a_live_score_that_is_no_number_is_refused_rather_than_compared() -> None:
    rows = [LabelledScore(risk=i / 1000, wrong=i > 900) for i in range(1000)]
    made, _ = make_artefact(
        {"": rows}, bound=CalibrationScope(judge="j", policy="p"), risk=0.1, confidence=0.95
    )
    assert made is not None
    for wrong in (float("nan"), float("inf"), -0.5):
        with pytest.raises(InputError, match="live score"):
            drift(made, [0.5, wrong])


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_file_of_an_earlier_search_is_refused_with_what_to_do(version: str) -> None:
    whole = json.loads(made(all=rows(800)).to_bytes())
    old = {key: value for key, value in whole.items() if key != "sources"}
    with pytest.raises(InputError, match="calibrate again on the same answers"):
        read_artefact(canonical({**old, "version": f"firmground.calibration.{version}"}))


def in_sources(n: int, each: int, seed: int = 1) -> list[LabelledScore]:
    """Answers that score the same as the others of their source."""
    return [
        replace(one, source=str(at)) for at, one in enumerate(rows(n, seed)) for _ in range(each)
    ]


def test_a_file_holds_how_many_draws_the_answers_were_and_which() -> None:
    apart, together = made(all=rows(800)), made(all=in_sources(400, 2))
    assert (apart.sources, apart.total) == (800, 800)
    assert (together.sources, together.total) == (400, 800)
    assert read_artefact(together.to_bytes()).sources == 400
    parted = made(all=[replace(one, source="") for one in in_sources(400, 2)])
    assert parted.data != together.data


def test_answers_that_score_alike_do_not_make_chance_look_like_drift() -> None:
    artefact = made(all=in_sources(600, 5))
    live = [one.risk for one in rows(3000, 9)]
    assert not drift(artefact, live).alarm
    blind = replace(artefact, sources=artefact.total)
    assert drift(artefact, live).allowed > drift(blind, live).allowed


def test_the_threshold_in_the_file_is_the_one_that_was_tested() -> None:
    artefact, results = make_artefact(
        {"": rows(800)}, bound=CalibrationScope(judge="j", policy="p"), risk=0.1, confidence=0.95
    )
    assert artefact is not None
    tested = results[""]
    assert isinstance(tested, Calibration)
    assert read_artefact(artefact.to_bytes()).threshold() == tested.threshold


def test_two_thresholds_accept_exactly_what_was_tested() -> None:
    known = scored(2000)
    found = calibrate_pair(known, risk=0.1, regenerate_risk=0.2)
    assert isinstance(found, ThresholdPair)
    assert found.regenerate > 0.05
    assert isinstance(found.regenerating, Calibration)
    for limit, tested in (
        (found.proceed, found.proceeding),
        (found.regenerate, found.regenerating),
    ):
        live = [round(1 - one.risk, 6) >= limit for one in known]
        assert live == [one.accepted_at(tested.threshold) for one in known]
