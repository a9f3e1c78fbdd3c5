"""The words by which evidence frames what it says, and how far each frames."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from firmground.core.claim import Standing
from firmground.core.lazy_pattern import lazy_pattern


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
class FramingCue:
    """A pattern of framing words, and how far what they frame reaches."""

    kind: FrameKind
    code: str
    pattern: re.Pattern[str]
    reach: str = "after"
    """``after`` the cue to the end of its clause, to the next ``comma``, its ``clause``, or all."""
    standing: Standing = Standing.UNGROUNDED
    strong: bool = True
    pivot: bool = False


def pattern_of(pattern: str) -> re.Pattern[str]:
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

CUES: tuple[FramingCue, ...] = (
    FramingCue(
        kind=FrameKind.DENIED,
        code="denial_as_fact",
        standing=Standing.CONTRADICTED,
        pattern=pattern_of(
            r"\b(?:(?:it|this)(?: is| was|['’]s)(?: \w+){0,2}? (?:an? (?:\w+ )?(?:myth|misconception|mistake|fallacy|hoax|lie|error)|untrue|false|incorrect|wrong|inaccurate|not (?:true|correct|accurate|the case|so))"
            r"(?: to (?:say|think|claim|believe|assume|suggest|state))? that"
            rf"|(?:wrongly|falsely|mistakenly|incorrectly|erroneously)(?: \w+){{0,2}}? {_SAY}(?: \w+)? that"
            rf"|(?:wrongly|falsely|mistakenly|incorrectly|erroneously) {_SAY}"
            rf"|(?:reject|dismiss|refut|disput|debunk|disprov|rebut)(?:s|es|ed|ing|e)? (?:the |an? |any |all |its |his |her |their )?(?:\w+ )?{_BELIEF} (?:that|of)"
            r"|the (?:myth|misconception|fallacy|false (?:claim|belief)) that)\b"
        ),
    ),
    FramingCue(
        kind=FrameKind.DENIED,
        code="denial_as_fact",
        pattern=pattern_of(
            r"\b(?:(?:no|little|without|lacks?) (?:\w+ )?(?:evidence|proof|indication|sign|suggestion|basis) (?:(?:to (?:suggest|show|indicate)|for the claim|suggesting|showing) )?that"
            rf"|den(?:y|ies|ied|ying)(?: (?:that|having|any|the {_BELIEF} (?:that|of)))?|(?<!is )(?<!are )(?<!was )(?<!were )(?<!been )rul(?:e|es|ed|ing) out)\b"
        ),
    ),
    FramingCue(
        kind=FrameKind.DENIED,
        code="denial_as_fact",
        standing=Standing.CONTRADICTED,
        reach="comma",
        pattern=pattern_of(
            rf"\b(?:contrary to (?:\w+ ){{0,2}}?{_BELIEF} that|far from(?: being)?)\b"
        ),
    ),
    FramingCue(
        kind=FrameKind.DENIED,
        code="denial_as_fact",
        standing=Standing.CONTRADICTED,
        pattern=pattern_of(
            rf"\b{_BELIEF},? (?:that |[\"“'‘])(?P<content>[^.;]{{3,200}}?)[\"”'’]? (?P<cue>(?:is|are|was|were|has been|have been|had been|proved|turned out to be)(?: \w+){{0,2}}? {_FALSE})\b"
        ),
    ),
    FramingCue(
        kind=FrameKind.DENIED,
        code="negation_dropped",
        standing=Standing.CONTRADICTED,
        reach="clause",
        pattern=pattern_of(r"\b(?:is|are|was|were|been) ruled out\b"),
    ),
    FramingCue(
        kind=FrameKind.DENIED,
        code="denial_as_fact",
        standing=Standing.CONTRADICTED,
        reach="clause",
        pattern=pattern_of(r"\b(?:hardly|scarcely|barely) (?:any|anyone|anybody|anything|ever)\b"),
    ),
    FramingCue(
        kind=FrameKind.REPORTED,
        code="allegation_as_fact",
        pattern=pattern_of(
            r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bthe )(?<!\ba )\b(?:alleg(?:es?|ed|ing)|suspect(?:s|ed)?|think|thinks|thought|believ(?:es?|ed)|speculat(?:es?|ed)|guess(?:es|ed)?|suppos(?:es?|ed)|assum(?:es?|ed)|imagin(?:es?|ed))"
            r" (?:that |(?=(?:the|an?|it|he|she|they|there|his|her|their|its|this|these|some|all|(?-i:[A-Z])\w+) ))"
            r"|\b(?:claim(?:s|ed|ing)?|argu(?:es?|ed|ing)|contend(?:s|ed)?|insist(?:s|ed)?|assert(?:s|ed)?|hypothesi[sz]e[sd]?|theori[sz]e[sd]?|suggest(?:s|ed)?|maintain(?:s|ed)?|complain(?:s|ed)?) that\b"
            r"|\bclaim(?:s|ed)? to (?=have|be)"
            r"|\b(?:legend|rumou?r|folklore|tradition) has it that\b|\b(?:rumou?rs?|speculation|allegations?|suspicions?|fears?|suggestions?) that\b"
            r"|\bit (?:is|was|has been|had been) (?:\w+ )?(?:suggested|claimed|alleged|rumou?red|speculated|argued|believed|thought|hypothesi[sz]ed|assumed) that\b"
            rf"|\b(?:an?|one|some|another|several|many|few) (?:\w+ )?{_WEAK_SOURCE} (?:\w+ )?(?:said|says?|wrote|writes?|posted|felt|feels?|swears?|noted|remarked)\b(?: that)?"
        ),
    ),
    FramingCue(
        kind=FrameKind.REPORTED,
        code="allegation_as_fact",
        reach="comma",
        pattern=pattern_of(r"\b(?:accused|suspected) of\b|\bcharged with\b"),
    ),
    FramingCue(
        kind=FrameKind.REPORTED,
        code="allegation_as_fact",
        reach="clause",
        pattern=pattern_of(
            r"\b(?:reportedly|allegedly|supposedly|purportedly|ostensibly|rumou?redly|(?:alleged|believed|thought|rumou?red|said|suspected|reputed|purported) to)\b"
            rf"|\baccording to (?:\w+ ){{0,2}}?{_LIARS}\b"
        ),
    ),
    FramingCue(
        kind=FrameKind.REPORTED,
        code="attribution_dropped",
        strong=False,
        pattern=pattern_of(
            r"\b(?:said|says|stated|states|announced|announces|told \w+|wrote|writes|according to|reported|reports)\b(?: that)?"
        ),
    ),
    FramingCue(
        kind=FrameKind.HYPOTHETICAL,
        code="condition_dropped",
        reach="clause",
        pattern=pattern_of(
            r"(?:^|(?<=[.;:,] ))\W*(?:if(?! (?:desired|needed|necessary|required|possible|you (?:like|want|wish|prefer|need))\b)|unless|supposing|suppose|assuming|in the event|provided that|on condition)\b"
            r"|^\W*(?:should|had|were) (?:the|an?|it|he|she|they|you|we|[A-Z]\w+)\b(?=[^,?]{3,120},)"
        ),
    ),
    FramingCue(
        kind=FrameKind.HYPOTHETICAL,
        code="condition_dropped",
        reach="before",
        pattern=pattern_of(r"(?<=[\w)])(?<!even)(?<!as)(?<!only),? (?:if(?! (?:not|any|only|ever|possible|necessary|desired|needed|required|you (?:like|want|wish|prefer|need))\b)|unless|provided that|on condition that|in case)\b"),
    ),
    FramingCue(
        kind=FrameKind.HYPOTHETICAL,
        code="possibility_as_fact",
        reach="clause",
        pattern=pattern_of(
            r"(?<!that )(?<!which )(?<!who )(?<!later )(?<!he )(?<!she )\bwould\b(?! (?:like|you|not|later)\b)(?: (?:have|be|been|also)\b)*"
        ),
        pivot=True,
    ),
    FramingCue(
        kind=FrameKind.HYPOTHETICAL,
        code="possibility_as_fact",
        reach="clause",
        pivot=True,
        pattern=pattern_of(
            r"\b(?:may|might|could|possibly|perhaps|potentially|könnte\w*|möglicherweise|pourrait|podría)\b(?! not\b)(?: (?:have|be|been|also|soon|then|even|still)\b)*"
        ),
    ),
    FramingCue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="opening",
        pattern=pattern_of(
            r"^\W*(?:(?:until|till|before|prior to|up to) (?:\w+ ){0,3}?(?:\d{4}|recently|now|then|last \w+|yesterday|(?:this|the) (?:\w+ )?(?:change|reform|update|move|switch|takeover|merger)|january|february|march|april|june|july|august|september|october|november|december)|formerly|previously|in the past|at one time|originally|once)\b"
        ),
    ),
    FramingCue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="clause",
        pattern=pattern_of(
            r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbe )(?<!\bbeen )(?<!\bbeing )(?<!\bget )\bused to(?= \w)"
            r"|\bonce (?=\w+ed\b)"
            r"|\b(?:was|were)\b[^.;]{0,120}?\b(?:until|till) (?:\w+ ){0,3}?\d{4}\b"
        ),
    ),
    FramingCue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="clause",
        pattern=pattern_of(
            rf"\b(?:is|are|was|were|been|be|now|since|got) (?:\w+ )?{_GONE}\b(?! (?:to|from)\b)"
        ),
    ),
    FramingCue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="all",
        pattern=pattern_of(
            rf"(?:^[^:]{{0,60}}[,(\[]\s*|^\W*){_GONE}\b[^:.]{{0,60}}:(?=\s)|\((?:\w+ )?{_GONE}\b[^)]{{0,40}}\)"
        ),
    ),
    FramingCue(
        kind=FrameKind.PROPOSED,
        code="plan_as_fact",
        pattern=pattern_of(
            r"(?<!\byou )\b(?:plan(?:s|ned|ning)?|expect(?:s|ed|ing)?|intend(?:s|ed|ing)?|hop(?:es?|ed|ing)|aim(?:s|ed|ing)?|propos(?:es?|ed|ing|als?)|scheduled|due|poised|threaten(?:s|ed|ing)?|vow(?:s|ed)?|pledg(?:es?|ed)|(?:is|are) set|would like|wants|is keen|are keen|seeks?|hoping) to\b"
            r"|\b(?:propos|consider|plan|contemplat)(?:s|es|ed|e)? (?=\w+ing\b)"
            r"|\b(?:recommend|propos|suggest|urg|request|demand)(?:s|es|ed|ing|e)? that\b"
            r"|\b(?:is|are|was|were) (?:considering|weighing|mulling|contemplating|planning|discussing|debating)\b"
        ),
    ),
    FramingCue(
        kind=FrameKind.PROPOSED,
        code="plan_as_fact",
        reach="clause",
        pattern=pattern_of(
            r"(?<!aim )(?<!goal )(?<!way )(?<!purpose )(?<!idea )(?<!task )(?<!step )(?<!thing )(?<!need )(?<!it )(?<!objective )(?<!key )(?<!option )(?<!solution )(?<!here )(?<!do )(?<!plan )(?<!trick )\b(?:is|are) to (?!be found|the|an?\b)[a-z]+"
            r"|\b(?:was|were|been|is|are) (?:\w+ )?(?:proposed|suggested|recommended|mooted|planned|under (?:consideration|discussion))\b"
            r"|\bunder the (?:proposal|plan|draft|bill|scheme|proposed \w+)\b|\b(?:the|a) (?:draft|proposed) \w+ (?:would|will)\b"
        ),
    ),
    FramingCue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="clause",
        pivot=True,
        pattern=pattern_of(r"(?<=\w )(?:formerly|originally)\b"),
    ),
    FramingCue(
        kind=FrameKind.FORMER,
        code="former_as_current",
        standing=Standing.CONTRADICTED,
        reach="comma",
        pattern=pattern_of(r"\b(?:former|ex-|outgoing)(?= (?!version|edition|report|statement|article|message|owner)\w)"),
    ),
    FramingCue(
        kind=FrameKind.PROPOSED,
        code="plan_as_fact",
        reach="all",
        pattern=pattern_of(
            r"^[^.]{0,60}\bnot yet (?:released|available|approved|decided|implemented|in force|adopted)\b[^:.]{0,30}:(?=\s)"
            r"|^\W*(?:proposal|proposed|draft|planned|roadmap|coming soon|under consideration)(?: \([^)]{0,40}\))?:(?=\s)"
        ),
    ),
    FramingCue(
        kind=FrameKind.RETRACTED,
        code="retracted_as_fact",
        standing=Standing.CONTRADICTED,
        reach="all",
        pattern=pattern_of(r"^\W*(?:retracted|withdrawn|retraction)\b[^:.]{0,40}[:.\]]"),
    ),
    FramingCue(
        kind=FrameKind.RETRACTED,
        code="retracted_as_fact",
        standing=Standing.CONTRADICTED,
        pattern=pattern_of(
            rf"\b(?:earlier|previous|original|first|initial) (?:version|edition|report|article|statement|message|notice|e-?mail|announcement|release|figure|estimate)s?\b[^.;]{{0,40}}?\b(?:{_SAY}|that|put)\b(?: that)?"
            r"|\b(?:withdr(?:ew|awn?|aws|awing)|retract(?:s|ed|ing)?) (?:its|the|his|her|their|our|my|an?) (?:\w+ )?(?:forecast|claim|statement|allegation|estimate|paper|finding|guidance|article|report|announcement|notice|warning|figure)s?(?: (?:of|from|on) \w+(?: \w+)?)? (?:that|of)\b"
        ),
    ),
    FramingCue(
        kind=FrameKind.QUESTIONED,
        code="question_as_fact",
        pattern=pattern_of(
            r"(?<!regardless of )(?<!matter )(?<!on )(?<!check )(?<!of )\bwhether\b(?! or not\b)"
        ),
    ),
    FramingCue(
        kind=FrameKind.QUOTED,
        code="quotation_as_fact",
        pattern=pattern_of(
            r"(?P<cue>\b(?:film|movie|novel|play|song|poem|fairy tale|fiction|fictional|slogan|headline|example|sample|template|phishing|scam|parody|satir\w+|joke|advert\w*|dummy|placeholder))\b[^\"“]{0,60}[\"“](?P<content>[^\"“”]{3,300})[\"”]"
        ),
    ),
    FramingCue(
        kind=FrameKind.QUOTED,
        code="attribution_dropped",
        strong=False,
        pattern=pattern_of(r"(?P<cue>[\"“])(?P<content>[^\"“”]{12,300})[\"”]"),
    ),
)  # fmt: skip
