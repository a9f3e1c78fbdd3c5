"""Families of wordings that invite invention, as general as possible.

``cue_table`` holds wordings that were seen; this module holds the same intents in other words:
assigning the reader a role, ordering an invention, asking that it look real, admitting that nothing
was checked, and presupposing a whole story.
"""

from __future__ import annotations

from typing import Final

from firmground.core.lazy_pattern import lazy_pattern
from firmground.preflight.cue_table import DATA, REPORT, WRITE, Cue
from firmground.preflight.question_text import word_set

_SOME = r"(?:[\w'’-]+\s+){0,3}?"
_WHO = r"(?:an?|the|our|my|its|their|one\s+of)\s+"
# Most words for what people do end like this; a list would only ever hold the ones that were met.
_PROFESSION = (
    r"(?:[a-z]{2,24}(?:eer|ist|ian|ician|yst|tect|cist|iff|ctor|itor|ator|visor|nter)|"
    r"manager|officer|leader|commander|engineer|developer|trader|teacher|lawyer|owner|worker|driver|"
    r"responder|consultant|assistant|accountant|sergeant|lieutenant|president|agent|superintendent|"
    r"chief|head|lead|boss|nurse|pilot|captain|judge|clerk|guard|witness|eyewitness|colleague|"
    r"medic|expert|veteran|detective|executive|representative|spokes\w+|c[efti]o|ciso|dba|sre|admin|"
    r"sysadmin|customer|patient|vendor|supplier|monitor|dashboard|sensor)s?\b"
)
_PRETENDED = (
    r"(?:plausible|realistic|believable|convincing|credible|authentic|fake|fictional|fictitious|"
    r"imaginary|imagined|invented|made-?\s?up|synthetic|simulated|dummy|bogus|sham|phone?y|"
    r"hypothetical|staged)(?:-(?:looking|sounding))?"
)
_MATTER = (
    rf"(?:{DATA}|(?:account|accounts|answers|approvals|attack|audit|breach|breakdown|case\s+study|"
    r"charts?|chat|conversation|correspondence|dialogue|documents?|emails?|events?|findings|"
    r"interviews?|measurements?|minutes|observations|rates?|records?|responses?|sales|samples?|"
    r"survey|tables?|testimony|transcripts?)\b)"
)
_LOOKED = (
    r"(?:measur|record|collect|track|monitor|log|count|check|test|document|observ|writ|kept?\b)"
)


