"""An ordinary answer, cut into claims that are exact pieces of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from firmground.claims import words as en
from firmground.claims.clauses import clauses
from firmground.claims.context import Said, said_of, subject_phrase
from firmground.claims.exempt import asks_something, asserts_alone, exempt
from firmground.claims.replying import Reply, read_reply, tail_statement
from firmground.claims.statements import (
    bare,
    grounds,
    is_clause,
    of_question,
    plain_form,
    row_statement,
    with_lead_in,
    with_subject,
)
from firmground.claims.tokens import plain_tokens, tokens
from firmground.claims.wrapping import heads, structural_head, tails
from firmground.core.claim import Claim, ClaimKind, NotCheckable
from firmground.core.coverage import covered
from firmground.core.layout import Line, LineKind, lines
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.marker import Marker, MarkerStyle, markers
from firmground.core.question import Question
from firmground.core.segment import Span, sentences

_DRESSING = " \t\n\r\v\f*_#>|`~\u00a0\u3000"
_FLOWING = (LineKind.PROSE, LineKind.LIST_ITEM)
_LONGEST_REPLY = 2000
_MOST_HEADS = 3
_LONGEST_SUBJECT = 8
_GROUNDS = (
    r"(?:since|because|as|given that|now that|seeing that|considering that|knowing that|when|"
    r"before|after|while|although|even though|given|considering|knowing)"
)
_ASKS = (
    r"(?:what|which|how|when|where|who|why|would|do|did|does|can|could|shall|should|may|will|is|"
    r"are|was|were|have|has|don't|didn't|isn't|aren't|won't|wouldn't)"
)
_GROUNDS_FIRST = lazy_pattern(rf"{_GROUNDS} .{{3,600}}?,(?= (?:then )?{_ASKS} )", re.I | re.S)
_GROUNDS_LAST = lazy_pattern(
    r",(?= (?:since|because|as|given that|now that|seeing that|considering that|knowing that) )",
    re.I,
)
_SILENCE = lazy_pattern(
    rf"\b(?:{en.EVIDENCE_NOUNS}|they|it) (?:\w+ ){{0,2}}"
    r"(?:(?:do|does|did) not|don't|doesn't|didn't) (?:\w+ )?"
    r"(?:provide|mention|contain|include|discuss|specify|state|say|address|give|offer|cover)",
    re.I,
)
_ONLY_SOURCE = lazy_pattern(
    r"\(?(?:sources?|refs?|references?|citations?|citing)\s?:\s?([^()\n]*[^\W_][^()\n]*)\)?\W*",
    re.I,
)
_NAME = lazy_pattern(r"\(\w+\s?:\s?")
_PERMITTED = lazy_pattern(
    r"(?:please )?(?:do )?(?:feel free to|don't hesitate to|do not hesitate to|"
    r"(?:you are|you're) (?:welcome|free|allowed|permitted) to) ",
    re.I,
)


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
    statement: str = ""
    """What is judged where that is not the text itself."""
    unclear: bool = False
    opens: bool = False
    """True for a label or lead-in without an assertion: it is judged with what follows it."""


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
    return start + left, start + max(left, len(piece.rstrip(_DRESSING.replace(">", ""))))


def _cut(answer: str, span: Span, line: Line, said: Said, number: int) -> Iterator[_Piece]:
    """Cut one sentence, heading or table row into pieces that are judged or exempt."""
    start, end = span.start, span.end
    text = answer[start:end]
    row = line.kind in (LineKind.TABLE_HEAD, LineKind.TABLE_ROW)
    item = line.kind is LineKind.LIST_ITEM
    whole = _Piece(
        start=start,
        end=end,
        kind=ClaimKind.TABLE_ROW if row else ClaimKind.LIST_ITEM if item else ClaimKind.SENTENCE,
        reason=None,
        context=said.item_context(text) if item else "" if row else said.sentence_context(text),
        sentence=number,
    )
    if row:
        yield from _row(answer, whole, line, said)
    elif line.kind is LineKind.FENCE and text.lower() in en.CODE_LANGUAGES:
        yield replace(whole, reason=NotCheckable.HEADING, context="")
    else:
        yield from _sentence(answer, whole, said, heading=line.kind is LineKind.HEADING)


def _row(answer: str, whole: _Piece, line: Line, said: Said) -> Iterator[_Piece]:
    """A row is one claim, unless whole sentences stand in its cells."""
    text = answer[whole.start : whole.end]
    head = line.kind is LineKind.TABLE_HEAD
    if not head:
        whole = replace(whole, context=said.row_context())
    if not any(map(is_clause, text.split("|"))):
        opens = head and not asserts_alone(text)
        yield replace(
            whole, opens=opens, statement=row_statement(text, "" if head else said.table_head)
        )
        return
    at = 0
    for cell in text.split("|"):
        piece = _inside(answer, whole, at, at + len(cell))
        at += len(cell) + 1
        if piece is not None and any(map(str.isalnum, cell)):
            yield replace(piece, opens=not is_clause(cell) and not asserts_alone(cell))


def _sentence(
    answer: str, whole: _Piece, said: Said, *, heading: bool, depth: int = 0
) -> Iterator[_Piece]:
    text = answer[whole.start : whole.end]
    source = _ONLY_SOURCE.fullmatch(text) if len(text) <= _LONGEST_REPLY else None
    if source is not None:
        yield replace(whole, kind=ClaimKind.SOURCE, context="", statement=source[1].strip())
        return
    reply = read_reply(text) if len(text) <= _LONGEST_REPLY else None
    if reply is not None and _answers(reply, text, said):
        yield from _reply(answer, whole, reply, said)
        return
    reason = exempt(text)
    if reason is not None:
        yield replace(whole, reason=reason, context="")
        return
    if asks_something(text) and _GROUNDS_FIRST.match(text):
        yield from _question(answer, whole, said)
        return
    behind = tails(text)
    stop = min(behind, default=len(text))
    ends = heads(text[:stop])
    at = 0
    for end in ends:
        yield _talk(answer, whole, at, end, NotCheckable.LEAD_IN)
        at = end
    core = _inside(answer, whole, at, stop)
    split = 0
    if core is not None and not heading and depth < _MOST_HEADS:
        split = structural_head(answer[core.start : core.end])
    head = _inside(answer, core, 0, split) if core is not None and split else None
    rest = (
        _inside(answer, core, split, core.end - core.start) if core is not None and head else None
    )
    if head is not None and rest is not None:
        opening = bare(answer[head.start : head.end]).removesuffix(".")
        yield replace(head, kind=ClaimKind.CLAUSE, opens=True, statement=opening)
        rest = replace(rest, kind=_rest_kind(rest.kind))
        yield from _sentence(answer, rest, said, heading=False, depth=depth + 1)
    elif core is not None:
        yield from _core(
            answer, core, said, cut=bool(ends or depth) or stop < len(text), heading=heading
        )
    for start, end in pairwise((*behind, len(text))):
        yield _talk(answer, whole, start, end, NotCheckable.QUESTION)


def _talk(answer: str, whole: _Piece, at: int, end: int, reason: NotCheckable) -> _Piece:
    """A piece of talk around a statement, named by the entry of the closed list it matches."""
    talk = _inside(answer, whole, at, end) or whole
    listed = exempt(answer[talk.start : talk.end], question=False)
    return replace(talk, reason=listed or reason, context="")


def _inside(answer: str, whole: _Piece, at: int, end: int) -> _Piece | None:
    start, stop = _undressed(answer, whole.start + at, whole.start + end)
    return replace(whole, start=start, end=stop) if start < stop else None


def _answers(reply: Reply, text: str, said: Said) -> bool:
    """True when a yes or no is one, and not a polite word before what was asked for."""
    if said.asked is not None:
        return True
    polite = exempt(text[: reply.end]) is not None
    return not polite and (reply.rest >= len(text) or reply.end < reply.rest)


def _reply(answer: str, whole: _Piece, reply: Reply, said: Said) -> Iterator[_Piece]:
    """Judge a yes or no as the question's proposition or its denial, and its tail as well."""
    text = answer[whole.start : whole.end]
    asked, tail = said.asked, text[reply.rest :]
    own_clause = len(plain_tokens(tail)) > 2
    if asked is None and own_clause:
        # Nothing was asked that it could answer: it stresses what follows.
        yield replace(whole, reason=None, statement=bare(tail))
        return
    rest = _inside(answer, whole, reply.rest, len(text))
    alone = rest is None or not any(map(str.isalnum, tail))
    word = whole if alone else _inside(answer, whole, 0, reply.end) or whole
    stated = (asked.affirmed if reply.affirms else asked.denied) if asked else ""
    yield replace(
        word,
        kind=whole.kind if alone else ClaimKind.CLAUSE,
        statement=bare(stated) if stated else "",
        unclear=not stated or not reply.clear,
    )
    if rest is None or alone:
        return
    completed = tail_statement(tail, asked) if asked else ""
    if completed:
        yield replace(rest, kind=ClaimKind.CLAUSE, statement=bare(completed))
    else:
        yield from _sentence(answer, replace(rest, kind=ClaimKind.CLAUSE), said, heading=False)


