"""Which threshold keeps the risk I accept? Labelled scores in, a threshold with a bound out."""

from __future__ import annotations

from firmground.calibrate.artefact import Artefact, Drift, drift, make_artefact, read_artefact
from firmground.calibrate.curve import (
    Bin,
    Point,
    area_under,
    calibration_error,
    reliability,
    risk_coverage,
)
from firmground.calibrate.threshold import Calibration, Labelled, Refusal, calibrate

__all__ = [
    "Artefact",
    "Bin",
    "Calibration",
    "Drift",
    "Labelled",
    "Point",
    "Refusal",
    "area_under",
    "calibrate",
    "calibration_error",
    "drift",
    "make_artefact",
    "read_artefact",
    "reliability",
    "risk_coverage",
]
