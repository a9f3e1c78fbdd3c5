"""An ordinary answer, cut into claims that are exact pieces of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from firmground.claims import words as en
from firmground.claims.context import PriorContext, said_of, subject_phrase
from firmground.claims.pieces import DRESSING, AnswerPiece, cut_line, undressed
from firmground.claims.plain_text import plain_form
from firmground.claims.statements import bare
from firmground.claims.tokens import plain_tokens, tokens
from firmground.claims.wrapping import head_end, tail_start
from firmground.core.claim import Claim, ClaimKind, NotCheckable
from firmground.core.coverage import covered
from firmground.core.layout import AnswerLine, LineKind, lines
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.marker import Marker, MarkerStyle, markers
from firmground.core.question import Question
from firmground.core.segment import Span, sentences

_FLOWING = (LineKind.PROSE, LineKind.LIST_ITEM)
_LONGEST_SENTENCE = 2000
_LONGEST_SUBJECT = 8
_SILENCE = lazy_pattern(
    rf"\b(?:{en.EVIDENCE_NOUNS}|they|it) (?:\w+ ){{0,2}}"
    r"(?:(?:do|does|did) not|don't|doesn't|didn't) (?:\w+ )?"
    r"(?:provide|mention|contain|include|discuss|specify|state|say|address|give|offer|cover)",
    re.I,
)
_NAME = lazy_pattern(r"\(\w+\s?:\s?")


def prose_claims(answer: str, question: Question | None = None) -> tuple[Claim, ...]:
    """Cut an answer into claims, so that every letter and digit of it lies in one of them.

    A piece asserts nothing only if the closed list of `exempt` matches it whole, and talk around
    a statement is cut off. List marks and citation markers are no part of any claim. An answer
    that shows something but has nothing to read gives one claim marked empty; an answer of white
    space gives none.
    """
    pointers = markers(answer)
    named = [one for one in pointers if one.style is MarkerStyle.NAMED]
    stripped = [
        one for one in pointers if one.style not in (MarkerStyle.MENTION, MarkerStyle.NAMED)
    ]
    pieces = [
        trimmed
        for piece in _pieces(answer, question.text if question else "")
        for part in _source_apart(answer, piece, named)
        for trimmed in _without_markers(answer, part, stripped)
    ]
    claims = tuple(_claims(answer, pieces, pointers))
    return claims or _nothing_to_read(answer)


def _pieces(answer: str, question: str) -> Iterator[AnswerPiece]:
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
            start, end = undressed(
                answer, max(start, line.body) if start <= line.body else start, end
            )
            if start >= end:
                continue
            number += 1
            cut = tuple(cut_line(answer, Span(start=start, end=end), line, said, number))
            yield from cut
            said = _remembering(said, answer[start:end], line, cut)
            if said.queue and any(one.opposite or one.unclear for one in cut):
                said = replace(said, asked=said.queue[0], queue=said.queue[1:])


def _groups(found: tuple[AnswerLine, ...]) -> Iterator[list[AnswerLine]]:
    """Gather running lines, which the sentence splitter may join; all others stand alone."""
    group: list[AnswerLine] = []
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


def _line_at(group: list[AnswerLine], at: int) -> AnswerLine:
    low, high = 0, len(group)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if group[middle].start <= at else (low, middle)
    return group[low]


def _remembering(
    said: PriorContext, text: str, line: AnswerLine, cut: tuple[AnswerPiece, ...]
) -> PriorContext:
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
    stated = next((one.statement for one in cut if one.reason is None and one.statement), asserted)
    return replace(
        said,
        subject=said.named_subject(asserted) or said.subject,
        antecedent=_antecedent(stated) or said.antecedent,
    )


def _antecedent(sentence: str) -> str:
    """The subject of a sentence, if a later pronoun can stand for it."""
    phrase = subject_phrase(sentence[:_LONGEST_SENTENCE])
    found = plain_tokens(phrase)
    if not 0 < len(found) <= _LONGEST_SUBJECT or found[0] in en.ANAPHORS | en.PRONOUNS:
        return ""
    at = tokens(phrase)[0].start
    return phrase[at:] if found[0] not in en.SUBORDINATORS | en.CONDITIONALS | en.ADVERBIAL else ""


def _source_apart(answer: str, piece: AnswerPiece, named: list[Marker]) -> Iterator[AnswerPiece]:
    """Cut the name of a source off the end of a piece: "It is old (Source: report)"."""
    inside = _between(named, piece.start, piece.end) if piece.kind is not ClaimKind.SOURCE else []
    last = inside[-1] if inside and piece.reason is None else None
    if (
        last is None
        or last.start < piece.start
        or last.end > piece.end
        or answer[last.end : piece.end].strip(" .,;:!?")
    ):
        yield piece
        return
    cut = replace(piece, end=undressed(answer, piece.start, last.start)[1])
    if cut.start < cut.end:
        yield replace(cut, statement=_unsourced(piece.statement, answer[last.start : last.end]))
    name = _NAME.match(answer, last.start)
    start = name.end() if name else last.start
    yield replace(
        piece,
        start=last.start,
        end=piece.end,
        kind=ClaimKind.SOURCE,
        context="",
        statement=answer[start : last.end].strip(" ()"),
        opens=False,
    )


def _unsourced(statement: str, mark: str) -> str:
    return statement.replace(mark, "").replace(" .", ".").strip()


def _without_markers(answer: str, piece: AnswerPiece, found: list[Marker]) -> Iterator[AnswerPiece]:
    """Trim markers off both ends; a piece of nothing but markers is dropped."""
    start, end = piece.start, piece.end
    inside = [one for one in _between(found, start, end) if one.start >= start and one.end <= end]
    while inside and not answer[start : inside[0].start].strip(DRESSING + ".,;:"):
        start = inside.pop(0).end
    while inside and not answer[inside[-1].end : end].strip(DRESSING + ".,;:!?。"):
        end = inside.pop().start
    if (start, end) != (piece.start, piece.end):
        start = start + len(answer[start:end]) - len(answer[start:end].lstrip(DRESSING + ".,;:"))
        start, end = undressed(answer, start, end)
    if start < end and any(map(str.isalnum, answer[start:end])):
        before, behind = answer[piece.start : start], answer[end : piece.end]
        stated = _trimmed(piece.statement, before, behind) if before or behind else piece.statement
        yield replace(piece, start=start, end=end, statement=stated)


def _trimmed(statement: str, before: str, behind: str) -> str:
    """A statement without the markers that were trimmed off its text."""
    said, mark = statement.rstrip(" .,"), behind.strip(" .,")
    if mark and said.endswith(mark):
        statement = said.removesuffix(mark).rstrip() + "."
    return statement.removeprefix(before.strip()).lstrip()


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


def _claims(
    answer: str, pieces: list[AnswerPiece], pointers: tuple[Marker, ...]
) -> Iterator[Claim]:
    cited = _cited(answer, pieces, pointers)
    for piece, labels, following in zip(pieces, cited, _followers(pieces), strict=True):
        yield Claim(
            text=answer[piece.start : piece.end],
            start=piece.start,
            end=piece.end,
            kind=piece.kind,
            not_checkable=piece.reason,
            context=piece.context,
            cited=() if piece.kind is ClaimKind.SOURCE else labels,
            statement=_judged(answer, piece, following),
            unclear=piece.unclear,
            opposite=piece.opposite,
            instead=piece.instead,
        )


def _followers(pieces: list[AnswerPiece]) -> list[AnswerPiece | None]:
    """For each piece the next one that asserts something by itself, or the last one before it."""
    found: list[AnswerPiece | None] = []
    following: AnswerPiece | None = None
    for piece in reversed(pieces):
        found.append(following)
        if piece.reason is None and not piece.opens:
            following = piece
    before = next((one for one in reversed(pieces) if one.reason is None and not one.opens), None)
    return [one or before for one in reversed(found)]


def _judged(answer: str, piece: AnswerPiece, following: AnswerPiece | None) -> str:
    """The statement in plain characters; a label is judged with what follows it."""
    if piece.reason is not None:
        return ""
    said = piece.statement or answer[piece.start : piece.end]
    own = plain_form(said)
    if own != said:
        own = _untalked(own)
    if not piece.opens or following is None or following is piece:
        return own
    stated = _judged(answer, following, None)
    named = piece.kind is ClaimKind.TABLE_ROW or stated.startswith(own.rstrip(" :："))
    joint = " " if answer[piece.end - 1].isalpha() and piece.kind is ClaimKind.CLAUSE else ": "
    return stated if named else f"{own.rstrip(' :：,')}{joint}{stated}"


def _untalked(said: str) -> str:
    """A statement without the talk that only shows when its markup is gone."""
    start, end = head_end(said), tail_start(said)
    return bare(said[start:end]) if start or end < len(said) else said


def _cited(
    answer: str, pieces: list[AnswerPiece], pointers: tuple[Marker, ...]
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


def _owner(answer: str, pieces: list[AnswerPiece], one: Marker) -> int | None:
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
        claim.not_checkable is not None or _SILENCE.search(claim.text[:400]) for claim in claims
    )


def coverage(answer: str, claims: tuple[Claim, ...]) -> float:
    """Share of the answer's letters and digits that lies inside claims, from 0 to 1."""
    return covered(answer, ((claim.start, claim.end) for claim in claims))
