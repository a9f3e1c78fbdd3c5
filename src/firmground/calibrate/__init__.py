"""Which threshold keeps the risk I accept? Labelled scores in, a threshold with a bound out."""

from __future__ import annotations

from firmground.calibrate.threshold import Calibration, Labelled, Refusal, calibrate

__all__ = ["Calibration", "Labelled", "Refusal", "calibrate"]
