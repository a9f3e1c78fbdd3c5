"""How support is scored: the profile, the weight of each type, and the type of each role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from firmground.core.claim import EvidenceType
from firmground.errors import InputError, did_you_mean

WEIGHTS: tuple[tuple[str, float], ...] = (
    (EvidenceType.TOOL_MATCH.value, 1.00),
    (EvidenceType.SPECIFIC_DATA.value, 0.95),
    (EvidenceType.SIGNAL_MATCH.value, 0.90),
    (EvidenceType.COMPLEMENTARY_FINDING.value, 0.85),
    (EvidenceType.SYNTHESIS.value, 0.80),
    (EvidenceType.NEG_EVIDENCE.value, 0.70),
    (EvidenceType.INFERENCE.value, 0.60),
    (EvidenceType.DOMAIN.value, 0.60),
)
ROLES: tuple[tuple[str, str], ...] = (
    ("signal", EvidenceType.SIGNAL_MATCH.value),
    ("domain", EvidenceType.DOMAIN.value),
)
"""Roles of evidence that decide the type of a claim that rests on it."""
RHO = {"hardened": 1.5, "reference": 0.5}
_RHO_RANGE = {"hardened": (1.0, 10.0), "reference": (0.0, 1.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """Parameters of the support score; part of a policy.

    >>> Scoring(profile="reference", rho=0.25, weights={"runbook": 0.5}).table["runbook"]
    0.5
    """

    profile: str = "hardened"
    """``hardened``, or ``reference`` for the score exactly as published."""
    rho: float | None = None
    """Weight of a contradicted claim against the answer; None: 1.5 hardened, 0.5 reference."""
    weights: Mapping[str, float] | tuple[tuple[str, float], ...] = ()
    """Weights of types, your own ones included; the types left out keep their weight."""
    roles: Mapping[str, str] | tuple[tuple[str, str], ...] = ()
    """The type of claims that rest on evidence of a role; those left out keep theirs."""
    effective_rho: float = field(init=False, repr=False, compare=False)
    """The rho in use."""
    table: Mapping[str, float] = field(init=False, repr=False, compare=False)
    """The weight of every type that has one."""
    type_of: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """The type that each role decides."""

    def __post_init__(self) -> None:
        if self.profile not in RHO:
            near = did_you_mean(str(self.profile), RHO)
            raise InputError(f"profile {self.profile!r} is unknown{near}; use {' or '.join(RHO)}")
        rho = RHO[self.profile] if self.rho is None else self.rho
        low, high = _RHO_RANGE[self.profile]
        if not _within(rho, low, high):
            raise InputError(
                f"rho of the {self.profile} profile must lie in [{low}, {high}], got {rho}"
            )
        weights, roles = _named(self.weights), _named(self.roles)
        for name, weight in weights.items():
            if not _within(weight, 0, 1) or not weight:
                raise InputError(f"weights: the weight of {name!r} must lie in (0, 1]: {weight}")
        table = {**dict(WEIGHTS), **weights}
        for role, kind in roles.items():
            if kind not in table:
                near = did_you_mean(str(kind), table)
                raise InputError(f"roles: {role!r} is of type {kind!r}, which has no weight{near}")
        for name, value in {
            "effective_rho": float(rho),
            "weights": tuple(sorted(weights.items())),
            "roles": tuple(sorted(roles.items())),
            "table": table,
            "type_of": {**dict(ROLES), **roles},
        }.items():
            object.__setattr__(self, name, value)


def _named(given: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(given)
    for name in made:
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"the name of a type or role must be text: {name!r}")
    return made


def _within(value: object, low: float, high: float) -> bool:
    """True for a number in the range; NaN is in none."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and low <= value <= high  # type: ignore[operator]
