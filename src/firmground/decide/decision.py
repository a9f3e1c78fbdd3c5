"""Decide about one answer from its findings: the step to take and the verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from firmground.core.claim import Standing
from firmground.core.decision import Decision, Objection, Step, Verdict
from firmground.core.finding import Fault, FaultKind, Findings
from firmground.decide.policy import Policy
from firmground.decide.rule import Rule
from firmground.decide.rules import RULES
from firmground.decide.rules.run import Faulted

_FALLEN = {Standing.UNGROUNDED, Standing.CONTRADICTED}
_SUMMARIES = frozenset(rule.name for rule in RULES if "support" in rule.reads)


def decide(
    findings: Findings,
    rules: Policy | Iterable[Rule],
    *,
    only: Collection[str] | None = None,
    without: Collection[str] = (),
) -> Decision:
    """Decide what to do with an answer, from the findings alone.

    ``rules`` is a policy; bare rules become a policy named ``custom``, and no rules at all is an
    error. ``only`` and ``without`` name the rules that apply, for a run that ended before there
    was an answer. A fault is objected to under every policy and cannot be waived.
    """
    policy = rules if isinstance(rules, Policy) else Policy(name="custom", rules=tuple(rules))
    applied = [
        r for r in policy.rules if (only is None or r.name in only) and r.name not in without
    ]
    raised = [o for rule in applied for o in rule.object_to(findings)]
    raised += Faulted().object_to(Findings(faults=_faults_nobody_reads(findings, applied)))
    waived = [o for o in raised if o.rule in policy.waived and not o.fault]
    objections = [o for o in raised if o not in waived]
    return Decision(
        step=max((objection.step for objection in objections), default=Step.PROCEED),
        verdict=_verdict(findings, raised),
        objections=tuple(sorted(objections, key=_harshest)),
        policy=policy.name,
        policy_digest=policy.digest,
        waived=tuple(sorted(waived, key=_harshest)),
    )


def _faults_nobody_reads(findings: Findings, rules: Iterable[Rule]) -> tuple[Fault, ...]:
    """Faults in findings that no applied rule looks at; leaving a rule out does not waive them."""
    read = {name for rule in rules for name in rule.reads}
    found: list[object] = []
    for name in ("faults", "hooks", "dependence", "agreement"):
        value = getattr(findings, name)
        if name not in read:
            found += value if isinstance(value, tuple) else [value]
    return tuple(
        one for one in found if isinstance(one, Fault) and one.kind is not FaultKind.NOT_APPLICABLE
    )


def _verdict(findings: Findings, raised: Iterable[Objection]) -> Verdict:
    known = [_is_known(objection, findings) for objection in raised]
    if not known:
        return Verdict.STANDS
    return Verdict.DOES_NOT_STAND if any(known) else Verdict.COULD_NOT_TELL


def _is_known(objection: Objection, findings: Findings) -> bool:
    """True when an objection rests on something that was found, not on something left open."""
    if objection.could_not_check or objection.step is Step.PROCEED:
        return False
    standings = {a.standing for a in findings.assessments}
    if Standing.UNVERIFIABLE not in standings or standings & _FALLEN:
        return True
    # No claim failed a check, so a summary over the claims is low only for lack of checks.
    about = {findings.assessments[at].standing for at in objection.claims}
    return objection.rule not in _SUMMARIES and about != {Standing.UNVERIFIABLE}


def _harshest(objection: Objection) -> tuple[int, str, tuple[int, ...], str]:
    return -objection.step, objection.rule, objection.claims, objection.reason
