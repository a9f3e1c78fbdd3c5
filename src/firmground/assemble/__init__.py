"""Which ones are we using? From settings to parts, and the calls most people need."""

from __future__ import annotations

from firmground.assemble.checks import acheck, check, check_request
from firmground.assemble.keeping import keep, opened_ledger
from firmground.assemble.many import BatchWork, Failure, check_many, recorded
from firmground.assemble.parts import DEFAULT_JUDGE, DEFAULT_POLICY, JUDGES, parts_for

__all__ = [
    "DEFAULT_JUDGE",
    "DEFAULT_POLICY",
    "JUDGES",
    "BatchWork",
    "Failure",
    "acheck",
    "check",
    "check_many",
    "check_request",
    "keep",
    "opened_ledger",
    "parts_for",
    "recorded",
]
