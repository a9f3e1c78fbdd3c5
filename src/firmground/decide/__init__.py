"""Decides whether an answer may be released: a pure function of findings and rules."""

from __future__ import annotations

from firmground.core.decision import Objection
from firmground.decide.decision import decide
from firmground.decide.policy import ADVISORY, BALANCED, POLICIES, STRICT, Policy
from firmground.decide.rule import Rule
from firmground.decide.rules import RULES

__all__ = [
    "ADVISORY",
    "BALANCED",
    "POLICIES",
    "RULES",
    "STRICT",
    "Objection",
    "Policy",
    "Rule",
    "decide",
]
