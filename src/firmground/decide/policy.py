"""Named sets of rules, each with a digest that says exactly which rules and parameters it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from typing import Any

from firmground.core.canon import Value, canonical, decimal, digest
from firmground.core.decision import Decision, Objection, Step
from firmground.core.finding import CitationStatus
from firmground.core.hard_fact import CRITICALITY
from firmground.core.scoring import Scoring
from firmground.decide.rule import Rule
from firmground.decide.rules import (
    BlindDependence,
    BudgetSpent,
    CitationViolations,
    Contradiction,
    Corroboration,
    CouldNotCheck,
    CriticalClaimUnsupported,
    Disagreement,
    DoubtfulJudges,
    FailedHooks,
    Faulted,
    HighRisk,
    NoClaims,
    Overruled,
    PreflightObjects,
    StaleEvidence,
    SuspiciousTexts,
    ThinSupport,
    UncoveredAnswer,
    UngroundedClaim,
    UnreadEvidence,
)
from firmground.errors import InputError

_TAG = "firmground.policy.v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules under a name; an empty policy would let everything pass and is refused.

    >>> from firmground.decide.rules import Contradiction, Faulted
    >>> Policy(name="own", rules=(Contradiction(), Faulted())).name
    'own'
    """

    name: str
    rules: tuple[Rule, ...]
    waived: tuple[str, ...] = ()
    """Names of rules whose objections are shown and do not decide; a fault is never waived."""
    escalate: tuple[str, ...] = ()
    """Names of rules whose objections a person must decide, once repair has not helped."""
    scoring: Scoring = Scoring()  # noqa: RUF009 - frozen
    """How support is scored: profile, rho, weights of types, types of roles."""
    digest: str = field(init=False, compare=False, repr=False)
    """SHA-256 of the policy's canonical form; the name is not part of it."""

    def __post_init__(self) -> None:
        if not self.rules:
            raise InputError(f"policy {self.name!r} has no rules; a policy needs at least one")
        self._known("waives", self.waived)
        if Faulted.name in self.waived:
            raise InputError(
                f"policy {self.name!r} waives {Faulted.name}: a fault cannot be waived"
            )
        self._known("escalates", self.escalate)
        both = sorted({*self.waived} & {*self.escalate})
        if both:
            listed = ", ".join(both)
            raise InputError(f"policy {self.name!r} both waives and escalates: {listed}")
        object.__setattr__(self, "digest", digest(_TAG, canonical(self.canonical())).hex())

    def _known(self, does: str, names: tuple[str, ...]) -> None:
        unknown = set(names) - {rule.name for rule in self.rules}
        if unknown:
            listed = ", ".join(sorted(unknown))
            raise InputError(f"policy {self.name!r} {does} rules it does not have: {listed}")

    def canonical(self) -> dict[str, Value]:
        """The rules with all their parameters, as a value with one canonical form."""
        rules: list[Value] = [_rule_value(rule) for rule in self.rules]
        waived: list[Value] = [*sorted(self.waived)]
        escalate: list[Value] = [*sorted(self.escalate)]
        made: dict[str, Value] = {"rules": rules, "waived": waived, "escalate": escalate}
        if self.scoring != Scoring():
            made["scoring"] = {
                "profile": self.scoring.profile,
                "rho": decimal(self.scoring.effective_rho),
                "weights": [_value(pair) for pair in self.scoring.weights],
                "roles": [_value(pair) for pair in self.scoring.roles],
            }
        return made

    @property
    def criticality(self) -> tuple[tuple[str, float], ...]:
        """How much each kind of hard fact weighs, in the rule about them and in the score."""
        found = [r.weights for r in self.rules if isinstance(r, CriticalClaimUnsupported)]
        return found[0] if found else CRITICALITY

    def for_a_person(self, decision: Decision) -> tuple[Objection, ...]:
        """The objections a person must decide: by the policy, or by what the objection says."""
        return tuple(
            o
            for o in decision.objections
            if (o.rule in self.escalate if o.escalate is None else o.escalate)
        )

    def with_rules(self, *rules: Rule) -> Policy:
        """The same policy with further rules, which can only harden it."""
        return replace(self, rules=(*self.rules, *rules))


def _rule_value(rule: Rule) -> dict[str, Value]:
    if not is_dataclass(rule):
        raise InputError(f"rule {rule.name!r} must be a dataclass, so that it has a canonical form")
    params: dict[str, Value] = {f.name: _value(getattr(rule, f.name)) for f in fields(rule)}
    return {"rule": rule.name, "parameters": params}


def _value(raw: Any) -> Value:
    if isinstance(raw, Step):
        return raw.label
    if isinstance(raw, Enum):
        return str(raw.value)
    if isinstance(raw, float):
        return decimal(raw)
    if isinstance(raw, tuple):
        return [_value(one) for one in raw]
    if isinstance(raw, bool | int | str) or raw is None:
        return raw
    raise InputError(f"a rule's parameter has no canonical form: {raw!r}")


_FOR_A_PERSON = ("blind_dependence", "could_not_check", "disagreement", "faults", "hooks")
STRICT = Policy(
    name="strict",
    rules=(
        Contradiction(step=Step.REPLAN),
        ThinSupport(proceed=0.9, regenerate=0.75),
        HighRisk(at=0.3, step=Step.REGENERATE),
        UncoveredAnswer(at_least=0.95),
        CriticalClaimUnsupported(step=Step.REPLAN),
        UngroundedClaim(),
        Corroboration(),
        CitationViolations(),
        SuspiciousTexts(),
        CouldNotCheck(),
        Faulted(),
        UnreadEvidence(),
        NoClaims(also_nothing_checkable=True),
        PreflightObjects(confidence_below=0.5, also_partial=True),
        BlindDependence(ignores_below=0.05),
        Disagreement(tolerated=0),
        DoubtfulJudges(),
        FailedHooks(),
        StaleEvidence(),
        BudgetSpent(),
        Overruled(),
    ),
    escalate=_FOR_A_PERSON,
)
BALANCED = Policy(
    name="balanced",
    rules=(
        Contradiction(),
        ThinSupport(regenerate_if_answered=True),
        HighRisk(at=0.6, step=Step.REGENERATE),
        UncoveredAnswer(),
        CriticalClaimUnsupported(),
        UngroundedClaim(),
        CitationViolations(statuses=(CitationStatus.FABRICATED, CitationStatus.MISATTRIBUTED)),
        SuspiciousTexts(
            codes=(
                "instruction_in_evidence",
                "instruction_in_answer",
                "bidi",
                "tag",
                "variation_selector_run",
            )
        ),
        CouldNotCheck(),
        Faulted(),
        NoClaims(),
        PreflightObjects(),
        BlindDependence(),
        Disagreement(),
        FailedHooks(),
        StaleEvidence(),
        BudgetSpent(),
        Overruled(),
    ),
    escalate=_FOR_A_PERSON,
)
ADVISORY = Policy(
    name="advisory",
    rules=BALANCED.rules,
    waived=tuple(
        sorted(
            {rule.name for rule in BALANCED.rules}
            - {CouldNotCheck.name, Faulted.name, NoClaims.name, BudgetSpent.name, Overruled.name}
        )
    ),
    escalate=(CouldNotCheck.name, Faulted.name),
)
POLICIES: Mapping[str, Policy] = {one.name: one for one in (STRICT, BALANCED, ADVISORY)}
