"""Two judges; the more expensive one is asked only where the first is uncertain."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from firmground.core.claim import Assessment, CheckNote, Claim, NotCheckable, Problem, Standing
from firmground.core.ports import Inquiry, Judge
from firmground.errors import InputError, ModelError

CHECK = "cascade"
AGREED, CHANGED, FAILED = "next_judge_agreed", "next_judge_changed", "next_judge_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Between which supports a judge counts as unsure; both ends belong to the band."""

    low: float = 0.2
    high: float = 0.9

    def __post_init__(self) -> None:
        if not 0.0 <= self.low < self.high <= 1.0:
            raise InputError(f"a band needs 0 <= low < high <= 1, got {self.low}-{self.high}")

    def __str__(self) -> str:
        # Every digit: two bands that judge otherwise must not be recorded alike.
        return "-".join(repr(float(end)).removesuffix(".0") for end in (self.low, self.high))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """Implements the port ``Judge``: what the first is unsure of goes on to the second.

    A veto of a deterministic check is never passed on. Where the second could not be asked, what
    the first let stand, unsure as it was, is unverifiable, unless ``keep_when_silent`` says that
    its word is enough; what it let fall stays fallen. A note says so. The second sees the other
    claims as context only, so that it says of a claim exactly what it would have said alone.
    """

    first: Judge
    second: Judge
    band: Band = field(default_factory=Band)
    first_name: str = "the first judge"
    second_name: str = "the second judge"
    keep_when_silent: bool = False

    @property
    def name(self) -> str:
        """Recorded in every run; changes whenever the judge could judge otherwise."""
        silent = ", else the first" if self.keep_when_silent else ""
        return f"cascade {self.band}: {self.first_name}, then {self.second_name}{silent}"

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return one assessment for each claim, in order."""
        given = await self.first.assess(inquiry)
        if tuple(one.claim for one in given) != inquiry.claims:
            raise ModelError("the first judge did not give one assessment for each claim, in order")
        asked = {at for at, one in enumerate(given) if self.unsure(one)}
        if not asked:
            return given
        try:
            judged = await self._second(inquiry, asked)
        except (ModelError, TimeoutError) as error:
            reason = str(error) or "it took too long"
            return tuple(
                self._kept(one, reason) if at in asked else one for at, one in enumerate(given)
            )
        return tuple(
            self._joined(one, replace(judged[at], claim=one.claim)) if at in asked else one
            for at, one in enumerate(given)
        )

    def unsure(self, one: Assessment) -> bool:
        """Say whether a claim goes on: no veto, and the support lies in the band."""
        if one.standing is Standing.NOT_CHECKABLE or one.code == "no_evidence" or vetoed(one):
            return False
        if one.standing is Standing.UNVERIFIABLE:
            return True
        return self.band.low <= one.support <= self.band.high

    async def _second(self, inquiry: Inquiry, asked: set[int]) -> tuple[Assessment, ...]:
        claims = tuple(
            claim if at in asked else _as_context(claim) for at, claim in enumerate(inquiry.claims)
        )
        judged = await self.second.assess(replace(inquiry, claims=claims))
        if tuple(one.claim for one in judged) != claims:
            raise ModelError(f"{self.second_name} did not speak of each claim, in order")
        return judged

    def _joined(self, given: Assessment, judged: Assessment) -> Assessment:
        if judged.standing is Standing.UNVERIFIABLE:
            return self._kept(given, judged.reason)
        changed = judged.standing.stands != given.standing.stands
        note = _note(
            CHANGED if changed else AGREED,
            f"{self.first_name} was unsure ({given.standing}, support {given.support:.2f}); "
            f"{self.second_name} decided",
        )
        return replace(judged, notes=(*judged.notes, note), critical=given.critical)

    def _kept(self, given: Assessment, reason: str) -> Assessment:
        told = f"{self.second_name} could not be asked ({reason})"
        if given.standing.stands and not self.keep_when_silent:
            return self._unheard(given, f"{self.first_name} was uncertain, and {told}")
        note = _note(FAILED, f"{told}; {self.first_name} decides")
        return replace(given, notes=(*given.notes, note))

    def _unheard(self, given: Assessment, reason: str) -> Assessment:
        claim = given.claim
        return replace(
            given,
            standing=Standing.UNVERIFIABLE,
            confidence=1.0,
            support=0.0,
            reason=reason,
            code="judge_failed",
            evidence_type=None,
            evidence=(),
            problems=(Problem(start=claim.start, end=claim.end, standing=Standing.UNVERIFIABLE),),
            notes=(*given.notes, _note(FAILED, reason)),
        )


def vetoed(one: Assessment) -> bool:
    """Say whether a deterministic check spoke against the claim."""
    against = (Standing.CONTRADICTED, Standing.UNGROUNDED)
    return any(
        note.veto and note.standing in against and not note.check.startswith("judge")
        for note in one.notes
    )


def _as_context(claim: Claim) -> Claim:
    return replace(claim, not_checkable=claim.not_checkable or NotCheckable.EMPTY)


def _note(code: str, reason: str) -> CheckNote:
    return CheckNote(check=CHECK, code=code, standing=None, reason=reason)
