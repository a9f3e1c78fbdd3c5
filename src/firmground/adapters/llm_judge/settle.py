"""What one judge's output comes to for one claim, once its words have been looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmground.adapters.llm_judge.ask import Sheet
from firmground.adapters.llm_judge.output import JudgedClaim, JudgeOutput
from firmground.core.claim import EvidenceType, Standing
from firmground.core.evidence import Evidence, EvidenceSpan, Kind
from firmground.core.match import Grade, find_quote

_MIN_QUOTE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What one judge holds of one claim."""

    standing: Standing
    code: str
    reason: str
    evidence: tuple[EvidenceSpan, ...] = ()
    evidence_type: EvidenceType | None = None

    @property
    def given(self) -> bool:
        """True when the judge has an opinion that counts."""
        return self.standing is not Standing.UNVERIFIABLE


def unusable(code: str, reason: str) -> Opinion:
    """The opinion of a judge that could not be asked or understood."""
    return Opinion(standing=Standing.UNVERIFIABLE, code=code, reason=reason)


def settle(name: str, output: JudgeOutput, sheet: Sheet) -> Opinion | None:
    """The opinion on one numbered claim; None when the output does not mention it."""
    if output.abstained:
        return unusable("judge_abstained", output.abstain_reason or "the judge gave no reason")
    places = [(standing, claim) for standing, claim in output.placed() if claim.id == name]
    if not places:
        return None
    if len({standing for standing, _ in places}) > 1:
        return unusable("judge_inconsistent", "the judge put the claim into several lists")
    standing, said = places[0]
    spans, pieces = _found(said, sheet.evidence)
    return _opinion(standing, said, spans, pieces, sheet)


def _opinion(
    standing: Standing,
    said: JudgedClaim,
    spans: tuple[EvidenceSpan, ...],
    pieces: Sequence[Evidence],
    sheet: Sheet,
) -> Opinion:
    reason = said.reason or f"the judge calls it {standing}"
    if standing.stands and not spans:
        told = "the words the judge quotes are not in the evidence it names"
        return unusable(
            "judge_quote_not_found", told if said.quotes else "the judge quotes nothing"
        )
    if standing is Standing.UNGROUNDED and sheet.left_out:
        return unusable("judge_saw_part", f"{len(sheet.left_out)} pieces of evidence did not fit")
    kind = _kind(pieces) if standing.stands else None
    return Opinion(
        standing=standing,
        code=f"judge_{standing}",
        reason=reason,
        evidence=spans,
        evidence_type=EvidenceType.COMPLEMENTARY_FINDING
        if standing is Standing.COMPLEMENTARY
        else kind,
    )


def _found(
    said: JudgedClaim, shown: Sequence[tuple[str, Evidence]]
) -> tuple[tuple[EvidenceSpan, ...], list[Evidence]]:
    """The quoted words where they really stand; what cannot be found does not count."""
    named = dict(shown)
    spans: list[EvidenceSpan] = []
    pieces: list[Evidence] = []
    for evidence_id, quote in said.quotes:
        piece = named.get(evidence_id)
        if piece is None or len(quote.strip()) < _MIN_QUOTE:
            continue
        found = find_quote(quote.strip().strip('"'), piece.text)
        if found and (found.exact or found.grade is Grade.CASE):
            spans.append(EvidenceSpan(evidence_id=piece.id, start=found.start, end=found.end))
            pieces.append(piece)
    return tuple(dict.fromkeys(spans)), pieces


def _kind(pieces: Sequence[Evidence]) -> EvidenceType:
    """The type of support follows from what the evidence is, not from what the judge says."""
    kinds = {piece.kind for piece in pieces}
    if kinds & {Kind.TOOL, Kind.HOOK}:
        return EvidenceType.TOOL_MATCH
    if kinds & {Kind.RECORD, Kind.TABLE}:
        return EvidenceType.SPECIFIC_DATA
    several = len({piece.id for piece in pieces}) > 1
    return EvidenceType.SYNTHESIS if several else EvidenceType.SIGNAL_MATCH
