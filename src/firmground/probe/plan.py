"""Plans the calls of a measurement and their number before the first call."""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmground.probe.arms import Arm, ArmKind, arms_for
from firmground.probe.profile import ProbeProfile

_LEAVABLE = (ArmKind.LEAVE_ONE_OUT, ArmKind.DOCUMENT_ONLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The arms of a measurement and the calls they take."""

    mode: str
    arms: tuple[Arm, ...]
    calls: int
    """With logprobs; a free answer needs none."""
    at_most: int
    """When the endpoint offers no logprobs and every draw is a call of its own."""
    dropped: tuple[ArmKind, ...] = ()
    """Kinds of arm the budget does not allow."""
    fits: bool = True


def plan_probe(
    *, mode: str, documents: int, profile: ProbeProfile, options: int = 2, compared: bool = False
) -> Plan:
    """Plan a measurement within the profile's budget; what is given up is named.

    ``compared``: a model settles whether two free answers state the same fact, which takes up to
    two more calls for every draw.
    """
    kinds, dropped = list(profile.arms), list[ArmKind]()
    while True:
        arms = arms_for(documents, kinds)
        plan = _priced(mode, arms, profile, options=options, compared=compared)
        plan = replace(plan, dropped=tuple(dropped))
        if profile.max_calls is None or plan.at_most <= profile.max_calls:
            return plan
        leave = next((kind for kind in _LEAVABLE if kind in kinds), None)
        if leave is None:
            return replace(plan, fits=False)
        kinds.remove(leave)
        dropped.append(leave)


def _priced(
    mode: str, arms: tuple[Arm, ...], profile: ProbeProfile, *, options: int, compared: bool
) -> Plan:
    if mode == "choice":
        reads = len(arms) * options
        return Plan(mode=mode, arms=arms, calls=reads, at_most=reads * (1 + profile.samples))
    draws = len(arms) * profile.samples
    extra = 2 * draws if compared else 0
    return Plan(mode=mode, arms=arms, calls=len(arms) + extra, at_most=draws + extra)
