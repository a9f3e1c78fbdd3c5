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
from enum import StrEnum
from functools import lru_cache

from firmground.core.claim import Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, Reading


class FrameKind(StrEnum):
    """What a text says about the truth of its content."""

    DENIED = "denied"
    REPORTED = "reported"
    HYPOTHETICAL = "hypothetical"
    FORMER = "former"
    PROPOSED = "proposed"
    RETRACTED = "retracted"
    QUOTED = "quoted"
    QUESTIONED = "questioned"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cue:
    """A pattern of framing words, and how far what they frame reaches."""

    kind: FrameKind
    code: str
    pattern: re.Pattern[str]
    reach: str = "after"
    """``after`` the cue to the end of its clause, to the next ``comma``, its ``clause``, or all."""
    standing: Standing = Standing.UNGROUNDED
    strong: bool = True
    pivot: bool = False


_MOST = 64
_FARTHEST = 400
_PARTIAL = frozenset({"after", "comma", "opening"})


def _words(pattern: str) -> re.Pattern[str]:
    """Compile a pattern in which a blank stands for white space; one character behind."""
    parts = re.split(r"(\(\?<[=!][^)]*\))", pattern)
    made = (part.replace(" ", r"\s" if at % 2 else r"\s+") for at, part in enumerate(parts))
    return lazy_pattern("".join(made), re.IGNORECASE)


_BELIEF = r"(?:claims?|beliefs?|views?|rumou?rs?|reports?|ideas?|assertions?|opinions?|notions?|assumptions?|statements?|arguments?|allegations?|suggestions?|theor(?:y|ies)|accusations?|stor(?:y|ies)|impressions?)"
_SAY = r"(?:believ\w+|think|thinks|thought|assum\w+|claim\w*|says?|said|stat(?:es?|ed|ing)|report\w*|suggest\w*|told|announc\w+|conclud\w+|listed|described|wrote|writes?|cited|gave)"
_FALSE = r"(?:false|untrue|unfounded|wrong|incorrect|baseless|a myth|a hoax|inaccurate|debunked|rejected|refuted|disproved|disproven|dismissed|not true|denied|mistaken|fabricated|invented)"
_LIARS = r"(?:anonymous|unconfirmed|unverified|unnamed|rumou?rs?|leak(?:s|ed)?|tip|posts?|forum|legend|blog|gossip)"
_WEAK_SOURCE = r"(?:reviewers?|users?|customers?|commenters?|visitors?|guests?|neighbou?rs?|bloggers?|analysts?|critics|observers|fans|readers?|witness(?:es)?|people|residents?)"
_GONE = r"(?:deprecated|superseded|obsolete|repealed|abolished|discontinued|rescinded|revoked|withdrawn|phased out|retired|decommissioned|switched off|shut down|removed|scrapped|outdated|dropped|ended|lifted|closed down|dissolved|terminated)"

