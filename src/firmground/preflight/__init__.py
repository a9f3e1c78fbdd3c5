"""Inspects a question before it is asked, from its words alone."""

from __future__ import annotations

from firmground.preflight.inspection import inspect_question
from firmground.preflight.payload import (
    PolicyRefs,
    empty_preflight_payload,
    preflight_payload,
)
from firmground.preflight.quantifier import Quantifier, QuantifierLevel, claim_cap, classify
from firmground.preflight.role import RoleCheck, check_role, with_role
from firmground.preflight.settings import PreflightSettings, Tri
from firmground.preflight.state import QuestionState, State, read_state

__all__ = [
    "PolicyRefs",
    "PreflightSettings",
    "Quantifier",
    "QuantifierLevel",
    "QuestionState",
    "RoleCheck",
    "State",
    "Tri",
    "check_role",
    "claim_cap",
    "classify",
    "empty_preflight_payload",
    "inspect_question",
    "preflight_payload",
    "read_state",
    "with_role",
]
