"""One sentence, heading or table row, cut into pieces that are judged or exempt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from firmground.claims import words as en
from firmground.claims.clauses import clauses
from firmground.claims.context import PriorContext, subject_phrase
from firmground.claims.exempt import asks_something, asserts_alone, exempt, says_little
from firmground.claims.proposition import Proposition
from firmground.claims.replying import (
    YesNoReply,
    clipped,
    echoed,
    read_reply,
    replaces,
    tail_statement,
)
from firmground.claims.statements import (
    bare,
    grounds,
    is_clause,
    of_question,
    row_statement,
    with_lead_in,
    with_subject,
)
from firmground.claims.tokens import plain_tokens
from firmground.claims.wrapping import head_end, heads, structural_head, tails
from firmground.core.claim import ClaimKind, NotCheckable
from firmground.core.layout import AnswerLine, LineKind
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import Span

DRESSING = " \t\n\r\v\f*_#>|`~\u00a0\u3000"
"""Marks around a piece that are no part of it."""
_LONGEST_REPLY = 2000
_MOST_HEADS = 3
_DENYING = frozenset(
    "no not never none nope neither don't doesn't isn't aren't can't cannot won't didn't wasn't "
    "weren't hasn't haven't nah".split()
)
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
_FOOTNOTE = lazy_pattern(r"\[\^?\d{1,3}\]\s*$")
_ONLY_SOURCE = lazy_pattern(
    r"\(?(?:sources?|refs?|references?|citations?|citing)\s?:\s?([^()\n]*[^\W_][^()\n]*)\)?\W*",
    re.I,
)
_PERMITTED = lazy_pattern(
    r"(?:please )?(?:do )?(?:feel free to|don't hesitate to|do not hesitate to|"
    r"(?:you are|you're) (?:welcome|free|allowed|permitted) to) ",
    re.I,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPiece:
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
    opposite: str = ""
    """For a yes or no: what the other of the two would have stated."""
    instead: str = ""
    """For a no: what its tail puts in the place of what was asked."""
    opens: bool = False
    """True for a label or lead-in without an assertion: it is judged with what follows it."""


def undressed(answer: str, start: int, end: int) -> tuple[int, int]:
    """Where a stretch begins and ends without the marks around it."""
    piece = answer[start:end]
    left = len(piece) - len(piece.lstrip(DRESSING))
    return start + left, start + max(left, len(piece.rstrip(DRESSING.replace(">", ""))))


def cut_line(
    answer: str, span: Span, line: AnswerLine, said: PriorContext, number: int
) -> Iterator[AnswerPiece]:
    """Cut one sentence, heading or table row into pieces that are judged or exempt."""
    start, end = span.start, span.end
    text = answer[start:end]
    row = line.kind in (LineKind.TABLE_HEAD, LineKind.TABLE_ROW)
    item = line.kind is LineKind.LIST_ITEM
    whole = AnswerPiece(
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


def _row(
    answer: str, whole: AnswerPiece, line: AnswerLine, said: PriorContext
) -> Iterator[AnswerPiece]:
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
    answer: str, whole: AnswerPiece, said: PriorContext, *, heading: bool, depth: int = 0
) -> Iterator[AnswerPiece]:
    text = answer[whole.start : whole.end]
    source = _ONLY_SOURCE.fullmatch(text) if len(text) <= _LONGEST_REPLY else None
    if source is not None:
        yield replace(whole, kind=ClaimKind.SOURCE, context="", statement=source[1].strip())
        return
    reply = read_reply(text) if len(text) <= _LONGEST_REPLY else None
    if reply is not None and _answers(reply, text, said):
        yield from _reply(answer, whole, reply, said)
        return
    reason = exempt(_FOOTNOTE.sub("", text) or text)
    if reason is not None:
        yield replace(whole, reason=reason, context="")
        return
    if said.asked is not None and (stated := _short_answer(text, said.asked)) is not None:
        yield replace(whole, statement=bare(stated) if stated else "", unclear=not stated)
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


def _short_answer(text: str, asked: Proposition) -> str | None:
    """What a few words state as the answer to a yes/no question; empty when they leave it open."""
    at = head_end(text)
    inner = read_reply(text[at:]) if at else None
    if inner is not None and inner.rest >= len(text) - at and inner.clear:
        return inner.stated(asked)
    if says_little(text):
        return echoed(text, asked)
    return echoed(text, asked) or clipped(text, asked) or None


def _talk(answer: str, whole: AnswerPiece, at: int, end: int, reason: NotCheckable) -> AnswerPiece:
    """A piece of talk around a statement, named by the entry of the closed list it matches."""
    talk = _inside(answer, whole, at, end) or whole
    listed = exempt(answer[talk.start : talk.end], question=False)
    return replace(talk, reason=listed or reason, context="")


def _inside(answer: str, whole: AnswerPiece, at: int, end: int) -> AnswerPiece | None:
    start, stop = undressed(answer, whole.start + at, whole.start + end)
    return replace(whole, start=start, end=stop) if start < stop else None


def _answers(reply: YesNoReply, text: str, said: PriorContext) -> bool:
    """True when a yes or no is one, and not a polite word before what was asked for."""
    if said.asked is not None or reply.scope or reply.truth:
        return said.asked is not None
    polite = exempt(text[: reply.end]) is not None
    return not polite and (reply.rest >= len(text) or reply.end < reply.rest)


def _reply(
    answer: str, whole: AnswerPiece, reply: YesNoReply, said: PriorContext
) -> Iterator[AnswerPiece]:
    """Judge a yes or no as the question's proposition or its denial, and its tail as well."""
    text = answer[whole.start : whole.end]
    asked, tail = said.asked, text[reply.rest :]
    own_clause = len(plain_tokens(tail)) > 2
    if asked is None and own_clause:
        # Nothing was asked that it could answer: it stresses what follows.
        yield replace(whole, reason=None, statement=bare(tail))
        return
    rest = _inside(answer, whole, reply.rest, len(text))
    little = asked is not None and says_little(tail)
    if little and reply.affirms and not _DENYING.isdisjoint(plain_tokens(tail)):
        reply = replace(reply, clear=False)
    alone = rest is None or little or not any(map(str.isalnum, tail))
    word = whole if alone else _inside(answer, whole, 0, reply.end) or whole
    stated, opposite = (
        (reply.stated(asked), reply.stated(asked, opposite=True)) if asked else ("", "")
    )
    found = () if rest is None or alone else tuple(_tail(answer, rest, reply, said))
    alternative = ""
    if asked and not reply.affirms and found and found[0].reason is None:
        first = found[0].statement or bare(answer[found[0].start : found[0].end])
        alternative = first if replaces(tail, first, asked) else ""
    yield replace(
        word,
        kind=whole.kind if alone else ClaimKind.CLAUSE,
        statement=bare(stated) if stated else "",
        opposite=bare(opposite) if opposite else "",
        instead=alternative,
        unclear=not stated or not reply.clear,
    )
    yield from found


