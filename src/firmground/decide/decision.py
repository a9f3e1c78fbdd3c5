"""The harshest objection wins, and all of them are kept."""

from __future__ import annotations

from collections.abc import Iterable

from firmground.core.decision import Decision, Objection, Step
from firmground.core.finding import Findings
from firmground.decide.policy import Policy
from firmground.decide.rule import Rule


def decide(findings: Findings, rules: Policy | Iterable[Rule]) -> Decision:
    """Decide what to do with an answer, from what was found out and nothing else.

    Bare rules are a policy named ``custom``; no rules at all is an error.
    """
    policy = rules if isinstance(rules, Policy) else Policy(name="custom", rules=tuple(rules))
    raised = [o for rule in policy.rules for o in rule.object_to(findings)]
    standing = tuple(sorted((o for o in raised if o.rule not in policy.waived), key=_harshest))
    return Decision(
        step=max((objection.step for objection in standing), default=Step.PROCEED),
        objections=standing,
        policy=policy.name,
        policy_digest=policy.digest,
        waived=tuple(sorted((o for o in raised if o.rule in policy.waived), key=_harshest)),
    )


def _harshest(objection: Objection) -> tuple[int, str, tuple[int, ...], str]:
    return -objection.step, objection.rule, objection.claims, objection.reason
