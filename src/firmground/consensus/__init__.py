"""Cross-check by other model families: references, votes on claims, targeted repair (Finch-Zk)."""

from __future__ import annotations

from firmground.consensus.check import cross_check, light_check, plan_check
from firmground.consensus.model import (
    ClaimVotes,
    Consensus,
    ConsensusLabel,
    ConsensusSettings,
    Peer,
    Sample,
    Vote,
)
from firmground.consensus.task import TASKS, by_task
from firmground.consensus.tier import (
    BY_LENGTH,
    BY_RISK,
    Tier,
    TierFacts,
    TierProfile,
    choose_tier,
    facts_about,
)

__all__ = [
    "BY_LENGTH",
    "BY_RISK",
    "TASKS",
    "ClaimVotes",
    "Consensus",
    "ConsensusLabel",
    "ConsensusSettings",
    "Peer",
    "Sample",
    "Tier",
    "TierFacts",
    "TierProfile",
    "Vote",
    "by_task",
    "choose_tier",
    "cross_check",
    "facts_about",
    "light_check",
    "plan_check",
]
