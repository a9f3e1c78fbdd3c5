"""Calibration: labelled scores in, a threshold with a bound on its error out."""

from __future__ import annotations

from firmground.calibrate.artefact import (
    Artefact,
    CalibrationScope,
    Drift,
    DriftWatch,
    drift,
    make_artefact,
    make_pair_artefact,
    read_artefact,
)
from firmground.calibrate.curve import (
    Bin,
    Point,
    area_under,
    calibration_error,
    reliability,
    risk_coverage,
)
from firmground.calibrate.labelled import LabelledScore
from firmground.calibrate.threshold import Calibration, Refusal, calibrate
from firmground.calibrate.two_thresholds import ThresholdPair, calibrate_pair

__all__ = [
    "Artefact",
    "Bin",
    "Calibration",
    "CalibrationScope",
    "Drift",
    "DriftWatch",
    "LabelledScore",
    "Point",
    "Refusal",
    "ThresholdPair",
    "area_under",
    "calibrate",
    "calibrate_pair",
    "calibration_error",
    "drift",
    "make_artefact",
    "make_pair_artefact",
    "read_artefact",
    "reliability",
    "risk_coverage",
]
