"""What one judge's output comes to for one claim, once its words have been looked up."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.adapters.llm_judge.ask import JudgePrompt
from firmground.adapters.llm_judge.output import JudgedClaim, JudgeOutput
from firmground.core.claim import Claim, EvidenceType, Standing
from firmground.core.evidence import Evidence, EvidenceKind, EvidenceSpan
from firmground.core.match import Grade, find_quote
from firmground.core.segment import words
from firmground.verify.select import word_terms

_MIN_QUOTE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeVote:
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


def unusable(code: str, reason: str) -> JudgeVote:
    """The opinion of a judge that could not be asked or understood."""
    return JudgeVote(standing=Standing.UNVERIFIABLE, code=code, reason=reason)


def settle(name: str, output: JudgeOutput, sheet: JudgePrompt) -> JudgeVote | None:
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
    claim = dict(sheet.claims).get(name)
    if standing.stands and spans and claim is not None and not _about(claim, spans, pieces):
        return unusable(
            "judge_quote_unrelated", "the words the judge quotes share nothing with the claim"
        )
    return _opinion(standing, said, spans, pieces, sheet)


def _about(claim: Claim, spans: Sequence[EvidenceSpan], pieces: Sequence[Evidence]) -> bool:
    """True when the quoted words share a number, name or other content word with the claim.

    Words in different scripts cannot be compared; there the quote counts as it is.
    """
    texts = {piece.id: piece.text for piece in pieces}
    quoted = " ".join(texts[span.evidence_id][span.start : span.end] for span in spans)
    stated = f"{claim.statement} {claim.context}"
    if not _scripts(quoted) & _scripts(stated):
        return bool(_terms(quoted))
    return bool(_terms(quoted) & _terms(stated))


def _terms(text: str) -> set[str]:
    return {term for word in words(text) for term in word_terms(word.text)}


def _scripts(text: str) -> set[str]:
    """The scripts of the letters, by the first word of their Unicode names."""
    return {unicodedata.name(mark, "?").partition(" ")[0] for mark in text if mark.isalpha()}


def _opinion(
    standing: Standing,
    said: JudgedClaim,
    spans: tuple[EvidenceSpan, ...],
    pieces: Sequence[Evidence],
    sheet: JudgePrompt,
) -> JudgeVote:
    reason = said.reason or f"the judge calls it {standing}"
    if standing.stands and not spans:
        told = "the words the judge quotes are not in the evidence it names"
        return unusable(
            "judge_quote_not_found", told if said.quotes else "the judge quotes nothing"
        )
    if standing is Standing.UNGROUNDED and sheet.left_out:
        return unusable("judge_saw_part", f"{len(sheet.left_out)} pieces of evidence did not fit")
    kind = _kind(pieces) if standing.stands else None
    return JudgeVote(
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
    if kinds & {EvidenceKind.TOOL, EvidenceKind.HOOK}:
        return EvidenceType.TOOL_MATCH
    if kinds & {EvidenceKind.RECORD, EvidenceKind.TABLE}:
        return EvidenceType.SPECIFIC_DATA
    several = len({piece.id for piece in pieces}) > 1
    return EvidenceType.SYNTHESIS if several else EvidenceType.SIGNAL_MATCH