_CUES: tuple[_Cue, ...] = (
    _Cue(
        kind=FrameKind.DENIED,
        code="denial_as_fact",
        standing=Standing.CONTRADICTED,
        pattern=_words(
            r"\b(?:(?:it|this)(?: is| was|['’]s)(?: \w+){0,2}? (?:an? (?:\w+ )?(?:myth|misconception|mistake|fallacy|hoax|lie|error)|untrue|false|incorrect|wrong|inaccurate|not (?:true|correct|accurate|the case|so))"
            r"(?: to (?:say|think|claim|believe|assume|suggest|state))? that"
            rf"|(?:wrongly|falsely|mistakenly|incorrectly|erroneously)(?: \w+){{0,2}}? {_SAY}(?: \w+)? that"
            rf"|(?:wrongly|falsely|mistakenly|incorrectly|erroneously) {_SAY}"
            rf"|(?:reject|dismiss|refut|disput|debunk|disprov|rebut)(?:s|es|ed|ing|e)? (?:the |an? |any |all |its |his |her |their )?(?:\w+ )?{_BELIEF} (?:that|of)"
            r"|the (?:myth|misconception|fallacy|false (?:claim|belief)) that)\b"
        ),
    ),
    _Cue(
        kind=FrameKind.DENIED,
        code="denial_as_fact",
        pattern=_words(
            r"\b(?:(?:no|little|without|lacks?) (?:\w+ )?(?:evidence|proof|indication|sign|suggestion|basis) (?:(?:to (?:suggest|show|indicate)|for the claim|suggesting|showing) )?that"
            rf"|den(?:y|ies|ied|ying)(?: (?:that|having|any|the {_BELIEF} (?:that|of)))?|(?<!is )(?<!are )(?<!was )(?<!were )(?<!been )rul(?:e|es|ed|ing) out)\b"
        ),
    ),
    _Cue(
        kind=FrameKind.DENIED,
        code="denial_as_fact",
        standing=Standing.CONTRADICTED,
        reach="comma",
        pattern=_words(
            rf"\b(?:contrary to (?:\w+ ){{0,2}}?{_BELIEF} that|far from(?: being)?)\b"
        ),
    ),
    _Cue(
        kind=FrameKind.DENIED,
        code="denial_as_fact",
        standing=Standing.CONTRADICTED,
        pattern=_words(
            rf"\b{_BELIEF},? (?:that |[\"“'‘])(?P<content>[^.;]{{3,200}}?)[\"”'’]? (?P<cue>(?:is|are|was|were|has been|have been|had been|proved|turned out to be)(?: \w+){{0,2}}? {_FALSE})\b"
        ),
    ),
    _Cue(
        kind=FrameKind.DENIED,
        code="negation_dropped",
        standing=Standing.CONTRADICTED,
        reach="clause",
        pattern=_words(r"\b(?:is|are|was|were|been) ruled out\b"),
    ),
    _Cue(
        kind=FrameKind.DENIED,
        code="denial_as_fact",
        standing=Standing.CONTRADICTED,
        reach="clause",
        pattern=_words(r"\b(?:hardly|scarcely|barely) (?:any|anyone|anybody|anything|ever)\b"),
    ),
    _Cue(
        kind=FrameKind.REPORTED,
        code="allegation_as_fact",
        pattern=_words(
            r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bthe )(?<!\ba )\b(?:alleg(?:es?|ed|ing)|suspect(?:s|ed)?|think|thinks|thought|believ(?:es?|ed)|speculat(?:es?|ed)|guess(?:es|ed)?|suppos(?:es?|ed)|assum(?:es?|ed)|imagin(?:es?|ed))"
            r" (?:that |(?=(?:the|an?|it|he|she|they|there|his|her|their|its|this|these|some|all|(?-i:[A-Z])\w+) ))"
            r"|\b(?:claim(?:s|ed|ing)?|argu(?:es?|ed|ing)|contend(?:s|ed)?|insist(?:s|ed)?|assert(?:s|ed)?|hypothesi[sz]e[sd]?|theori[sz]e[sd]?|suggest(?:s|ed)?|maintain(?:s|ed)?|complain(?:s|ed)?) that\b"
            r"|\bclaim(?:s|ed)? to (?=have|be)"
            r"|\b(?:legend|rumou?r|folklore|tradition) has it that\b|\b(?:rumou?rs?|speculation|allegations?|suspicions?|fears?|suggestions?) that\b"
            r"|\bit (?:is|was|has been|had been) (?:\w+ )?(?:suggested|claimed|alleged|rumou?red|speculated|argued|believed|thought|hypothesi[sz]ed|assumed) that\b"
            rf"|\b(?:an?|one|some|another|several|many|few) (?:\w+ )?{_WEAK_SOURCE} (?:\w+ )?(?:said|says?|wrote|writes?|posted|felt|feels?|swears?|noted|remarked)\b(?: that)?"
        ),
    ),
    _Cue(
        kind=FrameKind.REPORTED,
        code="allegation_as_fact",
        reach="comma",
        pattern=_words(r"\b(?:accused|suspected) of\b|\bcharged with\b"),
    ),
    _Cue(
        kind=FrameKind.REPORTED,
        code="allegation_as_fact",
        reach="clause",
        pattern=_words(
            r"\b(?:reportedly|allegedly|supposedly|purportedly|apparently|ostensibly|rumou?redly|(?:alleged|believed|thought|rumou?red|said|suspected|reputed|purported) to)\b"
            rf"|\baccording to (?:\w+ ){{0,2}}?{_LIARS}\b"
        ),
    ),
    _Cue(
        kind=FrameKind.REPORTED,
        code="attribution_dropped",
        strong=False,
        pattern=_words(
            r"\b(?:said|says|stated|states|announced|announces|told \w+|wrote|writes|according to|reported|reports)\b(?: that)?"
        ),
    ),
    _Cue(
        kind=FrameKind.HYPOTHETICAL,
        code="condition_dropped",
        reach="clause",
        pattern=_words(
            r"(?:^|(?<=[.;:,] ))\W*(?:if|unless|supposing|suppose|assuming|in case|in the event|provided that|on condition)\b"
            r"|^\W*(?:should|had|were) (?:the|an?|it|he|she|they|you|we|[A-Z]\w+)\b(?=[^,?]{3,120},)"
        ),
    ),
    _Cue(
        kind=FrameKind.HYPOTHETICAL,
        code="condition_dropped",
        reach="before",
        pattern=_words(r"(?<=[\w)])(?<!even)(?<!as)(?<!only),? (?:if(?! (?:not|any|only|ever|possible|necessary)\b)|unless|provided that|on condition that|in case)\b"),
    ),
    _Cue(
        kind=FrameKind.HYPOTHETICAL,
        code="possibility_as_fact",
        reach="clause",
        pattern=_words(
            r"(?<!that )(?<!which )(?<!who )(?<!later )(?<!he )(?<!she )\bwould\b(?! (?:like|you|not|later)\b)(?: (?:have|be|been|also)\b)*"
        ),
        pivot=True,
    ),
    _Cue(
        kind=FrameKind.HYPOTHETICAL,
        code="possibility_as_fact",
        reach="clause",
        pivot=True,
        pattern=_words(
            r"\b(?:may|might|could|possibly|perhaps|potentially|könnte\w*|möglicherweise|pourrait|podría)\b(?! not\b)(?: (?:have|be|been|also|soon|then|even|still)\b)*"
        ),
    ),
    _Cue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="opening",
        pattern=_words(
            r"^\W*(?:(?:until|till|before|prior to|up to) (?:\w+ ){0,3}?(?:\d{4}|recently|now|then)|formerly|previously|in the past|at one time|originally|once)\b"
        ),
    ),
    _Cue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="clause",
        pattern=_words(
            r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbe )(?<!\bbeen )(?<!\bbeing )(?<!\bget )\bused to(?= \w)"
            r"|\bonce (?=\w+ed\b)"
            r"|\b(?:was|were)\b[^.;]{0,120}?\b(?:until|till) (?:\w+ ){0,3}?\d{4}\b"
        ),
    ),
    _Cue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="clause",
        pattern=_words(
            rf"\b(?:is|are|was|were|been|be|now|since|got) (?:\w+ )?{_GONE}\b(?! (?:to|from)\b)"
        ),
    ),
    _Cue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="all",
        pattern=_words(
            rf"(?:^[^:]{{0,60}}[,(\[]\s*|^\W*){_GONE}\b[^:.]{{0,60}}:(?=\s)|\((?:\w+ )?{_GONE}\b[^)]{{0,40}}\)"
        ),
    ),
    _Cue(
        kind=FrameKind.PROPOSED,
        code="plan_as_fact",
        pattern=_words(
            r"(?<!\byou )\b(?:plan(?:s|ned|ning)?|expect(?:s|ed|ing)?|intend(?:s|ed|ing)?|hop(?:es?|ed|ing)|aim(?:s|ed|ing)?|propos(?:es?|ed|ing|als?)|scheduled|due|poised|threaten(?:s|ed|ing)?|vow(?:s|ed)?|pledg(?:es?|ed)|(?:is|are) set|would like|wants|is keen|are keen|seeks?|hoping) to\b"
            r"|\b(?:propos|consider|plan|contemplat)(?:s|es|ed|e)? (?=\w+ing\b)"
            r"|\b(?:recommend|propos|suggest|urg|request|demand)(?:s|es|ed|ing|e)? that\b"
            r"|\b(?:is|are|was|were) (?:considering|weighing|mulling|contemplating|planning|discussing|debating)\b"
        ),
    ),
    _Cue(
        kind=FrameKind.PROPOSED,
        code="plan_as_fact",
        reach="clause",
        pattern=_words(
            r"(?<!aim )(?<!goal )(?<!way )(?<!purpose )(?<!idea )(?<!task )(?<!step )(?<!thing )(?<!need )(?<!it )(?<!objective )(?<!key )(?<!option )(?<!solution )(?<!here )(?<!do )(?<!plan )\b(?:is|are) to (?!be found|the|an?\b)[a-z]+"
            r"|\b(?:was|were|been|is|are) (?:\w+ )?(?:proposed|suggested|recommended|mooted|planned|under (?:consideration|discussion))\b"
            r"|\bunder the (?:proposal|plan|draft|bill|scheme|proposed \w+)\b|\b(?:the|a) (?:draft|proposed) \w+ (?:would|will)\b"
        ),
    ),
    _Cue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="clause",
        pivot=True,
        pattern=_words(r"(?<=\w )(?:formerly|originally)\b"),
    ),
    _Cue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="comma",
        pattern=_words(r"\b(?:former|ex-|outgoing)(?= (?!version|edition|report|statement|article|message|owner)\w)"),
    ),
    _Cue(
        kind=FrameKind.PROPOSED,
        code="plan_as_fact",
        reach="all",
        pattern=_words(
            r"^[^.]{0,60}\bnot yet (?:released|available|approved|decided|implemented|in force|adopted)\b[^:.]{0,30}:(?=\s)"
            r"|^\W*(?:proposal|proposed|draft|planned|roadmap|coming soon|under consideration)(?: \([^)]{0,40}\))?:(?=\s)"
        ),
    ),
    _Cue(
        kind=FrameKind.RETRACTED,
        code="retracted_as_fact",
        standing=Standing.CONTRADICTED,
        reach="all",
        pattern=_words(r"^\W*(?:retracted|withdrawn|retraction)\b[^:.]{0,40}[:.\]]"),
    ),
    _Cue(
        kind=FrameKind.RETRACTED,
        code="retracted_as_fact",
        standing=Standing.CONTRADICTED,
        pattern=_words(
            rf"\b(?:earlier|previous|original|first|initial) (?:version|edition|report|article|statement|message|notice|e-?mail|announcement|release|figure|estimate)s?\b[^.;]{{0,40}}?\b(?:{_SAY}|that|put)\b(?: that)?"
            r"|\b(?:withdr(?:ew|awn?|aws|awing)|retract(?:s|ed|ing)?) (?:its|the|his|her|their|an?) (?:\w+ )?(?:forecast|claim|statement|allegation|estimate|paper|finding|guidance|article|report)s? (?:that|of)\b"
        ),
    ),
    _Cue(
        kind=FrameKind.QUESTIONED,
        code="question_as_fact",
        pattern=_words(
            r"(?<!regardless of )(?<!matter )(?<!on )(?<!check )(?<!of )\bwhether\b(?! or not\b)"
        ),
    ),
    _Cue(
        kind=FrameKind.QUOTED,
        code="quotation_as_fact",
        pattern=_words(
            r"(?P<cue>\b(?:film|movie|novel|play|song|poem|fairy tale|fiction|fictional|slogan|headline|example|sample|template|phishing|scam|parody|satir\w+|joke|advert\w*|dummy|placeholder))\b[^\"“]{0,60}[\"“](?P<content>[^\"“”]{3,300})[\"”]"
        ),
    ),
    _Cue(
        kind=FrameKind.QUOTED,
        code="attribution_dropped",
        strong=False,
        pattern=_words(r"(?P<cue>[\"“])(?P<content>[^\"“”]{12,300})[\"”]"),
    ),
)  # fmt: skip