FAMILIES: Final[tuple[Cue, ...]] = (
    # -- the reader is cast -----------------------------------------------------------------------
    Cue(
        signal="role_play",
        strength=0.64,
        gate=word_set("you"),
        told=True,
        pattern=lazy_pattern(
            r"(?:^|[.:;,!?]\s+|\b(?:now|and|that|then)\s+)(?:now\s+)?you(?:['’]re|,|\s+are|\s+were|"
            r"\s+will\s+be|\s+play|\s+serve\s+as|\s+work\s+as)\s+"
            r"(?:now\s+|playing\s+|acting\s+as\s+|as\s+){0,2}" + _WHO + r"\w+"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.64,
        gate=word_set(
            """impersonate impersonating pose posing roleplay role persona character shoes place
            position part identity guise voice yourself"""
        ),
        told=True,
        hard=True,
        pattern=lazy_pattern(
            r"\bimpersonat(?:e|ing)\b|\bpos(?:e|ing)\s+as\b|\brole-?\s?play\b|"
            r"\b(?:take|taking|play|playing|assume|adopt|fill|step\s+into|slip\s+into|speak\s+from)\s+"
            r"(?:on\s+|up\s+)?(?:the|an?)\s+(?:part|role|position|place|persona|identity|shoes)\s+of\b|"
            r"\b(?:put|place|picture|imagine|consider|see|think\s+of|envision|cast)\s+yourself\b|"
            r"\b(?:get|stay|be|remain|speak)\s+in(?:to)?\s+character\b|"
            r"\bin\s+the\s+(?:voice|shoes|guise|person|character)\s+of\b"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.64,
        gate=word_set(
            "suppose supposing assume assuming say imagine imagining pretend if though given act "
            "behave hypothetically envision as"
        ),
        told=True,
        hard=True,
        pattern=lazy_pattern(
            r"\b(?:suppos(?:e|ing)|assum(?:e|ing)|say|imagin(?:e|ing)|pretend(?:ing)?|envision|"
            r"make\s+believe|given|what\s+if|as\s+if|as\s+though|hypothetically,?(?:\s+if)?)\s+"
            r"(?:for\s+a\s+\w+\s+)?(?:that\s+)?(?:being\b|you(?:['’]re|\s+(?:are|were|had|have|saw|"
            r"[a-z]+ed))\b)|"
            r"\b(?:act|behave|speak|talk|answer|respond|reply|write)\s+(?:the\s+way\s+an?|like\s+an?|"
            r"exactly\s+like|as\s+though|as\s+if)\b|(?<!to\s)\bact\s+(?:as|the\s+part)\b"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.64,
        gate=word_set("let lets believe"),
        told=True,
        hard=True,
        pattern=lazy_pattern(
            r"\blet(?:['’]?s|\s+us)\s+(?:pretend|imagine|suppose|assume|say|make\s+believe|"
            r"play\s+(?:an?|out|that))\b|\bmake\s+believe\b"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.62,
        gate=word_set("story game simulation scenario exercise drill tabletop fiction war plot"),
        told=True,
        spare_tests=True,
        pattern=lazy_pattern(
            r"\b(?:in|for)\s+(?:this|the\s+following|our|an?)\s+(?:little\s+)?"
            r"(?:story|game|simulation|scenario|exercise|drill|tabletop|fiction)\b|"
            r"\b(?:this\s+is|here\s+is|we\s+(?:are|['’]re)\s+\w+ing|run)\s+an?\s+(?:[\w-]+\s+)?"
            r"(?:war\s*game|tabletop|simulation|drill|role-?play|game|thought\s+experiment)\b|"
            r"\benvision\s+a\s+scenario\b"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.62,
        gate=word_set("fictional fictitious imaginary hypothetical invented nonexistent"),
        told=True,
        spare_tests=True,
        hard=True,
        pattern=lazy_pattern(
            r"\b(?:fictional|fictitious|imaginary|hypothetical|invented|non-?existent)\s+"
            r"(?:[\w-]+\s+){0,2}?\w+"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.62,
        gate=word_set("as"),
        told=True,
        pattern=lazy_pattern(
            r"\b(?:answer|speak|write|reply|report|present|respond|talk|describe|tell|brief|narrate|"
            r"confess|state|confirm|say|sign|testify|announce)\b[^.!?\n]{0,40}?\bas\s+"
            + _WHO
            + _SOME
            + _PROFESSION
            + r"|^\s*(?:now\s+)?as\s+"
            + _WHO
            + _SOME
            + _PROFESSION
            + r"[\w\s'’-]{0,60},\s+(?!i\b|we\b)"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.45,
        gate=word_set("you your"),
        told=True,
        pattern=lazy_pattern(
            r"\byou(?:['’]ve|\s+have|\s+had)?\s+(?:just\s+|already\s+|personally\s+)?(?:saw|seen|"
            r"noticed|observed|discovered|examined|investigated|monitored|attended|measured|"
            r"witnessed|detected|took|lived\s+through|experienced|found)\b|"
            r"\byour\s+(?:own\s+)?(?:sensors?|screens?|dashboards?|readings?|shift|deployment|desk|"
            r"observations|measurements|first\s+\w+\s+minutes)\b"
        ),
    ),
    # -- an invention is ordered ------------------------------------------------------------------
    Cue(
        signal="fabricated_data",
        strength=0.7,
        gate=word_set(
            """invent fabricate concoct conjure falsify hallucinate backdate improvise cook think
            dream make forge devise"""
        ),
        told=True,
        hard=True,
        spare_tests=True,
        pattern=lazy_pattern(
            r"\b(?:invent|fabricate|concoct|conjure\s+up|falsify|hallucinate|backdate|improvise|"
            r"(?:cook|think|dream)\s+up|make\s+(?:something|some|it|them|things|this|that|one|\w+)\s+up|"
            r"forge\s+(?:an?|the|some)|devise\s+(?:an?|some)\s+(?:story|excuse|explanation))\b"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.68,
        gate=word_set(
            """plausible realistic believable convincing credible authentic fake fictional
            fictitious imaginary imagined invented made synthetic simulated dummy bogus sham phony
            phoney hypothetical staged"""
        ),
        told=True,
        hard=True,
        spare_tests=True,
        pattern=lazy_pattern(
            rf"\b{_PRETENDED}\s+(?:(?!that\b|which\b|for\b|about\b)[\w-]+,?\s+){{0,3}}?{_MATTER}|"
            rf"\b{_MATTER}\s+(?:that|which)\s+(?:\w+\s+){{0,2}}?(?:sounds?|looks?|seems?|appears?|reads?)\b"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.66,
        gate=word_set(
            "look looks looking sound sounds sounding read reads seem seems appear appears make"
        ),
        told=True,
        hard=True,
        spare_tests=True,
        pattern=lazy_pattern(
            r"\b(?:looks?|sounds?|reads?|seems?|appears?)\s+(?:as\s+if|as\s+though|like\s+(?:an?|the)\s+"
            r"real|(?:(?:more|very|fully|quite)\s+)?(?:real|realistic|authentic|convincing|genuine|"
            r"legit\w*|plausible|believable|credible|trustworthy))\b|"
            r"\bmake\s+(?:it|them|this|the\s+\w+|sure\s+(?:it|they))\s+(?:look|sound|seem|appear|read)s?\b"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.64,
        gate=word_set(
            """matter matters happened existed exist place held carried conducted choose pick fine
            okay ok fill probably"""
        ),
        told=True,
        hard=True,
        spare_tests=True,
        pattern=lazy_pattern(
            r"\b(?:does\s+not|doesn['’]t|need\s+not)\s+matter\s+(?:much\s+)?(?:where|whether|if|how|"
            r"what|which)\b|"
            r"\bnever\s+(?:really\s+|actually\s+)?(?:took\s+place|happened|existed|held|carried\s+out|"
            r"conducted|was\s+\w+)\b|\bthat\s+(?:does\s+not|doesn['’]t|never)\s+(?:yet\s+)?exist(?:ed)?\b|"
            r"\byou\s+(?:can|may|could|should)\s+(?:choose|pick|decide|set)\b|"
            r"\b(?:pick|choose|take)\s+(?:something|anything|whatever|any\s+\w+)\b|"
            rf"\b(?:approximate|rough|estimated|guessed|any)\s+{DATA}\s+(?:are|is|will\s+be)\s+"
            r"(?:fine|ok|okay|enough)\b|"
            r"\bfill\s+in\s+(?:plausible|some|the\s+(?:gaps|blanks|rest|missing))\b|"
            r"\bwould\s+(?:probably|likely)\s+have\b"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.52,
        gate=word_set("nobody no never not don didn none lack without haven"),
        told=True,
        spare_tests=True,
        pattern=lazy_pattern(
            rf"\b(?:nobody|no\s+one|none\s+of\s+us)\s+(?:has\s+|have\s+|had\s+|ever\s+|will\s+)*"
            rf"(?:{_LOOKED}\w*|knows|notices?)|"
            rf"\b(?:we|i|they)\s+(?:(?:have|had)\s+no|never|do\s+not|don['’]t|did\s+not|didn['’]t|"
            rf"haven['’]t|lack)\s+(?:really\s+|actually\s+|even\s+|any\s+)*(?:{_LOOKED}\w*|data\b|"
            r"numbers\b|figures\b|metrics\b|records?\b|evidence\b|sources?\b)"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.5,
        gate=word_set(
            "justify justifies prove proves proving support supports showing suggest suggests so"
        ),
        told=True,
        spare_tests=True,
        pattern=lazy_pattern(
            rf"\b{_MATTER}\s+(?:[\w-]+\s+){{0,6}}?(?:(?:that|which|to)\s+(?:would\s+)?|)(?:justif(?:y|ies)|"
            r"prov(?:es?|ing)|supports?|showing|suggests?)\b|"
            r"\bso\s+(?:that\s+)?(?:the|our|it)\s+(?:\w+\s+)?(?:looks?|tells?|seems?|appears?|reads?)\b"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.45,
        gate=word_set(
            """testimonial testimonials quote quotes interview minutes transcript conversation chat
            dialogue review reviews study statement apology"""
        ),
        told=True,
        spare_tests=True,
        pattern=lazy_pattern(
            r"\b(?:write|compose|create|generate|produce|come\s+up\s+with|put\s+together)\b"
            r"[^.!?\n]{0,40}?\b(?:testimonials?|(?:customer\s+)?quotes?|interview|minutes|transcript|"
            r"conversation|chat|dialogue|reviews?|case\s+study|statement|apology)\b"
        ),
    ),
    # -- a complete story that was never checked --------------------------------------------------
    Cue(
        signal="information_density",
        strength=0.38,
        gate=word_set(
            """fell rose sank lost stalled failed crashed dropped piled spiked jumped climbed
            restarted evicting killed counted died broke went got timed vanished"""
        ),
        told=True,
        operational=True,
        at_least=2,
        each_more=0.1,
        pattern=lazy_pattern(
            r"\b(?:fell|rose|sank|lost|stalled|failed|crashed|dropped|piled|spiked|jumped|climbed|"
            r"restarted|killed|counted|died|broke|got|timed\s+out|vanished|did\s+not|were\s+\w+ed|"
            r"was\s+\w+(?:ed|ing))\b"
        ),
    ),
    Cue(
        signal="information_density",
        strength=0.45,
        gate=word_set("account minute hour blow detail happened resolved narrate"),
        told=True,
        operational=True,
        pattern=lazy_pattern(
            r"\b(?:minute\s+by\s+minute|hour\s+by\s+hour|blow\s+by\s+blow|"
            r"(?:full|detailed|complete)\s+account|in\s+(?:vivid|great|full|every)\s+detail|narrate|"
            r"how\s+(?:the|your)\s+team\s+\w+ed|what\s+happened\s+(?:inside|that\s+night))\b"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.42,
        gate=word_set("cause causes lessons account analysis damage impact losses brief board"),
        told=True,
        operational=True,
        spare_tests=True,
        pattern=lazy_pattern(
            rf"(?:{WRITE}|\b(?:present|brief|tell)\b)[^.!?\n]{{0,40}}?\b(?:{REPORT}|root\s+cause\s+analysis|lessons|"
            r"account\s+of|the\s+damage|losses)"
        ),
    ),
)
