"""How evidence frames what it says: denied, reported, supposed, former, proposed, retracted.

"It is a myth that the card can be used abroad" holds every word of "The card can be used abroad"
and supports only the myth. A framing names the words that frame (the cue) and the words that are
framed (the content), each with its exact span. What follows another clause is not framed with it.
"""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from firmground.core.claim import Standing
from firmground.verify.framing_cues import CUES, FrameKind, FramingCue, pattern_of
from firmground.verify.polarity import denials
from firmground.verify.reading import EvidenceIndex, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """One framed stretch of a text; both spans are offsets into that text."""

    kind: FrameKind
    code: str
    """Reason code of an objection to a statement that drops this frame."""
    cue: tuple[int, int]
    content: tuple[int, int]
    standing: Standing = Standing.UNGROUNDED
    """Where a statement stands that repeats the content without the frame."""
    strong: bool = True
    """False when the content may well hold: "she said that …" is only a feature."""
    pivot: bool = False
    """True when only the word right after the cue is framed, and the rest may be presupposed."""
    partial: bool = False
    """True when the content is part of a clause, whose subject may stand outside it."""


_MOST = 64
_FARTHEST = 400
_PARTIAL = frozenset({"after", "comma", "opening"})


# Where a clause ends, so that what follows is not framed with it.
_TURN = pattern_of(
    r";|:(?=\s)|[.!?](?=\s)|,? (?:but|although|though|while|whereas|however|yet)\b|, (?:which|who|where|so|then)\b"
    r"|,? and (?:it|they|he|she|we|you|i|there|has|have|is|are|was|were|does|do|offers?|provides?|features?|serves?|accepts?|includes?|can|will)\b"
    r"|, (?:it|they|he|she|we|you|i|there|records|in fact|in reality)\b|, and (?:its|their|his|her|the|an?|this|these)\b"
    r"| (?:who|which) (?:is|are|was|were|has|have|had)\b| so (?:that|the|it|they|you|we)\b"
)
_SPOKEN = pattern_of(r"\s*[:,]?\s*[\"“](?P<content>[^\"“”]{3,300})[\"”]")
_FRONTED = pattern_of(
    r"\s*(?:while|although|though|even though|whereas|since|because|despite|even if|as)\b"
)
_NOUN_DENIAL = pattern_of(r"without|lack(?:s|ed|ing)?|ohne|sans|sin")
_CONDITION = pattern_of(r"\b(?:until|unless|if|whether|wenn|falls|si|than|because)\b")
_EXCEPTION = pattern_of(
    r"[,(]?\s?\b(?:only|except(?:ing)?|other than|apart from|but for|besides|save for|excluding)\b"
)
_QUESTION = pattern_of(r"(?:(?<=[.!?:] )|^)[^.!?]{2,300}\?+")
_YES_NO = pattern_of(
    r"^\W*(?:q(?:uestion)?\W+)?(?:and |so |but )?(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|isn['’]t|aren['’]t|don['’]t|doesn['’]t|can['’]t|won['’]t)\b"
)
_NO = pattern_of(
    r"^\W*(?:a(?:nswer)?\W+)?(?:(?:unfortunately|sadly|sorry|actually|currently)\W+)?(?:no|not?|nope|never|neither)\b(?! one\b| more\b| longer\b| later\b| fewer\b)(?=[\s.,;:!–—]|$)(?!\s+[a-z]+s\b)"
)
_YES = pattern_of(
    r"^\W*(?:a(?:nswer)?\W+)?(?:yes|yep|correct|absolutely|certainly|of course|definitely|indeed|sure)\b"
)


@lru_cache(maxsize=4096)
def framings(text: str) -> tuple[Framing, ...]:
    """Every framing that a text shows by itself, in order of its cue."""
    cued = tuple(_cued(text))
    taken = {at for one in cued if one.kind is FrameKind.DENIED for at in range(*one.cue)}
    # "There is no evidence that" is one denial, not two.
    plain = (one for one in _denied(text) if one.cue[0] not in taken)
    return tuple(sorted((*cued, *plain), key=lambda one: (one.cue, one.content))[:_MOST])


def passage_framings(passage: Passage, reading: EvidenceIndex) -> tuple[Framing, ...]:
    """The framings of a passage, among them those that its markup and its neighbours show.

    Struck-through text is former. A question is answered by the passage that follows: answered with
    no, it is denied; answered with yes, it is stated.
    """
    struck = tuple(
        Framing(
            kind=FrameKind.FORMER,
            code="former_as_current",
            cue=span,
            content=span,
            standing=Standing.CONTRADICTED,
            partial=True,
        )
        for span in passage.struck
    )
    text, own = passage.text, framings(passage.text)
    if "?" not in text:
        return (*struck, *own)
    asked = tuple(_questions(text, reading.beside(passage, 1)))
    spans = [one.content for one in asked]
    kept = (one for one in own if not any(a <= one.cue[0] < b for a, b in spans))
    return (*struck, *asked, *kept)


