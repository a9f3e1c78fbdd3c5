"""Works out what can be worked out: each quantity of a statement against the evidence."""

from __future__ import annotations

from firmground.verify.derive.engine import derive
from firmground.verify.derive.facts import Facts, UnitLike, read_facts
from firmground.verify.derive.features import FEATURE_NAMES, summary_features
from firmground.verify.derive.model import Derivation, DerivationOutcome, Limit, Operand, Value
from firmground.verify.derive.read import values

__all__ = [
    "FEATURE_NAMES",
    "Derivation",
    "DerivationOutcome",
    "Facts",
    "Limit",
    "Operand",
    "UnitLike",
    "Value",
    "derive",
    "read_facts",
    "summary_features",
    "values",
]
