"""A judge after the deterministic checks: it may lower a standing, never raise it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from firmground.adapters.llm_judge.judge import LOWEST_FIRST
from firmground.core.claim import Assessment, Standing
from firmground.core.ports import Inquiry, Judge

_RANK = {standing: rank for rank, standing in enumerate(LOWEST_FIRST)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOpinion:
    """Implements the port ``Judge``: the first judge's standing, lowered where the second says so.

    A second judge that could not be asked leaves the claim unverifiable, unless the caller
    decides by ``keep_when_silent`` that the first judge's word is enough. Raising is allowed
    only for the pairs (from, to) the caller's policy names.
    """

    first: Judge
    second: Judge
    keep_when_silent: bool = False
    may_raise: Collection[tuple[Standing, Standing]] = ()

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return one assessment for each claim, in order."""
        given = await self.first.assess(inquiry)
        asked = [i for i, one in enumerate(given) if self._worth_asking(one)]
        if not asked:
            return given
        claims = tuple(inquiry.claims[i] for i in asked)
        judged = await self.second.assess(replace(inquiry, claims=claims))
        opinions = dict(zip(asked, judged, strict=True))
        return tuple(
            self._joined(one, opinions[i]) if i in opinions else one for i, one in enumerate(given)
        )

    def _worth_asking(self, one: Assessment) -> bool:
        """Only what could still fall, or what the policy lets rise."""
        if one.standing in (Standing.NOT_CHECKABLE, Standing.CONTRADICTED):
            return False
        return one.standing.stands or any(one.standing is start for start, _ in self.may_raise)

    def _joined(self, given: Assessment, judged: Assessment) -> Assessment:
        notes = given.notes + judged.notes
        if judged.standing is Standing.UNVERIFIABLE and self.keep_when_silent:
            return replace(given, notes=notes)
        if _RANK[judged.standing] < _RANK[given.standing]:
            return replace(judged, notes=notes, critical=given.critical)
        if (given.standing, judged.standing) in self.may_raise:
            return replace(judged, notes=notes, critical=given.critical)
        return replace(given, notes=notes)
