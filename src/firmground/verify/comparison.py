"""Every figure that compares a statement with its evidence without a trained network."""

from __future__ import annotations

from typing import Final

from firmground.verify.alignment import ALIGNMENT, alignment
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.derivation import derivations
from firmground.verify.checks.framed import FRAMING_FEATURES, framing_features
from firmground.verify.derive import FEATURE_NAMES, summary_features

COMPARISON: Final = (
    *ALIGNMENT,
    *(f"derived_{name}" for name in FEATURE_NAMES),
    *FRAMING_FEATURES,
)


def comparison(case: CheckCase) -> tuple[float, ...]:
    """Return the figures of word alignment, quantities and framings, in COMPARISON's order."""
    return (*alignment(case), *summary_features(derivations(case)), *framing_features(case))
