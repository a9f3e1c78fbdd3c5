"""Where one claim stands: a pure function of what the checks noted and how it was scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmground.core.claim import (
    Assessment,
    CheckNote,
    Claim,
    EvidenceType,
    Problem,
    Standing,
)
from firmground.core.evidence import EvidenceKind, EvidenceSpan
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.checks.naming import identifiers, names
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage
from firmground.verify.scorer import Score
from firmground.verify.values.calendar import days
from firmground.verify.values.quantities import quantities

_EXACT = frozenset(
    "number_matches number_rounded date_matches hours_match time_matches identifier_found "
    "quote_exact quote_typographic name_found".split()
)
_COMPARED = frozenset(
    "number_differs date_differs hours_differ time_differs identifier_differs name_differs "
    "field_differs rank_differs weekday_differs open_days_differ sources_against frequency_differs "
    "kind_differs ordinal_differs change_reversed code_differs row_differs".split()
)
NOT_SCORED = frozenset({"source_named", "statement_unclear"})
"""Reason codes of checkable claims that no scorer is asked about."""
# The most support a claim can have after a veto, whatever the scorer thinks.
CONTRADICTED_CAP = 0.15
VETOED_CAP = 0.45
_FOUND_FROM = 0.05
_TOOLS = (EvidenceKind.TOOL, EvidenceKind.HOOK)
_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingLimits:
    """Where likely becomes enough."""

    grounded_from: float = 0.5
    """Support from which an unvetoed claim is grounded."""
    contradicted_from: float = 0.5
    """A scorer's probability of contradiction from which an ungrounded claim is contradicted."""
    found_from: float = _FOUND_FROM
    """Share of the claim's content that the chosen passages must hold at the least."""
    rests_on: float = 0.12
    """What a further passage must add to the cover to count as something the claim rests on."""


def not_checkable(claim: Claim) -> Assessment:
    """Say that a piece of the answer asserts nothing."""
    kind = claim.not_checkable.value if claim.not_checkable else "nothing"
    return Assessment(
        claim=claim,
        standing=Standing.NOT_CHECKABLE,
        confidence=1.0,
        support=1.0,
        reason=f"asserts nothing that evidence could support ({kind.replace('_', ' ')})",
        code=f"not_checkable_{kind}",
    )


def without_evidence(claim: Claim) -> Assessment:
    """Say that there was nothing to check the claim against, which is not the same as fine."""
    return Assessment(
        claim=claim,
        standing=Standing.UNVERIFIABLE,
        confidence=1.0,
        support=0.0,
        reason="there is no evidence to check it against",
        code="no_evidence",
        problems=(Problem(start=claim.start, end=claim.end, standing=Standing.UNVERIFIABLE),),
        critical=is_critical(claim),
    )


def is_source(claim: Claim, span: EvidenceSpan) -> Assessment:
    """Say that a citation names a piece of the evidence."""
    return Assessment(
        claim=claim,
        standing=Standing.GROUNDED,
        confidence=1.0,
        support=1.0,
        reason="names a piece of the evidence",
        code="source_named",
        evidence_type=EvidenceType.SPECIFIC_DATA,
        evidence=(span,),
    )


def unclear(claim: Claim) -> Assessment:
    """Assess a claim as unclear: it is ambiguous what it states, so nothing can support it."""
    return Assessment(
        claim=claim,
        standing=Standing.UNVERIFIABLE,
        confidence=1.0,
        support=0.0,
        reason="it is unclear from the answer and the question what is stated",
        code="statement_unclear",
        problems=(Problem(start=claim.start, end=claim.end, standing=Standing.UNVERIFIABLE),),
    )


def resolve(
    case: CheckCase,
    notes: tuple[CheckNote, ...],
    score: Score,
    limits: StandingLimits | None = None,
) -> Assessment:
    """Decide where a claim stands; a veto always wins over a score.

    An objection without a veto gives the reason when the score brings the claim down.
    """
    limits = limits or StandingLimits()
    veto = _gravest([note for note in notes if note.veto])
    found = _found(case)
    if veto is not None:
        return _vetoed(case, notes, score, veto)
    likely = score.support >= limits.grounded_from and found >= limits.found_from
    if likely and _rests_on(case, limits):  # without evidence there is no support, however likely
        return _stands(case, notes, score, limits)
    objection = _gravest(notes)
    if objection is not None:
        return _vetoed(case, notes, score, objection)
    return _falls(case, notes, score, limits, found)


