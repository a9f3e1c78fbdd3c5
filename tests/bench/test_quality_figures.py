"""The figures that `make bench-quality` prints are what their names say."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET

import pytest
from benchmarks._reliability import Curve, reliability_svg
from benchmarks.quality_pairs import balanced, difference, tuned


def test_an_honest_forecaster_has_almost_no_calibration_error_and_a_boaster_has() -> None:
    dice = random.Random(2)
    told = [dice.random() for _ in range(20_000)]
    honest = Curve(name="a", colour="#000", pairs=[(p, dice.random() < p) for p in told])
    boaster = Curve(name="b", colour="#000", pairs=[(p, dice.random() < p / 2) for p in told])
    assert honest.error() < 0.02
    assert boaster.error() == pytest.approx(0.25, abs=0.02)
    assert len(honest.points()) == 10


def test_the_picture_is_sound_xml_with_a_panel_and_a_legend_for_each() -> None:
    curve = Curve(name="judge", colour="#06c", pairs=[(0.1, False), (0.9, True)])
    picture = reliability_svg([("Claims", [curve]), ("Answers", [curve])])
    drawn = ET.fromstring(picture)
    texts = [node.text for node in drawn.iter() if node.tag.endswith("text")]
    assert texts.count("judge: ECE 0.100, n = 2") == 2
    assert "Claims" in texts


def test_balanced_accuracy_counts_both_kinds_alike() -> None:
    truth = [True] + [False] * 9
    assert balanced([False] * 10, truth) == 0.5
    assert balanced(truth, truth) == 1.0
    scores = [0.9, 0.8, 0.1, 0.2] * 10
    assert tuned(scores, [True, True, False, False] * 10) == 1.0


def test_two_judges_that_say_the_same_do_not_differ() -> None:
    truth = [True, False] * 20
    assert difference(truth, truth, truth) == (0.0, 0.0)
    low, high = difference([False] * 40, truth, truth)
    assert low == high == 0.5