def _core(answer: str, whole: _Piece, said: Said, *, cut: bool, heading: bool) -> Iterator[_Piece]:
    """Judge what is left of a sentence without the talk around it."""
    text = answer[whole.start : whole.end]
    kind = _rest_kind(whole.kind) if cut else whole.kind
    if asks_something(text):
        yield from _question(answer, replace(whole, kind=kind), said)
        return
    if cut:
        reason = exempt(text)
        if reason is not None:
            yield replace(whole, kind=kind, reason=reason, context="")
            return
    if heading or text.endswith((":", "：")):
        opens = not heading or not asserts_alone(text)
        yield replace(whole, kind=kind, opens=opens, statement=bare(text) if cut else "")
        return
    spans = clauses(text)
    before = ""
    for span in spans:
        clause = text[span.start : span.end]
        single = len(spans) == 1
        yield replace(
            whole,
            start=whole.start + span.start,
            end=whole.start + span.end,
            kind=kind if single else ClaimKind.CLAUSE,
            context=said.clause_context(clause, text, before) if before else whole.context,
            statement=_statement(
                clause,
                text,
                before,
                said,
                cut=cut and span.start == 0,
                item=single and kind is ClaimKind.LIST_ITEM,
            ),
        )
        before = clause


def _statement(
    clause: str, sentence: str, before: str, said: Said, *, cut: bool, item: bool
) -> str:
    """A clause made self-contained; empty when it already is."""
    base = bare(clause) if cut else clause
    subject = subject_phrase(sentence) if before else ""
    if item and with_lead_in(base, said.lead_in):
        return with_lead_in(base, said.lead_in)
    permitted = _PERMITTED.match(base)
    if permitted:
        return f"You can {base[permitted.end() :]}"
    return (
        with_subject(base, subject or said.antecedent)
        or (with_subject(base, said.about) if not before else "")
        or (base if cut else "")
    )