def is_critical(claim: Claim) -> bool:
    """True when the claim carries a number, date, amount, name or identifier."""
    text = claim.text
    return bool(quantities(text) or days(text) or names(text) or identifiers(text))


def _gravest(notes: Sequence[CheckNote]) -> CheckNote | None:
    """The gravest objection: a contradiction by compared values first, then any, then absence."""
    against = [note for note in notes if note.standing is not None and not note.standing.stands]
    return min(against, key=_gravity, default=None)


def _gravity(note: CheckNote) -> tuple[bool, bool, int]:
    return note.standing is not Standing.CONTRADICTED, note.code not in _COMPARED, note.start or 0


def _vetoed(
    case: CheckCase, notes: tuple[CheckNote, ...], score: Score, veto: CheckNote
) -> Assessment:
    standing = veto.standing or Standing.UNGROUNDED
    cap = CONTRADICTED_CAP if standing is Standing.CONTRADICTED else VETOED_CAP
    support = min(score.support, cap)
    return Assessment(
        claim=case.claim,
        standing=standing,
        confidence=_round(1.0 - support),
        support=_round(support),
        reason=veto.reason,
        code=veto.code,
        evidence_type=_against(case, veto),
        evidence=veto.evidence,
        problems=_problems(case, notes, score, standing),
        notes=notes,
        critical=is_critical(case.claim),
    )


def _stands(
    case: CheckCase, notes: tuple[CheckNote, ...], score: Score, limits: StandingLimits
) -> Assessment:
    rests = _rests_on(case, limits)
    beside = all(passage.role == "background" for passage in rests)
    kind = EvidenceType.COMPLEMENTARY_FINDING if beside else _kind(case, notes, rests)
    return Assessment(
        claim=case.claim,
        standing=Standing.COMPLEMENTARY if beside else Standing.GROUNDED,
        confidence=_round(score.support),
        support=_round(score.support),
        reason=_why(kind, notes, len(rests)),
        code="beside_the_question" if beside else "supported",
        evidence_type=kind,
        evidence=_spans(rests, notes),
        notes=notes,
        critical=is_critical(case.claim),
    )


def _falls(
    case: CheckCase,
    notes: tuple[CheckNote, ...],
    score: Score,
    limits: StandingLimits,
    found: float,
) -> Assessment:
    contrary = (score.contradiction or 0.0) >= limits.contradicted_from and bool(case.passages)
    standing = Standing.CONTRADICTED if contrary else Standing.UNGROUNDED
    # A general remark that no passage speaks of cannot be grounded, yet is seldom wrong: its
    # support stays what the scorer says, so that the risk of the answer stays calibrated.
    support = score.support
    missing = _missing(case)
    if contrary:
        code, reason = "scored_contradicted", "the source reads otherwise"
    elif not case.passages or found < max(limits.found_from, _FOUND_FROM):
        code, reason = "nothing_related", "no source speaks of this"
    else:
        code = "not_supported"
        reason = "no source says this" + (f": {missing}" if missing else "")
    rests = _rests_on(case, limits) if contrary else ()
    return Assessment(
        claim=case.claim,
        standing=standing,
        confidence=_round(1.0 - support),
        support=_round(support),
        reason=reason,
        code=code,
        evidence_type=EvidenceType.INFERENCE if case.near else EvidenceType.DOMAIN,
        evidence=_spans(rests, ()),
        problems=_problems(case, notes, score, standing),
        notes=notes,
        critical=is_critical(case.claim),
    )


def _found(case: CheckCase) -> float:
    wanted = {term: case.reading.weight(term) for term in case.terms}
    whole = sum(wanted.values())
    if not whole:
        return 1.0 if case.passages else 0.0
    held = frozenset().union(*(passage.terms for passage in case.passages))
    return sum(weight for term, weight in wanted.items() if term in held) / whole


def _rests_on(case: CheckCase, limits: StandingLimits) -> tuple[Passage, ...]:
    """The fewest chosen passages that hold what the chosen passages hold of the claim."""
    weights = {term: case.reading.weight(term) for term in case.terms}
    whole = sum(weights.values()) or 1.0
    left = set(case.terms)
    rests: list[Passage] = []
    for passage in sorted(case.passages, key=lambda p: (-case.cover(p), p.order)):
        gain = sum(weights[term] for term in left & passage.terms) / whole
        if not rests or gain >= limits.rests_on:
            rests.append(passage)
            left -= passage.terms
    return tuple(sorted(rests, key=lambda passage: passage.order))