def _questions(text: str, following: str) -> Iterator[Framing]:
    """The questions of a text, each with what its answer makes of it."""
    for found in _QUESTION.finditer(text):
        answer = text[found.end() :].strip() or following
        if _YES.match(answer):
            continue
        polar = _YES_NO.match(found.group()) is not None
        denied = polar and _NO.match(answer) is not None
        yield Framing(
            kind=FrameKind.DENIED if denied else FrameKind.QUESTIONED,
            code="denial_as_fact" if denied else "question_as_fact",
            cue=found.span(),
            content=found.span(),
            standing=Standing.CONTRADICTED if denied else Standing.UNGROUNDED,
            strong=polar,
        )


def _cued(text: str) -> Iterator[Framing]:
    for cue in CUES:
        for found in cue.pattern.finditer(text):
            if found.group().strip() == "May" or _is_tool(text, found) or _is_step(text, found):
                continue
            named = cue.pattern.groupindex
            at = found.span("cue") if "cue" in named else found.span()
            inside = found.span("content") if "content" in named else _reach(text, cue, at)
            if inside[0] < inside[1]:
                yield Framing(
                    kind=cue.kind,
                    code=cue.code,
                    cue=at,
                    content=inside,
                    standing=cue.standing,
                    strong=cue.strong,
                    pivot=cue.pivot,
                    # "… that" opens a whole clause with a subject of its own.
                    partial=cue.reach in _PARTIAL and not found.group().lower().endswith("that"),
                )


def _is_tool(text: str, found: re.Match[str]) -> bool:
    """True for "a key used to encrypt files is …", where *used to* is not a past tense."""
    if found.group().lower() != "used to":
        return False
    low, high = _clause(text, found.span())
    return bool(_FINITE.search(text, low, found.start()) or _FINITE.search(text, found.end(), high))


def _is_step(text: str, found: re.Match[str]) -> bool:
    """True for "the first step … is to drill a hole", which tells what to do and no plan."""
    return (
        _IS_TO.match(found.group()) is not None and _STEP.search(text, 0, found.start()) is not None
    )


def _reach(text: str, cue: FramingCue, at: tuple[int, int]) -> tuple[int, int]:
    """How far a cue frames."""
    quoted = None if cue.reach == "all" else _SPOKEN.match(text, at[1])
    if cue.reach == "all" or quoted is not None:
        return quoted.span("content") if quoted else (0, len(text))
    low, high = _clause(text, at)
    if cue.reach == "clause":
        return low, high
    if cue.reach == "before":
        return max(low, text.rfind(", and ", low, at[0]), text.rfind(", or ", low, at[0])), at[0]
    comma = text.find(",", at[1], high)
    if comma >= 0 and _RELATIVE.search(text, low, at[0]):
        return at[1], comma
    opens = cue.reach == "opening" and comma > at[1] and text[at[1] : comma].strip(" ,") != ""
    if (cue.reach == "comma" and comma >= 0) or (
        opens and text[:1].isupper() and _no_verb(text, at[1], comma)
    ):
        return at[1], comma
    return at[1], high


_IS_TO = pattern_of(r"(?:is|are) to ")
_STEP = pattern_of(
    r"\b(?:step|trick|way|method|key|secret|goal|task|job|idea|aim|purpose|best|easiest|option)s?\b"
)
_RELATIVE = pattern_of(r", (?:who|which)(?: \w+){0,2} $")


def _no_verb(text: str, low: int, high: int) -> bool:
    """True when an opening phrase has no finite verb, so that the main clause is still to come."""
    return _FINITE.search(text, low, high) is None


_FINITE = pattern_of(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|must|may|might)\b"
)


def _clause(text: str, at: tuple[int, int]) -> tuple[int, int]:
    """The clause around a place: from the turn before it to the turn after it, within reach."""
    low, high = max(0, at[0] - _FARTHEST), min(len(text), at[1] + _FARTHEST)
    for turn in _TURN.finditer(text, low, high):
        if turn.end() <= at[0]:
            low = turn.end() if turn.group()[0] in ";:.!?" else turn.start()
        elif turn.start() >= at[1]:
            return low, turn.start()
    return low, high


def exception_to(text: str, framing: Framing) -> str:
    """What a framing excepts: "in the data centre" of "…, except in the data centre"."""
    found = _EXCEPTION.match(text, framing.content[1])
    return text[found.end() : _clause(text, found.span())[1]] if found else ""


def _denied(text: str) -> Iterator[Framing]:
    """Plain negation: it frames its own clause, whatever other clauses follow."""
    for at in denials(text):
        low, high = _clause(text, at)
        if _FRONTED.match(text, low) and (comma := text.find(",", at[1], high)) >= 0:
            high = comma
        if _NOUN_DENIAL.fullmatch(text, *at) and (comma := text.find(",", at[1], high)) >= 0:
            low, high = at[1], comma
        excepted = _EXCEPTION.search(text, at[1], high)
        high = excepted.start() if excepted else high
        if _CONDITION.search(text, low, high) is None:
            yield Framing(
                kind=FrameKind.DENIED,
                code="negation_dropped",
                cue=at,
                content=(low, high),
                standing=Standing.CONTRADICTED,
                pivot=True,
            )
