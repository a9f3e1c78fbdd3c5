"""An ordinary answer, cut into claims that are exact pieces of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from firmground.claims.checkable import (
    head_cut,
    heading_asserts,
    refusal_tail,
    speaks_of_silence,
    why_not_checkable,
)
from firmground.claims.clauses import clauses
from firmground.claims.context import Said, said_of
from firmground.core.claim import Claim, ClaimKind, NotCheckable
from firmground.core.coverage import covered
from firmground.core.layout import Line, LineKind, lines
from firmground.core.marker import Marker, MarkerStyle, markers
from firmground.core.question import Question
from firmground.core.segment import Span, sentences

_DRESSING = " \t\n\r\v\f*_#>|`~\u00a0\u3000"
_FLOWING = (LineKind.PROSE, LineKind.LIST_ITEM)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A stretch of the answer on its way to becoming a claim."""

    start: int
    end: int
    kind: ClaimKind
    reason: NotCheckable | None
    context: str
    sentence: int
    """Number of the sentence it comes from, so that a closing marker reaches all of it."""


def prose_claims(answer: str, question: Question | None = None) -> tuple[Claim, ...]:
    """Cut an answer into claims, so that every letter and digit of it lies in one of them.

    List marks and citation markers are no part of any claim. An answer that shows something but
    has nothing to read gives one claim marked empty; an answer of white space gives none.
    """
    pointers = markers(answer)
    stripped = [one for one in pointers if one.style is not MarkerStyle.MENTION]
    pieces = [
        trimmed
        for piece in _pieces(answer, question.text if question else "")
        for trimmed in _without_markers(answer, piece, stripped)
    ]
    claims = tuple(_claims(answer, pieces, pointers))
    return claims or _nothing_to_read(answer)


def _pieces(answer: str, question: str) -> Iterator[_Piece]:
    said, number = said_of(answer, question), 0
    for group in _groups(lines(answer)):
        kind = group[0].kind
        spans = (
            sentences(answer[group[0].start : group[-1].end])
            if kind in _FLOWING
            else (Span(start=0, end=group[-1].end - group[0].start),)
        )
        for span in spans:
            start, end = group[0].start + span.start, group[0].start + span.end
            line = _line_at(group, start)
            start, end = _undressed(
                answer, max(start, line.body) if start <= line.body else start, end
            )
            if start >= end:
                continue
            number += 1
            cut = tuple(_cut(answer, Span(start=start, end=end), line, said, number))
            yield from cut
            said = _remembering(said, answer[start:end], line, cut)


def _groups(found: tuple[Line, ...]) -> Iterator[list[Line]]:
    """Gather running lines, which the sentence splitter may join; all others stand alone."""
    group: list[Line] = []
    for line in found:
        if line.kind in _FLOWING:
            group.append(line)
            continue
        if group:
            yield group
            group = []
        if line.kind is not LineKind.RULE:
            yield [line]
    if group:
        yield group


def _line_at(group: list[Line], at: int) -> Line:
    low, high = 0, len(group)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if group[middle].start <= at else (low, middle)
    return group[low]


def _undressed(answer: str, start: int, end: int) -> tuple[int, int]:
    piece = answer[start:end]
    left = len(piece) - len(piece.lstrip(_DRESSING))
    return start + left, start + max(left, len(piece.rstrip(_DRESSING)))


def _cut(answer: str, span: Span, line: Line, said: Said, number: int) -> Iterator[_Piece]:
    start, end = span.start, span.end
    text = answer[start:end]
    if line.kind in (LineKind.TABLE_HEAD, LineKind.TABLE_ROW):
        head = line.kind is LineKind.TABLE_HEAD
        yield _Piece(
            start=start,
            end=end,
            kind=ClaimKind.TABLE_ROW,
            reason=NotCheckable.HEADING if head else None,
            context="" if head else said.row_context(),
            sentence=number,
        )
        return
    kind = ClaimKind.LIST_ITEM if line.kind is LineKind.LIST_ITEM else ClaimKind.SENTENCE
    reason = _reason(text, line.kind)
    context = (
        said.item_context(text) if kind is ClaimKind.LIST_ITEM else said.sentence_context(text)
    )
    whole = _Piece(start=start, end=end, kind=kind, reason=reason, context=context, sentence=number)
    if reason is NotCheckable.REFUSAL:
        yield from _refusal(answer, whole)
    elif reason is not None:
        yield replace(whole, context="")
    else:
        yield from _assertions(answer, whole, said)


def _reason(text: str, kind: LineKind) -> NotCheckable | None:
    if kind is LineKind.FENCE:
        return NotCheckable.HEADING
    reason = why_not_checkable(text)
    if reason is None and kind is LineKind.HEADING and not heading_asserts(text):
        return NotCheckable.HEADING
    return reason


def _refusal(answer: str, whole: _Piece) -> Iterator[_Piece]:
    """Keep the refusal unjudged, but judge the grounds it gives."""
    tail = refusal_tail(answer[whole.start : whole.end])
    bare = replace(whole, context="")
    if tail is None:
        yield bare
        return
    yield replace(bare, end=whole.start + tail)
    start, end = _undressed(answer, whole.start + tail, whole.end)
    yield replace(whole, start=start, end=end, kind=ClaimKind.CLAUSE, reason=None)


