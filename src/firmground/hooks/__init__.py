"""Runs hooks concurrently under enforced deadlines."""

from __future__ import annotations

from firmground.hooks.breaker import BreakerPolicy, Breakers, BreakerState, Circuit
from firmground.hooks.engine import HookEngine
from firmground.hooks.isolated import IsolatedHook
from firmground.hooks.registered import Phase, Registered
from firmground.hooks.reply import reply_evidence
from firmground.hooks.summary import HookSummary, summarise
from firmground.hooks.workers import WorkerLimits

__all__ = [
    "BreakerPolicy",
    "BreakerState",
    "Breakers",
    "Circuit",
    "HookEngine",
    "HookSummary",
    "IsolatedHook",
    "Phase",
    "Registered",
    "WorkerLimits",
    "reply_evidence",
    "summarise",
]
