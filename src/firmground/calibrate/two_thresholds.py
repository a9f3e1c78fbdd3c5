"""GSAR's two thresholds from labelled answers, each with its own bound.

``proceed``: of the answers that score at least so much, at most ``risk`` are wrong. ``regenerate``:
of those that score at least so much, at most ``regenerate_risk`` are wrong, so that an answer in
between is more likely worth another wording than another search. Each threshold gets half of the
permitted miss, so both statements hold at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmground.calibrate.labelled import LabelledScore
from firmground.calibrate.pilot import FINEST
from firmground.calibrate.threshold import Calibration, Refusal, calibrate
from firmground.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdPair:
    """Proceed from one support score on, regenerate from another, replan below."""

    proceed: float
    regenerate: float
    proceeding: Calibration
    regenerating: Calibration | Refusal
    """A refusal here means that no band for rewording could be shown: it is then empty."""


def calibrate_pair(
    labelled: Sequence[LabelledScore],
    *,
    risk: float,
    regenerate_risk: float = 0.5,
    confidence: float = 0.95,
) -> ThresholdPair | Refusal:
    """Find both thresholds on the support score, given as ``risk = 1 - support``."""
    if not risk < regenerate_risk < 1:
        raise InputError(f"need risk < regenerate_risk < 1, got {risk} and {regenerate_risk}")
    share = 1 - (1 - confidence) / 2
    proceeding = calibrate(labelled, risk=risk, confidence=share)
    if isinstance(proceeding, Refusal):
        return proceeding
    regenerating = calibrate(labelled, risk=regenerate_risk, confidence=share)
    proceed = round(1 - proceeding.threshold, 6)
    regenerate = proceed - FINEST
    if isinstance(regenerating, Calibration):
        regenerate = min(regenerate, 1 - regenerating.threshold)
    return ThresholdPair(
        proceed=proceed,
        regenerate=max(0.0, round(regenerate, 6)),
        proceeding=proceeding,
        regenerating=regenerating,
    )