def _spans(rests: Sequence[Passage], notes: Sequence[CheckNote]) -> tuple[EvidenceSpan, ...]:
    told = (span for note in notes if note.standing is None for span in note.evidence)
    found = [*(passage.span() for passage in rests)]
    inside = [
        span
        for span in told
        if not any(
            span.evidence_id == f.evidence_id and f.start <= span.start and span.end <= f.end
            for f in found
        )
    ]
    return tuple(dict.fromkeys((*found, *inside)))


def _kind(case: CheckCase, notes: Sequence[CheckNote], rests: Sequence[Passage]) -> EvidenceType:
    """Resolve the type of support from what matched."""
    if case.about_source or denials(case.claim.text):
        return EvidenceType.NEG_EVIDENCE
    if any(passage.kind in _TOOLS or passage.path is not None for passage in rests):
        return EvidenceType.TOOL_MATCH
    if len(rests) > 1:
        return EvidenceType.SYNTHESIS
    if any(note.code in _EXACT for note in notes) and case.near:
        return EvidenceType.SPECIFIC_DATA
    return EvidenceType.SIGNAL_MATCH if case.near else EvidenceType.INFERENCE


def _against(case: CheckCase, veto: CheckNote) -> EvidenceType:
    if veto.code in _COMPARED:
        return EvidenceType.SPECIFIC_DATA
    return EvidenceType.INFERENCE if case.near else EvidenceType.DOMAIN


def _why(kind: EvidenceType, notes: Sequence[CheckNote], passages: int) -> str:
    matched = sum(note.code in _EXACT for note in notes)
    where = "one passage" if passages == 1 else f"{passages} passages"
    exact = f", {matched} exact value{'s' if matched != 1 else ''} found" if matched else ""
    working = [note.reason for note in notes if note.code == "value_derived" and note.reason]
    if working:
        exact += f"; worked out: {'; '.join(dict.fromkeys(working))}"
    return f"stands on {where} ({kind.value.replace('_', ' ')}){exact}"


def _missing(case: CheckCase) -> str:
    unknown = [
        word.text
        for word in case.words
        if (terms := span_terms(case, word.start, word.end))
        and not any(case.reading.knows(term) for term in terms)
    ]
    return ", ".join(dict.fromkeys(unknown[:4]))


def _problems(
    case: CheckCase, notes: Sequence[CheckNote], score: Score, standing: Standing
) -> tuple[Problem, ...]:
    """The exact pieces that do not stand; the whole claim when none can be singled out."""
    pieces = [
        (note.start, note.end, note.standing)
        for note in notes
        if note.standing is not None and note.start is not None and note.end is not None
    ]
    if not any(said is Standing.CONTRADICTED for *_, said in pieces):
        # A value that the source gives otherwise is the piece; silence has no such sharp edges.
        pieces += [(low, high, standing) for low, high in _joined(case, score)]
    if not pieces:
        pieces = [(case.claim.start, case.claim.end, standing)]
    return tuple(Problem(start=a, end=b, standing=s) for a, b, s in _apart(pieces))


def _joined(case: CheckCase, score: Score) -> list[tuple[int, int]]:
    """Join pieces with nothing but space, a mark or one word between them."""
    joined: list[tuple[int, int]] = []
    for low, high, _ in score.pieces:
        between = (
            case.claim.text[joined[-1][1] - case.claim.start : low - case.claim.start]
            if joined
            else ""
        )
        if joined and len(between.split()) <= 1:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined


def _apart(pieces: list[tuple[int, int, Standing]]) -> list[tuple[int, int, Standing]]:
    """Merge overlapping pieces; contradicted is the graver word for the merged one."""
    merged: list[tuple[int, int, Standing]] = []
    for low, high, standing in sorted(pieces, key=lambda piece: (piece[0], piece[1])):
        if merged and low < merged[-1][1]:
            first, last, before = merged[-1]
            graver = (
                Standing.CONTRADICTED if Standing.CONTRADICTED in (before, standing) else before
            )
            merged[-1] = (first, max(last, high), graver)
        else:
            merged.append((low, high, standing))
    return merged


def _round(value: float) -> float:
    return round(value, _DIGITS)
