"""Does the answer move without its evidence? A measurement, never a judgement."""

from __future__ import annotations

from firmground.probe.answering import WATCHES, AnswerPlan, measure_answer, plan_answer
from firmground.probe.arms import Arm, ArmKind
from firmground.probe.claimwise import measure_claims
from firmground.probe.measure import measure_choice, measure_free
from firmground.probe.plan import Plan, plan_probe
from firmground.probe.profile import DEFAULT, FIREWALL, PROFILES, Profile

__all__ = [
    "DEFAULT",
    "FIREWALL",
    "PROFILES",
    "WATCHES",
    "AnswerPlan",
    "Arm",
    "ArmKind",
    "Plan",
    "Profile",
    "measure_answer",
    "measure_choice",
    "measure_claims",
    "measure_free",
    "plan_answer",
    "plan_probe",
]