def _assertions(answer: str, whole: _Piece, said: Said) -> Iterator[_Piece]:
    start = whole.start
    cut = head_cut(answer[whole.start : whole.end])
    if cut is not None:
        head_start, head_end = _undressed(answer, start, start + cut.end)
        yield replace(whole, start=head_start, end=head_end, reason=cut.reason, context="")
        start = _undressed(answer, start + cut.end, whole.end)[0]
        whole = replace(whole, start=start, kind=_rest_kind(whole.kind))
        again = why_not_checkable(answer[whole.start : whole.end])
        if again is not None:
            yield replace(whole, reason=again, context="")
            return
    sentence = answer[whole.start : whole.end]
    spans = clauses(sentence)
    before = ""
    for span in spans:
        text = sentence[span.start : span.end]
        yield replace(
            whole,
            start=whole.start + span.start,
            end=whole.start + span.end,
            kind=whole.kind if len(spans) == 1 else ClaimKind.CLAUSE,
            context=said.clause_context(text, sentence, before) if before else whole.context,
        )
        before = text


def _rest_kind(kind: ClaimKind) -> ClaimKind:
    return kind if kind is ClaimKind.LIST_ITEM else ClaimKind.CLAUSE


def _remembering(said: Said, text: str, line: Line, cut: tuple[_Piece, ...]) -> Said:
    """Add a sentence to what has been said."""
    full, text = text.rstrip(" \t*_"), text.rstrip(" \t*_:：")
    if line.kind is LineKind.HEADING:
        return replace(said, heading=text, lead_in="", table_head="")
    if line.kind is LineKind.TABLE_HEAD:
        return replace(said, table_head=text)
    if line.kind is not LineKind.PROSE or not cut:
        return said
    introduces = cut[-1].reason is NotCheckable.LEAD_IN or full.endswith((":", "："))
    said = replace(said, lead_in=text if introduces else "", table_head="")
    asserted = next((full[one.start - cut[0].start :] for one in cut if one.reason is None), "")
    return replace(said, subject=said.named_subject(asserted) or said.subject)


def _without_markers(answer: str, piece: _Piece, found: list[Marker]) -> Iterator[_Piece]:
    """Trim markers off both ends; a piece of nothing but markers is no piece."""
    start, end = piece.start, piece.end
    inside = [one for one in _between(found, start, end) if one.start >= start and one.end <= end]
    while inside and not answer[start : inside[0].start].strip(_DRESSING + ".,;:"):
        start = inside.pop(0).end
    while inside and not answer[inside[-1].end : end].strip(_DRESSING + ".,;:!?。"):
        end = inside.pop().start
    if (start, end) != (piece.start, piece.end):
        start = start + len(answer[start:end]) - len(answer[start:end].lstrip(_DRESSING + ".,;:"))
        start, end = _undressed(answer, start, end)
    if start < end and any(map(str.isalnum, answer[start:end])):
        yield replace(piece, start=start, end=end)


def _between(found: list[Marker], start: int, end: int) -> list[Marker]:
    """The markers that touch a stretch, found by halving since they are in order."""
    low, high = 0, len(found)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if found[middle].end <= start else (low, middle)
    stop = low
    while stop < len(found) and found[stop].start < end:
        stop += 1
    return found[low:stop]


def _claims(answer: str, pieces: list[_Piece], pointers: tuple[Marker, ...]) -> Iterator[Claim]:
    cited = _cited(answer, pieces, pointers)
    for piece, labels in zip(pieces, cited, strict=True):
        yield Claim(
            text=answer[piece.start : piece.end],
            start=piece.start,
            end=piece.end,
            kind=piece.kind,
            not_checkable=piece.reason,
            context=piece.context,
            cited=labels,
        )


def _cited(
    answer: str, pieces: list[_Piece], pointers: tuple[Marker, ...]
) -> list[tuple[str, ...]]:
    """Give each marker to the piece it stands in or right behind, or else to the one after it."""
    own: list[list[str]] = [[] for _ in pieces]
    for one in pointers:
        place = _owner(answer, pieces, one)
        if place is not None:
            own[place] += one.labels
    shared: dict[int, list[str]] = {}
    for piece, labels in zip(pieces, own, strict=True):
        if labels:
            shared[piece.sentence] = labels
    return [
        tuple(dict.fromkeys(labels or shared.get(piece.sentence, [])))
        for piece, labels in zip(pieces, own, strict=True)
    ]


def _owner(answer: str, pieces: list[_Piece], one: Marker) -> int | None:
    low, high = 0, len(pieces)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if pieces[middle].start <= one.start else (low, middle)
    before = low - 1
    if before >= 0 and "\n" not in answer[pieces[before].end : one.start]:
        return before
    if low < len(pieces) and "\n" not in answer[one.end : pieces[low].start]:
        return low
    return before if before >= 0 else None


def _nothing_to_read(answer: str) -> tuple[Claim, ...]:
    start, end = len(answer) - len(answer.lstrip()), len(answer.rstrip())
    if start >= end:
        return ()
    return (Claim(text=answer[start:end], start=start, end=end, not_checkable=NotCheckable.EMPTY),)


def is_refusal(answer: str) -> bool:
    """True when an answer declines, and says nothing else but that the evidence is silent."""
    claims = prose_claims(answer)
    declines = any(claim.not_checkable is NotCheckable.REFUSAL for claim in claims)
    return declines and all(
        claim.not_checkable is not None or speaks_of_silence(claim.text) for claim in claims
    )


def coverage(answer: str, claims: tuple[Claim, ...]) -> float:
    """Share of the answer's letters and digits that lies inside claims, from 0 to 1."""
    return covered(answer, ((claim.start, claim.end) for claim in claims))
