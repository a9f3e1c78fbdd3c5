"""The order of stages, from a request to an outcome with its record; nothing else knows it."""

from __future__ import annotations

from firmground.pipeline.check import BoundJudge, CheckPlan, CheckStage, CheckState, check_plan
from firmground.pipeline.outcome import CheckOutcome
from firmground.pipeline.request import Mode, Request

__all__ = [
    "BoundJudge",
    "CheckOutcome",
    "CheckPlan",
    "CheckStage",
    "CheckState",
    "Mode",
    "Request",
    "check_plan",
]
