"""The decision about one answer: the verdict, the step to take, and every objection."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Step(IntEnum):
    """What to do with an answer, from the mildest to the harshest.

    >>> max(Step.PROCEED, Step.REPLAN).label
    'replan'
    """

    PROCEED = 0
    REGENERATE = 1
    REPLAN = 2
    ABSTAIN = 3

    @property
    def label(self) -> str:
        """The lower-case name used in files and output."""
        return self.name.lower()


class Verdict(StrEnum):
    """Whether the answer stands on its evidence: yes, no, or it could not be established.

    >>> Verdict("stands") is Verdict.STANDS
    True
    """

    STANDS = "stands"
    DOES_NOT_STAND = "does_not_stand"
    COULD_NOT_TELL = "could_not_tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """What one rule holds against an answer: the step it asks for and the reason."""

    rule: str
    step: Step
    reason: str
    claims: tuple[int, ...] = ()
    """Positions in ``Findings.assessments`` it speaks about."""
    could_not_check: bool = False
    """True when the rule objects because something could not be found out."""
    fault: bool = False
    """True when a required outside party could not be asked; no policy can waive it."""
    escalate: bool | None = None
    """Whether a person must decide about it; None leaves it to the policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to do with an answer, whether it stands, and every objection raised against it.

    >>> import firmground
    >>> decision = firmground.check("It rained.", "It rained.", judge="lexical").decision
    >>> decision.step.label, str(decision.verdict), decision.released
    ('proceed', 'stands', True)
    """

    step: Step
    """The harshest step among the objections that were not waived."""
    verdict: Verdict
    """Whether the answer stands; waived objections count, so ``advisory`` cannot hide a failure."""
    objections: tuple[Objection, ...]
    policy: str
    """Name of the policy."""
    policy_digest: str
    """SHA-256 of the policy's canonical form."""
    waived: tuple[Objection, ...] = ()
    """Objections that the policy waives by name; always shown, and part of the verdict."""

    @property
    def released(self) -> bool:
        """True when the answer may be used: no objection is left that was not waived."""
        return self.step is Step.PROCEED