def _question(answer: str, whole: _Piece, said: Said) -> Iterator[_Piece]:
    """Judge what a question takes for granted; a pure question to the user asserts nothing."""
    text = answer[whole.start : whole.end]
    reason = exempt(text)
    if reason is not None:
        yield replace(whole, reason=reason, context="")
        return
    opening = _GROUNDS_FIRST.match(text)
    closing = None if opening else _GROUNDS_LAST.search(text)
    split = opening.end() if opening else closing.start() + 1 if closing else 0
    first, second = _inside(answer, whole, 0, split), _inside(answer, whole, split, len(text))
    if split and first and second:
        for part in (first, second):
            yield from _part_of_question(answer, replace(part, kind=ClaimKind.CLAUSE), said)
        return
    yield replace(whole, statement=of_question(text))


def _part_of_question(answer: str, part: _Piece, said: Said) -> Iterator[_Piece]:
    """One half of "Since it is open, would you like to go?"; the half that asks may be exempt."""
    text = answer[part.start : part.end]
    reason = exempt(text, question=True)
    if reason is not None:
        yield replace(part, reason=reason, context="")
        return
    at = 0
    for end in heads(text):
        yield _talk(answer, part, at, end, NotCheckable.LEAD_IN)
        at = end
    rest = _inside(answer, part, at, len(text))
    if rest is None:
        return
    said_there = answer[rest.start : rest.end]
    asks = plain_tokens(said_there)[:1] and plain_tokens(said_there)[0] in en.QUESTION_OPENERS
    granted = grounds(said_there)
    stated = of_question(said_there) if asks else with_subject(granted, said.antecedent) or granted
    yield replace(rest, statement=stated)


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
    stated = next((one.statement for one in cut if one.reason is None and one.statement), asserted)
    return replace(
        said,
        subject=said.named_subject(asserted) or said.subject,
        antecedent=_antecedent(stated) or said.antecedent,
    )


def _antecedent(sentence: str) -> str:
    """The subject of a sentence, if a later pronoun can stand for it."""
    phrase = subject_phrase(sentence[:_LONGEST_REPLY])
    found = plain_tokens(phrase)
    if not 0 < len(found) <= _LONGEST_SUBJECT or found[0] in en.ANAPHORS | en.PRONOUNS:
        return ""
    at = tokens(phrase)[0].start
    return phrase[at:] if found[0] not in en.SUBORDINATORS | en.CONDITIONALS | en.ADVERBIAL else ""


def _source_apart(answer: str, piece: _Piece, named: list[Marker]) -> Iterator[_Piece]:
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
    cut = replace(piece, end=_undressed(answer, piece.start, last.start)[1])
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


def _claims(answer: str, pieces: list[_Piece], pointers: tuple[Marker, ...]) -> Iterator[Claim]:
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
        )


def _followers(pieces: list[_Piece]) -> list[_Piece | None]:
    """For each piece the next one that asserts something by itself, or the last one before it."""
    found: list[_Piece | None] = []
    following: _Piece | None = None
    for piece in reversed(pieces):
        found.append(following)
        if piece.reason is None and not piece.opens:
            following = piece
    before = next((one for one in reversed(pieces) if one.reason is None and not one.opens), None)
    return [one or before for one in reversed(found)]


def _judged(answer: str, piece: _Piece, following: _Piece | None) -> str:
    """The statement in plain characters; a label is judged with what follows it."""
    if piece.reason is not None:
        return ""
    own = plain_form(piece.statement or answer[piece.start : piece.end])
    if not piece.opens or following is None or following is piece:
        return own
    stated = _judged(answer, following, None)
    named = piece.kind is ClaimKind.TABLE_ROW or stated.startswith(own.rstrip(" :："))
    joint = " " if answer[piece.end - 1].isalpha() and piece.kind is ClaimKind.CLAUSE else ": "
    return stated if named else f"{own.rstrip(' :：,')}{joint}{stated}"


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
        claim.not_checkable is not None or _SILENCE.search(claim.text[:400]) for claim in claims
    )


def coverage(answer: str, claims: tuple[Claim, ...]) -> float:
    """Share of the answer's letters and digits that lies inside claims, from 0 to 1."""
    return covered(answer, ((claim.start, claim.end) for claim in claims))
