"""Names the stage in which a run failed."""

from __future__ import annotations

from dataclasses import dataclass, fields

from firmground.core.claim import Standing
from firmground.core.decision import Decision, Verdict
from firmground.core.finding import Findings
from firmground.core.run import Stage
from firmground.errors import InputError

FAILURE_STAGES = (
    Stage.PREFLIGHT,
    Stage.RETRIEVAL,
    Stage.CONTEXT,
    Stage.PROMPT,
    Stage.ANSWER,
    Stage.VERIFY,
)
"""The labels, in the order of the run. The first stage that failed is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What must be known about a run to say where it went wrong."""

    holds: bool
    """Whether the answer stands."""
    blocked: bool = False
    """Whether the question was turned away before anything was looked for."""
    retrieved: int = 0
    """Passages that were found and admitted."""
    in_context: int = 0
    """Those of them that were chosen as evidence."""
    in_prompt: int = 0
    """Those of them that really were sent to the model."""
    claims: int = 0
    """Claims, quotations or pointers in the answer that can be checked."""
    standing: int = 0
    """Those of them that stand."""
    unchecked: int = 0
    """Those of them that could not be checked."""

    def __post_init__(self) -> None:
        for item in fields(self):
            if getattr(self, item.name) < 0:
                raise InputError(f"{item.name} must not be negative")
        if not self.in_prompt <= self.in_context <= self.retrieved:
            raise InputError(
                "need in_prompt <= in_context <= retrieved, got "
                f"{self.in_prompt}, {self.in_context}, {self.retrieved}"
            )
        if self.standing + self.unchecked > self.claims:
            raise InputError(
                f"{self.standing} standing and {self.unchecked} unchecked claims "
                f"are more than all {self.claims}"
            )


def localize_failure(facts: RunFacts) -> Stage | None:
    """Name the stage that introduced the failure; None exactly when the answer holds.

    - ``preflight``: the question was turned away. Repair the question.
    - ``retrieval``: nothing was found. Take in more sources or search wider.
    - ``context``: what was found was not chosen, or was cut and nothing could be cited.
    - ``prompt``: chosen evidence did not reach the model. Mind the prompt's budget.
    - ``answer``: the model said nothing that can be checked, or something that does not stand.
    - ``verify``: no claim was refuted. The check could not be made, or was stricter than the
      claims: look at the verifier and its policy.
    """
    if facts.holds:
        return None
    cut = facts.in_context < facts.retrieved
    failed = (
        (Stage.PREFLIGHT, facts.blocked),
        (Stage.RETRIEVAL, facts.retrieved == 0),
        (Stage.CONTEXT, facts.in_context == 0 or (cut and facts.claims == 0)),
        (Stage.PROMPT, facts.in_prompt < facts.in_context),
        (Stage.ANSWER, facts.claims == 0 or facts.standing + facts.unchecked < facts.claims),
    )
    return next((stage for stage, here in failed if here), Stage.VERIFY)


def failure_stage(findings: Findings, decision: Decision, *, evidence: int) -> str | None:
    """Return the first failing stage of a run with an answer; None when the answer stands."""
    checkable = [a.standing for a in findings.assessments if a.claim.checkable]
    found = localize_failure(
        RunFacts(
            holds=decision.verdict is Verdict.STANDS,
            retrieved=evidence,
            in_context=evidence,
            in_prompt=evidence,
            claims=len(checkable),
            standing=sum(standing.stands for standing in checkable),
            unchecked=checkable.count(Standing.UNVERIFIABLE),
        )
    )
    return None if found is None else str(found)
