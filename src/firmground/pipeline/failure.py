"""Which stage of a run failed first, from what was found out."""

from __future__ import annotations

from firmground.core.claim import Standing
from firmground.core.decision import Decision, Verdict
from firmground.core.finding import Findings
from firmground.core.localize import RunFacts, localize_failure


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
