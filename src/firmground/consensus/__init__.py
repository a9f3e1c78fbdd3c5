"""Do other model families agree? References, votes on every claim, targeted mending (Finch-Zk)."""

from __future__ import annotations

from firmground.consensus.check import cross_check, light_check, plan_check
from firmground.consensus.nouns import (
    Block,
    Consensus,
    Correction,
    Label,
    Peer,
    Sample,
    Settings,
    Vote,
)
from firmground.consensus.tier import BY_LENGTH, BY_RISK, Tier, TierFacts, choose_tier, facts_about

__all__ = [
    "BY_LENGTH",
    "BY_RISK",
    "Block",
    "Consensus",
    "Correction",
    "Label",
    "Peer",
    "Sample",
    "Settings",
    "Tier",
    "TierFacts",
    "Vote",
    "choose_tier",
    "cross_check",
    "facts_about",
    "light_check",
    "plan_check",
]
