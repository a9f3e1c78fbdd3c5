"""Every figure that compares a statement with its evidence without a trained network."""

from __future__ import annotations

from typing import Final

from firmground.verify.alignment import ALIGNMENT, alignment
from firmground.verify.checks.case import Case
from firmground.verify.checks.derivation import derivations
from firmground.verify.derive import FEATURE_NAMES, summary_features

COMPARISON: Final = (*ALIGNMENT, *(f"derived_{name}" for name in FEATURE_NAMES))


def comparison(case: Case) -> tuple[float, ...]:
    """Give how the words line up and what became of the quantities, in the order of COMPARISON."""
    return (*alignment(case), *summary_features(derivations(case)))
