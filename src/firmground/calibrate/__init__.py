"""Which threshold keeps the risk I accept? Labelled scores in, a threshold with a bound out."""

from __future__ import annotations

from firmground.calibrate.artefact import (
    Artefact,
    Bound,
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
from firmground.calibrate.labelled import Labelled
from firmground.calibrate.pair import Pair, calibrate_pair
from firmground.calibrate.threshold import Calibration, Refusal, calibrate

__all__ = [
    "Artefact",
    "Bin",
    "Bound",
    "Calibration",
    "Drift",
    "DriftWatch",
    "Labelled",
    "Pair",
    "Point",
    "Refusal",
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
