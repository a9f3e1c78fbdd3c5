"""What next, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Step(IntEnum):
    """What to do with an answer, from the mildest to the harshest."""

    PROCEED = 0
    REGENERATE = 1
    REPLAN = 2
    ABSTAIN = 3

    @property
    def label(self) -> str:
        """The lower-case name used in files and output."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """One rule's complaint: what it asks for and on account of what."""

    rule: str
    step: Step
    reason: str
    claims: tuple[int, ...] = ()
    """Positions in ``Findings.assessments`` it speaks about."""
    could_not_check: bool = False
    """True when the rule objects because something could not be found out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The harshest objection, with all of them kept."""

    step: Step
    objections: tuple[Objection, ...]
    policy: str
    """Name of the policy."""
    policy_digest: str
    """SHA-256 of the policy's canonical form."""
    waived: tuple[Objection, ...] = ()
    """Objections that the policy lets pass by name; always shown."""
