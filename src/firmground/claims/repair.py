"""Repair a quotation without a model, so that what stands in the marks stands in a source.

A repair only ever changes what lies between and including one pair of quotation marks, and it
keeps every word unless the source itself has the right one. Each change is an offset patch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from firmground.claims import words as en
from firmground.claims.quotes import Quotation, quotations
from firmground.claims.sources import QuoteSources
from firmground.claims.tokens import plain_tokens, tokens
from firmground.core.evidence import Evidence
from firmground.core.marker import markers
from firmground.core.match import Grade
from firmground.core.segment import sentences
from firmground.errors import InputError

_FEWEST_WORDS = 4
_SMALLEST_SHARE = 0.75
_PARAPHRASE_SHARE = 0.85
_PARAPHRASE_WORDS = 4


class RepairKind(StrEnum):
    """What a repair did."""

    CITATION_TAIL = "citation_tail"
    """The closing mark moved before a citation that stood inside it."""
    RESTORED = "restored"
    """Capitals or disguised characters gave way to the source's own."""
    TRIMMED = "trimmed"
    """The marks now hold only the stretch that is verbatim."""
    UNQUOTED = "unquoted"
    """The marks were taken off a paraphrase."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPatch:
    """Replace `text[start:end]`, which is `old`, by `new`."""

    start: int
    end: int
    old: str
    new: str
    kind: RepairKind
    reason: str
    evidence_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """The repaired answer and the patches that lead to it, in order of position."""

    answer: str
    patches: tuple[ClaimPatch, ...]


def repair_quotes(answer: str, evidence: Sequence[Evidence]) -> Repair:
    """Repair every quotation that can be repaired; the others are left exactly as they are."""
    quote_sources = QuoteSources(evidence)
    found = (repair_quote(answer, one, quote_sources) for one in quotations(answer))
    patches = tuple(patch for patch in found if patch is not None)
    return Repair(answer=apply_patches(answer, patches), patches=patches)


def repair_quote(
    answer: str, quotation: Quotation, quote_sources: QuoteSources
) -> ClaimPatch | None:
    """Propose the mildest repair of one quotation; None when it is verbatim or beyond repair."""
    if not quotation.sought or quote_sources.verbatim(quotation.sought):
        return None
    for attempt in _ATTEMPTS:
        patch = attempt(answer, quotation, quote_sources)
        if patch is not None:
            return patch
    return None


def apply_patches(text: str, patches: Sequence[ClaimPatch]) -> str:
    """Apply patches that fit the text and do not overlap; others are an error that names them."""
    parts, at = [], 0
    for patch in sorted(patches, key=lambda one: one.start):
        if patch.start < at or text[patch.start : patch.end] != patch.old:
            raise InputError(f"patch at [{patch.start}:{patch.end}] does not fit the text")
        parts += [text[at : patch.start], patch.new]
        at = patch.end
    return "".join([*parts, text[at:]])


def _without_tail(answer: str, one: Quotation, quote_sources: QuoteSources) -> ClaimPatch | None:
    inside = [m for m in markers(one.text) if not one.text[m.end :].strip(" .,;:")]
    if not inside:
        return None
    head = one.text[: inside[0].start].rstrip()
    places = quote_sources.verbatim(head.strip(" .,;:!?"))
    if not places:
        return None
    new = answer[one.start] + head + answer[one.inner_end] + one.text[len(head) :]
    return _patch(
        one,
        answer,
        new,
        RepairKind.CITATION_TAIL,
        places[0].evidence_id,
    )


def _restored(answer: str, one: Quotation, quote_sources: QuoteSources) -> ClaimPatch | None:
    unhyphened = quote_sources.verbatim(one.sought.replace("-", " "), any_case=True)
    for place in (*quote_sources.find(one.sought), *unhyphened):
        if place.match.grade is Grade.CUT or place.match.flags:
            continue
        source = quote_sources.evidence[place.position].text[place.match.start : place.match.end]
        lead = one.text.index(one.sought)
        new = one.text[:lead] + source + one.text[lead + len(one.sought) :]
        new = answer[one.start] + new + answer[one.inner_end]
        return _patch(one, answer, new, RepairKind.RESTORED, place.evidence_id)
    return None


def _trimmed(answer: str, one: Quotation, quote_sources: QuoteSources) -> ClaimPatch | None:
    """Move one mark inward, to the longest beginning or end that is verbatim."""
    found = tokens(one.text)
    head, head_id = verbatim_run(one.text, quote_sources, from_end=False)
    tail, tail_id = verbatim_run(one.text, quote_sources, from_end=True)
    best = max(head, tail)
    if best < max(_FEWEST_WORDS, _SMALLEST_SHARE * len(found)):
        return None
    opening, closing = answer[one.start], answer[one.inner_end]
    if head >= tail:
        cut = found[head - 1].end
        new = opening + one.text[:cut] + closing + one.text[cut:]
        return _patch(one, answer, new, RepairKind.TRIMMED, head_id)
    cut = found[len(found) - tail].start
    new = one.text[:cut] + opening + one.text[cut:] + closing
    return _patch(one, answer, new, RepairKind.TRIMMED, tail_id)


def verbatim_run(
    text: str, quote_sources: QuoteSources, *, from_end: bool, any_case: bool = False
) -> tuple[int, str]:
    """Count the words from one end that stand verbatim in one piece of evidence, and name it."""
    found = tokens(text)
    low, high, home = 0, len(found), ""
    while low < high:
        middle = (low + high + 1) // 2
        piece = (
            text[found[len(found) - middle].start : found[-1].end]
            if from_end
            else text[found[0].start : found[middle - 1].end]
        )
        places = quote_sources.verbatim(piece, any_case=any_case)
        if places:
            low, home = middle, places[0].evidence_id
        else:
            high = middle - 1
    return low, home


def _unquoted(answer: str, one: Quotation, quote_sources: QuoteSources) -> ClaimPatch | None:
    home = paraphrased(one.text, quote_sources.evidence)
    if home is None:
        return None
    return _patch(one, answer, one.text, RepairKind.UNQUOTED, home)


def paraphrased(text: str, evidence: Sequence[Evidence]) -> str | None:
    """Name the evidence of which two neighbouring sentences hold nearly all content words."""
    wanted = content_words(text)
    if len(wanted) < _PARAPHRASE_WORDS:
        return None
    for one in evidence:
        before: frozenset[str] = frozenset()
        for span in sentences(one.text):
            here = content_words(one.text[span.start : span.end])
            if len(wanted & (here | before)) >= _PARAPHRASE_SHARE * len(wanted):
                return one.id
            before = here
    return None


def content_words(text: str) -> frozenset[str]:
    """The words of at least four letters, and all numbers, that are not among the commonest."""
    return frozenset(
        word
        for word in plain_tokens(text)
        if word not in en.STOPWORDS and (len(word) >= 4 or word[0].isdigit())
    )


def _patch(one: Quotation, answer: str, new: str, kind: RepairKind, evidence_id: str) -> ClaimPatch:
    old, reason = answer[one.start : one.end], _REASONS[kind]
    return ClaimPatch(
        start=one.start,
        end=one.end,
        old=old,
        new=new,
        kind=kind,
        reason=reason,
        evidence_id=evidence_id,
    )


_REASONS = {
    RepairKind.CITATION_TAIL: "a citation stands inside the marks",
    RepairKind.RESTORED: "the source writes it differently",
    RepairKind.TRIMMED: "only a part of it is verbatim",
    RepairKind.UNQUOTED: "the source says it in other words",
}
_Attempt = Callable[[str, Quotation, QuoteSources], ClaimPatch | None]
_ATTEMPTS: tuple[_Attempt, ...] = (_without_tail, _restored, _trimmed, _unquoted)