def _tail(
    answer: str, rest: AnswerPiece, reply: YesNoReply, said: PriorContext
) -> Iterator[AnswerPiece]:
    """Judge what follows a yes or no, with what it leaves out of the question."""
    tail = answer[rest.start : rest.end]
    rest = replace(rest, kind=ClaimKind.CLAUSE)
    completed = tail_statement(tail, said.asked, affirms=reply.affirms) if said.asked else ""
    if completed:
        yield replace(rest, statement=bare(completed))
    else:
        yield from _sentence(answer, rest, said, heading=False)


def _core(
    answer: str, whole: AnswerPiece, said: PriorContext, *, cut: bool, heading: bool
) -> Iterator[AnswerPiece]:
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
    clause: str, sentence: str, before: str, said: PriorContext, *, cut: bool, item: bool
) -> str:
    """A clause made self-contained; empty when it already is."""
    base = bare(clause) if cut else clause
    subject = subject_phrase(sentence) if before else ""
    if item and (led := with_lead_in(base, said.lead_in or said.heading)):
        return led
    permitted = _PERMITTED.match(base)
    if permitted:
        return f"You can {base[permitted.end() :]}"
    return (
        with_subject(base, subject or said.antecedent)
        or (with_subject(base, said.about) if not before else "")
        or (base if cut else "")
    )


def _question(answer: str, whole: AnswerPiece, said: PriorContext) -> Iterator[AnswerPiece]:
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
    yield replace(whole, statement=_with_subject(of_question(text), said))


def _part_of_question(answer: str, part: AnswerPiece, said: PriorContext) -> Iterator[AnswerPiece]:
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
    stated = of_question(said_there) if asks else grounds(said_there)
    yield replace(rest, statement=_with_subject(stated, said))


def _with_subject(stated: str, said: PriorContext) -> str:
    """A statement with its pronoun replaced by what was spoken of, or else asked about."""
    return with_subject(stated, said.antecedent) or with_subject(stated, said.about) or stated


def _rest_kind(kind: ClaimKind) -> ClaimKind:
    return kind if kind is ClaimKind.LIST_ITEM else ClaimKind.CLAUSE