# Where a clause ends, so that what follows is not framed with it.
_TURN = _words(
    r";|:(?=\s)|[.!?](?=\s)|,? (?:but|although|though|while|whereas|however|yet)\b|, (?:which|who|where|so|then)\b"
    r"|,? and (?:it|they|he|she|we|you|i|there|has|have|is|are|was|were|does|do|offers?|provides?|features?|serves?|accepts?|includes?|can|will)\b"
    r"|, (?:it|they|he|she|we|you|i|there|records|in fact|in reality)\b"
)
_SPOKEN = _words(r"\s*[:,]?\s*[\"“](?P<content>[^\"“”]{3,300})[\"”]")
_FRONTED = _words(
    r"\s*(?:while|although|though|even though|whereas|since|because|despite|even if|as)\b"
)
_NOUN_DENIAL = _words(r"without|lack(?:s|ed|ing)?|ohne|sans|sin")
_CONDITION = _words(r"\b(?:until|unless|if|whether|wenn|falls|si|than|because)\b")
_EXCEPTION = _words(
    r"[,(]?\s?\b(?:only|except(?:ing)?|other than|apart from|but for|besides|save for|excluding)\b"
)
_QUESTION = _words(r"(?:(?<=[.!?:] )|^)[^.!?]{2,300}\?+")
_YES_NO = _words(
    r"^\W*(?:q(?:uestion)?\W+)?(?:and |so |but )?(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|isn['’]t|aren['’]t|don['’]t|doesn['’]t|can['’]t|won['’]t)\b"
)
_NO = _words(
    r"^\W*(?:a(?:nswer)?\W+)?(?:(?:unfortunately|sadly|sorry|actually|currently)\W+)?(?:no|not?|nope|never|neither)\b(?! one\b| more\b| longer\b| later\b| fewer\b)(?=[\s.,;:!–—]|$)(?!\s+[a-z]+s\b)"
)
_YES = _words(
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


def passage_framings(passage: Passage, reading: Reading) -> tuple[Framing, ...]:
    """The framings of a passage, among them those that its markup and its neighbours show.

    Text that is struck through held once. A question is answered by the passage that follows:
    answered with no, it is denied; answered with yes, it is told.
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
    for cue in _CUES:
        for found in cue.pattern.finditer(text):
            if found.group().strip() == "May" or _is_tool(text, found):
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
    """True for "a key used to encrypt files is …", where *used to* tells no past."""
    if found.group().lower() != "used to":
        return False
    low, high = _clause(text, found.span())
    return bool(_FINITE.search(text, low, found.start()) or _FINITE.search(text, found.end(), high))


def _reach(text: str, cue: _Cue, at: tuple[int, int]) -> tuple[int, int]:
    """How far a cue frames."""
    if cue.reach == "all":
        return 0, len(text)
    if (quoted := _SPOKEN.match(text, at[1])) is not None:
        return quoted.span("content")
    low, high = _clause(text, at)
    if cue.reach == "clause":
        return low, high
    if cue.reach == "before":
        return low, at[0]
    comma = text.find(",", at[1], high)
    opens = cue.reach == "opening" and comma > at[1] and text[at[1] : comma].strip(" ,") != ""
    if (cue.reach == "comma" and comma >= 0) or (
        opens and text[:1].isupper() and _no_verb(text, at[1], comma)
    ):
        return at[1], comma
    return at[1], high


def _no_verb(text: str, low: int, high: int) -> bool:
    """True when an opening phrase has no finite verb, so that the main clause is still to come."""
    return _FINITE.search(text, low, high) is None


_FINITE = _words(
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
