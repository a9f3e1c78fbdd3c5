"""Measures how far an answer changes without its evidence; never judges."""

from __future__ import annotations

from firmground.probe.answering import WATCHES, AnswerPlan, measure_answer, plan_answer
from firmground.probe.arms import Arm, ArmKind
from firmground.probe.claimwise import measure_claims
from firmground.probe.measure import measure_choice, measure_free
from firmground.probe.plan import Plan, plan_probe
from firmground.probe.profile import DEFAULT, FIREWALL, PROFILES, ProbeProfile

__all__ = [
    "DEFAULT",
    "FIREWALL",
    "PROFILES",
    "WATCHES",
    "AnswerPlan",
    "Arm",
    "ArmKind",
    "Plan",
    "ProbeProfile",
    "measure_answer",
    "measure_choice",
    "measure_claims",
    "measure_free",
    "plan_answer",
    "plan_probe",
]
