"""A judge after the deterministic checks: it may lower a standing, never raise it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from firmground.adapters.llm_judge.judge import LOWEST_FIRST
from firmground.core.claim import Assessment, Standing
from firmground.core.ports import Inquiry, Judge

Raising = Collection[tuple[Standing, Standing]]
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
    may_raise: Raising = ()

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return one assessment for each claim, in order."""
        given = await self.first.assess(inquiry)
        asked = worth_asking(given, self.may_raise)
        if not asked:
            return given
        claims = tuple(inquiry.claims[i] for i in asked)
        judged = await self.second.assess(replace(inquiry, claims=claims))
        return joined(
            given,
            dict(zip(asked, judged, strict=True)),
            may_raise=self.may_raise,
            keep_when_silent=self.keep_when_silent,
        )


def worth_asking(given: Sequence[Assessment], may_raise: Raising = ()) -> list[int]:
    """Positions that could still fall, or that the policy lets rise."""
    settled = (Standing.NOT_CHECKABLE, Standing.CONTRADICTED)
    return [
        at
        for at, one in enumerate(given)
        if one.standing not in settled
        and (one.standing.stands or any(one.standing is start for start, _ in may_raise))
    ]


def joined(
    given: Sequence[Assessment],
    judged: Mapping[int, Assessment],
    *,
    may_raise: Raising = (),
    keep_when_silent: bool = False,
) -> tuple[Assessment, ...]:
    """The first standings, lowered where the second opinion is lower; the notes of both."""
    return tuple(
        _joined(one, judged[at], may_raise, keep_when_silent) if at in judged else one
        for at, one in enumerate(given)
    )


def _joined(
    given: Assessment, judged: Assessment, may_raise: Raising, keep_when_silent: bool
) -> Assessment:
    notes = given.notes + judged.notes
    if judged.standing is Standing.UNVERIFIABLE and keep_when_silent:
        return replace(given, notes=notes)
    lower = _RANK[judged.standing] < _RANK[given.standing]
    if lower or (given.standing, judged.standing) in may_raise:
        return replace(judged, notes=notes, critical=given.critical)
    return replace(given, notes=notes)
