"""The order of stages, from a request to an outcome with its record; nothing else knows it."""

from __future__ import annotations

from firmground.pipeline.check import BoundJudge, CheckPlan, CheckState, Stage, check_plan
from firmground.pipeline.outcome import Outcome
from firmground.pipeline.request import Mode, Request

__all__ = [
    "BoundJudge",
    "CheckPlan",
    "CheckState",
    "Mode",
    "Outcome",
    "Request",
    "Stage",
    "check_plan",
]
