"""Counts the independent sources of each grounded claim, as far as a rule asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from firmground.core.claim import Assessment, Claim, Standing
from firmground.core.evidence import Evidence, Trust
from firmground.core.finding import ClaimSources
from firmground.core.ports import Inquiry
from firmground.pipeline.request import Request
from firmground.probe.sources import source_groups

MOST_PIECES = 48
"""Beyond so many pieces no further source is looked for: comparing texts grows with the square."""

Needs = Callable[[Trust], int]
Alone = Callable[[Inquiry], tuple[Assessment, ...]]


def one_source_each(trust: Trust) -> int:
    """What is needed where no rule asks for corroboration."""
    return 1


@dataclass(slots=True)
class _Base:
    """What one claim is known to rest on."""

    claim: Claim
    ids: dict[int, str] = field(default_factory=dict)
    """One evidence id for each independent source, by the number of the source."""
    trust: Trust = Trust.UNTRUSTED

    def add(self, source: int, piece: Evidence) -> None:
        self.ids.setdefault(source, piece.id)
        self.trust = max(self.trust, piece.trust)


def resting(
    request: Request,
    assessments: Sequence[Assessment],
    *,
    needs: Needs = one_source_each,
    alone: Alone | None = None,
) -> tuple[ClaimSources, ...]:
    """Name the independent sources of each grounded claim, at least as many as are needed.

    ``alone`` judges claims on a part of the evidence; without it only what the judge cited counts.
    """
    pieces = {piece.id: piece for piece in request.evidence}
    cited = {
        at: tuple(dict.fromkeys(span.evidence_id for span in one.evidence))
        for at, one in enumerate(assessments)
        if one.standing is Standing.GROUNDED
    }
    short = [at for at, ids in cited.items() if needs(_best(pieces, ids)) > 1]
    groups = _groups(request.evidence, [i for at in short for i in cited[at]]) if short else {}
    bases = {at: _Base(claim=assessments[at].claim) for at in cited}
    for at, ids in cited.items():
        for number, name in enumerate(ids if at in short else ids[:1]):
            bases[at].add(groups.get(name, number), pieces[name])
        bases[at].trust = _best(pieces, ids)
    if alone is not None:
        _look_further(request, {at: bases[at] for at in short}, groups, needs, alone)
    return tuple(
        ClaimSources(claim=at, sources=tuple(base.ids.values()), trust=base.trust)
        for at, base in bases.items()
    )


def _best(pieces: dict[str, Evidence], ids: Sequence[str]) -> Trust:
    return max((pieces[name].trust for name in ids), default=Trust.UNTRUSTED)


def _groups(evidence: Sequence[Evidence], cited: Sequence[str]) -> dict[str, int]:
    """The source each piece comes from; cited pieces are never left out."""
    wanted = set(cited)
    first = [piece for piece in evidence if piece.id in wanted]
    rest = [piece for piece in evidence if piece.id not in wanted]
    looked_at = [*first, *rest[: max(0, MOST_PIECES - len(first))]]
    return dict(zip((p.id for p in looked_at), source_groups(looked_at), strict=True))


def _look_further(
    request: Request, bases: dict[int, _Base], groups: dict[str, int], needs: Needs, alone: Alone
) -> None:
    """Judge what still lacks a source on each further source by itself."""
    for number in dict.fromkeys(groups.values()):
        lacking = [
            base
            for base in bases.values()
            if number not in base.ids and len(base.ids) < needs(base.trust)
        ]
        if not lacking:
            continue
        part = tuple(piece for piece in request.evidence if groups.get(piece.id) == number)
        inquiry = Inquiry(
            question=request.question,
            answer=request.answer,
            claims=tuple(base.claim for base in lacking),
            evidence=part,
        )
        by_id = {piece.id: piece for piece in part}
        for base, found in zip(lacking, alone(inquiry), strict=True):
            if found.standing is Standing.GROUNDED:
                base.add(number, by_id[found.evidence[0].evidence_id])
