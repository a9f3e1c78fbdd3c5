"""Rules about how far an answer moves when its evidence is taken away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from firmground.core.decision import Objection, Step
from firmground.core.evidence import Trust
from firmground.core.finding import (
    ClaimDependence,
    Dependence,
    EvidenceEffect,
    Fault,
    Findings,
    Prior,
)
from firmground.decide.rule import objecting, share
from firmground.decide.rules.models import could_not_ask


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindDependence:
    """The answer rests on a source without vouched trust, against what all others say.

    Depending on a document is not a fault: where the model knows nothing, it should depend on a
    document. The rule objects to following a document that overturns the model's own belief, or
    that other sources contradict, unless it is vouched for or independent sources support it. It
    also objects to an answer that no source gives and that the model does not repeat.
    """

    name: ClassVar[str] = "blind_dependence"
    about: ClassVar[str] = (
        "an answer that one unvouched, uncorroborated source turned against the model's own belief "
        "or against other sources, that its evidence speaks against or does not settle, or "
        "(strict) that ignores it"
    )
    reads: ClassVar[tuple[str, ...]] = ("dependence",)
    sensitive_from: float = 0.5
    conflict_from: float = 0.2
    """Evidence that takes away this much of the answer's probability speaks against it."""
    corroborated_from: int = 2
    vouched_from: Trust = Trust.VOUCHED
    ignores_below: float = 0.0
    """Object as well when the answer moves less than this without its evidence."""
    settled_from: float = 0.5
    """Object to an answer no source gives and fewer of the draws, with all evidence in view."""
    step: Step = Step.ABSTAIN

    def __post_init__(self) -> None:
        share("blind_dependence.sensitive_from", self.sensitive_from)
        share("blind_dependence.conflict_from", self.conflict_from)
        share("blind_dependence.ignores_below", self.ignores_below)
        share("blind_dependence.settled_from", self.settled_from)
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object to evidence that was followed blindly, contradicts the answer or had no effect."""
        seen = findings.dependence
        if seen is None:
            return ()
        if isinstance(seen, Fault):
            return (could_not_ask(self.name, seen),)
        return tuple(self._objections(seen))

    def _objections(self, seen: Dependence) -> Iterator[Objection]:
        if seen.lean is EvidenceEffect.CONTRADICTS and seen.sensitivity >= self.conflict_from:
            told = f"the evidence takes {seen.sensitivity:.2f} off the answer's probability"
            yield Objection(rule=self.name, step=self.step, reason=told)
        elif not self._borne_out(seen):
            yield from self._blind(seen)
        yield from self._claims(seen)
        if seen.sensitivity < self.ignores_below:
            told = f"the answer does not depend on its evidence ({seen.sensitivity:.2f})"
            yield Objection(rule=self.name, step=Step.REGENERATE, reason=told)

    def _blind(self, seen: Dependence) -> Iterator[Objection]:
        moved = seen.sensitivity >= self.sensitive_from
        sides = f"{seen.corroborating} source(s) for it, {seen.opposing} against"
        if moved and seen.prior is Prior.OPPOSED:
            held = f" from {seen.without!r}" if seen.without else ""
            told = f"evidence turned the model's own belief{held}: {sides}, none of it vouched for"
            yield Objection(rule=self.name, step=self.step, reason=told)
        elif moved and seen.opposing and seen.opposing >= seen.corroborating:
            told = f"the answer follows one side of sources that disagree: {sides}"
            yield Objection(rule=self.name, step=self.step, reason=told)
        elif self._unsettled(seen):
            often = f"{seen.believed_with:.0%} of the time"
            told = f"no source says so, and with all of them in view the model does {often} only"
            yield Objection(rule=self.name, step=self.step, reason=told)

    def _unsettled(self, seen: Dependence) -> bool:
        """No source gives this answer, and the model repeats neither it nor another one."""
        unsteady = seen.believed_with < self.settled_from <= seen.noise
        return unsteady and not seen.corroborating

    def _claims(self, seen: Dependence) -> Iterator[Objection]:
        turned = tuple(
            one.claim
            for one in seen.claims
            if one.prior is Prior.OPPOSED
            and one.believed_with - one.believed_without >= self.sensitive_from
            and not self._borne_out(one)
        )
        if turned:
            told = "unvouched evidence changed the model's belief on single claims"
            yield Objection(rule=self.name, step=self.step, reason=told, claims=turned)
        against = tuple(
            one.claim
            for one in seen.claims
            if one.lean is EvidenceEffect.CONTRADICTS
            and one.believed_without - one.believed_with >= self.conflict_from
        )
        if against:
            told = "the evidence makes the model doubt single claims"
            yield Objection(rule=self.name, step=self.step, reason=told, claims=against)

    def _borne_out(self, seen: Dependence | ClaimDependence) -> bool:
        if seen.trust is not None and seen.trust >= self.vouched_from:
            return True
        enough = seen.corroborating >= self.corroborated_from
        return enough and seen.corroborating > seen.opposing


@dataclass(frozen=True, slots=True, kw_only=True)
class DropSensitivity:
    """The grounding firewall's rule: an answer that moves much without its evidence is held back.

    It also holds back right answers from documents about what the model does not know, which is
    why no other policy uses it.
    """

    name: ClassVar[str] = "drop_sensitivity"
    about: ClassVar[str] = (
        "an answer that moves much when its evidence is dropped, whatever the evidence is worth"
    )
    reads: ClassVar[tuple[str, ...]] = ("dependence",)
    choice_from: float = 0.3
    free_from: float = 0.5
    step: Step = Step.ABSTAIN

    def __post_init__(self) -> None:
        share("drop_sensitivity.choice_from", self.choice_from)
        share("drop_sensitivity.free_from", self.free_from)
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object from the threshold of the mode on."""
        seen = findings.dependence
        if seen is None:
            return ()
        if isinstance(seen, Fault):
            return (could_not_ask(self.name, seen),)
        limit = self.free_from if seen.mode == "free" else self.choice_from
        if seen.sensitivity < limit:
            return ()
        told = f"the answer moves by {seen.sensitivity:.2f} without its evidence (from {limit:.2f})"
        return (Objection(rule=self.name, step=self.step, reason=told),)
