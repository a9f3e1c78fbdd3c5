"""A threshold on the risk score whose error among accepted answers is bounded, exactly.

The answers are put in order of their risk score. Given the score of the next one, the first k are
independent draws from "answers that would be accepted at this threshold", so the number of errors
among them is binomial with exactly the error rate of interest. The values of k that are tried
depend on the number of answers alone. From each of a few starting points the threshold is loosened
step by step as long as an exact binomial test rejects "the error rate is above the accepted risk"
(fixed-sequence testing, the risk of a false statement being shared among the starting points).
The bound therefore holds for any score, good or bad, at any sample size: a bad score only lowers
the share of answers that is accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmground.calibrate import binomial
from firmground.errors import InputError

STARTS = 4
STEPS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One answer whose truth is known."""

    risk: float
    """The score: 0 surely stands, 1 surely does not."""
    wrong: bool
    """True when the answer does not stand."""
    held: bool = False
    """True when another rule holds it back whatever its score, so that it is never accepted."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.risk <= 1.0:
            raise InputError(f"labelled.risk must lie in [0, 1], got {self.risk}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Accept answers whose risk is at most ``threshold``."""

    threshold: float
    risk: float
    """The accepted error rate among accepted answers."""
    confidence: float
    """Probability, over the labelled sample, that the true rate is at most ``risk``."""
    accepted: int
    """How many of the labelled answers the threshold accepts."""
    errors: int
    """How many of those were wrong."""
    total: int
    upper_bound: float
    """Clopper-Pearson bound at this threshold alone, for reading beside ``risk``."""

    @property
    def coverage(self) -> float:
        """Share of the labelled answers that would be accepted."""
        return self.accepted / self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The data cannot support a threshold, and why."""

    reason: str
    needed: int
    """How many accepted answers without any error would have been enough."""


def calibrate(
    labelled: Sequence[Labelled], *, risk: float, confidence: float = 0.95
) -> Calibration | Refusal:
    """Find the loosest threshold that keeps the error among accepted answers at most ``risk``."""
    if not 0.0 < risk < 1.0:
        raise InputError(f"risk must lie between 0 and 1, got {risk}")
    if not 0.5 <= confidence < 1.0:
        raise InputError(f"confidence must lie in [0.5, 1), got {confidence}")
    # Given that no other rule holds them back, the rest are independent draws as well.
    ordered = sorted((one for one in labelled if not one.held), key=lambda one: one.risk)
    miss = (1 - confidence) / STARTS
    needed = binomial.fewest_clean(risk, miss)
    if len(ordered) < needed:
        held = len(labelled) - len(ordered)
        others = f" (another {held} are held back by other rules)" if held else ""
        return Refusal(
            reason=(
                f"{len(ordered)} labelled answers{others} cannot show an error rate of at most "
                f"{risk:.3g} with confidence {confidence:.3g}: even without a single error it "
                f"takes {needed}"
            ),
            needed=needed,
        )
    errors = _running_errors(ordered)
    best = max(_loosest(errors, start, risk, miss) for start in _starts(needed, len(ordered)))
    best = _outside_ties(ordered, best)
    if best == 0 or best < needed:
        return Refusal(reason=_why_not(errors, needed, risk, confidence), needed=needed)
    return Calibration(
        threshold=ordered[best - 1].risk,
        risk=risk,
        confidence=confidence,
        accepted=best,
        errors=errors[best],
        total=len(labelled),
        upper_bound=binomial.upper_bound(errors[best], best, confidence),
    )


def _running_errors(ordered: Sequence[Labelled]) -> list[int]:
    errors = [0]
    for one in ordered:
        errors.append(errors[-1] + one.wrong)
    return errors


def _starts(needed: int, total: int) -> list[int]:
    """Where to begin loosening: from just enough answers to half of them, evenly."""
    far = max(needed, total // 2)
    return sorted({needed + (far - needed) * i // (STARTS - 1) for i in range(STARTS)})


def _loosest(errors: Sequence[int], start: int, risk: float, miss: float) -> int:
    """The largest k, going up from ``start``, up to which every test rejects; 0 if none does."""
    total = len(errors) - 1
    step = max(1, (total - start) // STEPS)
    passed = 0
    for k in range(start, total + 1, step):
        if binomial.at_most(errors[k], k, risk) > miss:
            break
        passed = k
    return passed


def _outside_ties(ordered: Sequence[Labelled], k: int) -> int:
    """A threshold accepts equal scores together, so a cut inside a tie moves down to its edge."""
    while 0 < k < len(ordered) and ordered[k - 1].risk == ordered[k].risk:
        k -= 1
    return k


def _why_not(errors: Sequence[int], needed: int, risk: float, confidence: float) -> str:
    return (
        f"no threshold keeps the error among accepted answers at most {risk:.3g} with confidence "
        f"{confidence:.3g}: among the {needed} answers with the lowest risk score "
        f"{errors[needed]} are wrong"
    )
