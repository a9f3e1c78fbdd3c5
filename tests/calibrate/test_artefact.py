"""A calibration speaks only about what it was made with."""

from __future__ import annotations

import random

import pytest

from firmground.calibrate import (
    Artefact,
    Labelled,
    Refusal,
    area_under,
    calibration_error,
    drift,
    make_artefact,
    read_artefact,
    reliability,
    risk_coverage,
)
from firmground.errors import InputError


def rows(n: int, seed: int = 1) -> list[Labelled]:
    dice = random.Random(seed)
    return [Labelled(risk=(r := dice.random()), wrong=dice.random() < r**3) for _ in range(n)]


def made(**groups: list[Labelled]) -> Artefact:
    artefact, _ = make_artefact(groups, judge="j", policy="p", risk=0.1, confidence=0.9)
    assert artefact is not None
    return artefact


def test_a_calibration_survives_its_file() -> None:
    artefact = made(all=rows(800))
    again = read_artefact(artefact.to_bytes())
    assert again.thresholds == artefact.thresholds
    assert again.to_bytes() == artefact.to_bytes()


def test_another_judge_or_policy_is_refused() -> None:
    artefact = made(all=rows(800))
    artefact.require(judge="j", policy="p")
    with pytest.raises(InputError, match="judge"):
        artefact.require(judge="other", policy="p")
    with pytest.raises(InputError, match="policy"):
        artefact.require(judge="j", policy="other")


def test_a_group_nobody_calibrated_has_no_threshold() -> None:
    with pytest.raises(InputError, match="'b'"):
        made(a=rows(800)).threshold("b")


def test_groups_share_the_permitted_miss() -> None:
    alone = made(a=rows(800)).threshold("a")
    shared = made(a=rows(800), b=rows(800, 2), c=rows(800, 3)).threshold("a")
    assert shared <= alone


def test_a_group_that_cannot_be_supported_says_so() -> None:
    _, results = make_artefact(
        {"big": rows(800), "small": rows(10)}, judge="j", policy="p", risk=0.1, confidence=0.9
    )
    assert isinstance(results["small"], Refusal)


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"version":"x"}', b"\xff"])
def test_a_file_that_is_no_calibration_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="no calibration file"):
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
    honest = [Labelled(risk=(r := dice.random()), wrong=dice.random() < r) for _ in range(20_000)]
    assert calibration_error(reliability(honest)) < 0.02
    assert calibration_error(reliability(rows(20_000))) > 0.1
