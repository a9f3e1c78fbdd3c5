"""The cues of the default profile and how strongly each speaks.

Strengths were set on the ``dev`` half of the labelled goals; ``benchmarks/quality_preflight.py``
prints what they give on the other half.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmground.core.lazy_pattern import lazy_pattern
from firmground.preflight.question_text import word_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """One wording that invites invention."""

    signal: str
    strength: float
    """Doubt from the first occurrence; 0 none, 1 certainty."""
    gate: frozenset[str] | None
    """One of these words must occur; None: look wherever there is a digit."""
    pattern: re.Pattern[str]
    """Applied to the text in lower case, which has the same length."""
    cased: bool = False
    """True: applied to the text as it was written."""
    hard: bool = False
    """True: no anchor in reality excuses it."""
    operational: bool = False
    """True: counts only in a text about running systems."""
    spare_tests: bool = False
    """True: ignored where the question is about writing tests or filling a sandbox."""
    told: bool = False
    """True: counts only in instructions, not in a question about facts."""
    each_more: float = 0.0
    at_least: int = 1


TESTING = word_set(
    """test tests testing unit fixture fixtures faker seed staging sandbox dev locust k6 benchmark
    chaos schedule calendar demo"""
)

_ROLE = (
    r"(?:sre|devops|engineer|commander|administrator|admin|sysadmin|dba|analyst|architect|operator|"
    r"responder|investigator|manager|lead|head|cto|ciso|ceo|cio|chief|bot|terminal|expert|"
    r"consultant|developer|technician|attacker|hacker|auditor|vendor|support|team|system|"
    r"assistant|person|specialist|array|seat|officer|director|owner|pilot|server|database|"
    r"cluster|pager|soc|noc|on\s+call|veteran|captain|supervisor|agent)\b"
)
_SOME = r"(?:[\w-]+\s+){0,3}?"
_CAST = r"(?:now\s+)?(?:acting\s+as\s+)?(?:(?:an?|the|our|my|duty)\s+)?" + _SOME + _ROLE
DATA = (
    r"(?:numbers?|figures?|metrics|data|logs?|lines?|timelines?|quotes?|results?|incidents?|"
    r"outages?|story|causes?|values?|complaints?|evidence|history|messages?|output|postmortem|"
    r"report|trail|dates?|testimonials?|percentiles?|entries|trace|outage|tickets?|reviews?|references|"
    r"citations?|alerts?|screenshots?|statistics|timestamps?|benchmarks?|readings?)\b"
)
REPORT = (
    r"(?:incident\s+(?:report|summary|record|timeline|retrospective)|post-?mortem|root\s+causes?|"
    r"rca|timeline|chronology|executive\s+summary|apology|status\s+updates?|war\s+room|findings|"
    r"retrospective|disclosure|resolution|remediation|log\s+excerpts|stack\s+trace|"
    r"press\s+release|report\s+for|chat\s+log|slack\s+messages|lessons\s+learned|audit\s+report|full\s+report|the\s+report|"
    r"a\s+report|bug\s+report|statement|outage\s+story|announcement|notification|testimonials|"
    r"log\s+entries|description\s+of|the\s+story|investigation|message\s+to|impact)\b"
)
WRITE = (
    r"\b(?:write(?:\s+up)?|draft|produce|generate|compose|create|prepare|provide|compile|document|"
    r"describe|report|deliver|recount|reconstruct|summari[sz]e|give|state|put\s+together|fill|explain|conclude|determine)\b"
)

_METRIC = lazy_pattern(
    r"\b\d+(?:[.,]\d+)?\s*(?:%|(?:ms|s|seconds?|minutes?|hours?|mb|gb|requests/s|req/s|qps|rps|tps|"
    r"users|customers|transactions|tenants|orders)\b)"
)

MET: tuple[Cue, ...] = (
    # -- the reader is assigned a role ------------------------------------------------------------
    Cue(
        signal="role_play",
        strength=0.68,
        gate=word_set("you act acting pretend being yourself"),
        pattern=lazy_pattern(
            r"\b(?:you(?:['’]re|,\s+as|\s+(?:are|will\s+be|play|take|run|lead|work\s+as))|"
            r"act(?:ing)?\s+as|pretend\s+to\s+be|being|yourself(?:\s+as)?|simulate)\s+" + _CAST
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.68,
        gate=word_set("be as"),
        pattern=lazy_pattern(r"(?:^\s*(?:be|as)|,\s+as)\s+" + _CAST),
    ),
    Cue(
        signal="role_play",
        strength=0.64,
        gate=word_set(
            """role part persona character shoes yourself impersonate channel behave act speak
            answer though if voice"""
        ),
        pattern=lazy_pattern(
            r"\b(?:(?:play(?:ing)?|take)\s+the\s+(?:part|role)\s+of|in\s+the\s+voice\s+of|"
            r"consider\s+yourself|(?:take\s+on|assume|step\s+into|in)\s+the\s+role"
            r"\s+of|(?:take\s+on|assume|adopt)\s+(?:the|a)\s+(?:role|persona)|your\s+persona|"
            r"in\s+the\s+shoes\s+of|in\s+character|impersonate|channel\s+an?\s|behave\s+like|"
            r"(?:picture|imagine|put|think\s+of)\s+yourself|speak\s+as\s+the|"
            r"(?:act|answer|write|reply)\s+(?:like|as\s+if|as\s+though))\b"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.64,
        gate=word_set("pretend imagine suppose assume consider say believe picture"),
        operational=True,
        spare_tests=True,
        hard=True,
        pattern=lazy_pattern(
            r"\b(?:pretend|make\s+believe|imagine|suppose|assume|let['’]s\s+say|let\s+us\s+say|"
            r"consider\s+a\s+(?:situation|case|scenario))\s+(?:that\b|you\b|we\b|our\b|the\b|where\b|"
            r"an?\b|yourself\b)"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.66,
        gate=word_set(
            """scenario situation hypothetical tabletop drill mock roleplay role simulation
            simulate game exercise fictional"""
        ),
        operational=True,
        spare_tests=True,
        hard=True,
        pattern=lazy_pattern(
            r"\b(?:in\s+this\s+scenario|hypothetical\s+(?:scenario|situation|incident|outage)|"
            r"tabletop\s+exercise|drill\s+exercise|training\s+drill|mock\s+(?:incident|outage)|"
            r"role-?\s?play(?:ing)?|simulation|simulate\s+(?:(?:an?|the|being)\s+)?"
            r"(?:[\w-]+\s+){0,2}?(?:outage|incident|failure|attack|breach|responses?|monitoring|"
            r"engineer)|game\s+master|for\s+this\s+exercise|fictional\s+(?:outage|incident))\b"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.66,
        gate=word_set("scenario situation"),
        operational=True,
        spare_tests=True,
        hard=True,
        pattern=lazy_pattern(r"^\s*(?:hypothetical\s+)?(?:scenario|situation)\s*:"),
    ),
    Cue(
        signal="role_play",
        strength=0.62,
        gate=word_set("you"),
        operational=True,
        hard=True,
        pattern=lazy_pattern(
            r"\b(?:from\s+now\s+on\s+you\s+are|you\s+are\s+now|you\s+have\s+just\s+been|"
            r"you\s+have\s+(?:root\s+)?access|"
            r"you\s+watched|as\s+if\s+you|as\s+though\s+you|which\s+can\s+see|you\s+save\s+the\s+day)"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.62,
        gate=word_set("you"),
        operational=True,
        cased=True,
        pattern=lazy_pattern(r"\b[Yy]ou\s+(?:are|play)\s+[A-Z][a-z]+(?:[A-Z]\w+|,)"),
    ),
    Cue(
        signal="role_play",
        strength=0.62,
        gate=word_set("you your"),
        operational=True,
        pattern=lazy_pattern(
            r"(?:^|[.:;,!?]\s+)(?:and\s+)?(?:you(?:['’]re|\s+are)\s+(?:now\s+)?(?:an?|my|on|in\s+charge|"
            r"talking|logged)\s+\w+|your\s+name\s+is\s+\w+|you\s+(?:run|own|operate|lead|answer|"
            r"take\s+over)\s+\w+)|\byou\s+(?:had|have)\s+(?:already\s+)?(?:been|seen|watched|found)\b"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.62,
        gate=word_set("as like"),
        operational=True,
        pattern=lazy_pattern(
            r"\b(?:respond|answer|reply|speak|write|talk|report|tell|continue|explain)\b[^.!?\n]{0,40}?"
            r"\b(?:as|like)\s+(?:an?|the|our)\s+" + _SOME + _ROLE
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.62,
        gate=word_set("role improvise pretend diary"),
        spare_tests=True,
        hard=True,
        pattern=lazy_pattern(
            r"\b(?:(?:slip|get|go|put\s+yourself)\s+into|fill|play|adopt|assume|take)\s+"
            r"(?:on\s+)?(?:the|a)\s+role\b|\blet['’]?s\s+(?:improvise|pretend)|"
            r"^\s*(?:please\s+)?pretend\b|[.;:]\s+pretend\b|\bpretend\s+that\s+(?:this|you|the|we)\b|"
            r"\byour\s+(?:shift\s+)?diary\b"
        ),
    ),
    Cue(
        signal="role_play",
        strength=0.45,
        gate=word_set("see saw detect observe notice noticed hear heard feel woke witnessed"),
        operational=True,
        pattern=lazy_pattern(
            r"\bwhat\s+(?:do|did|would|can)\s+you\s+(?:see|detect|observe|notice|hear|feel|find)\b|"
            r"\bwhat\s+you\s+(?:see|saw|detect|observe|noticed?|heard?|feel|witnessed)\b|"
            r"\bwoke\s+you\b|\byou\s+(?:saw|noticed|witnessed|observed)\b"
        ),
    ),
    # -- the question asks for inventions ---------------------------------------------------------
    Cue(
        signal="fabricated_data",
        strength=0.72,
        gate=word_set("make invent fabricate dream come concoct pick raise fill says"),
        told=True,
        hard=True,
        pattern=lazy_pattern(
            r"\b(?:make\s+up|invent|fabricate|dream\s+up|come\s+up\s+with|concoct|"
            r"pick\s+numbers|fill\s+in\s+the\s+missing|report\s+that\s+says)\b(?:[^.!?\n]{0,60}?\b"
            + DATA
            + r")?"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.7,
        gate=word_set(
            """imaginary invented sensible supportive realistic plausible believable convincing
            credible fake fictional fictitious made synthetic sample typical dramatic
            coherent"""
        ),
        spare_tests=True,
        hard=True,
        pattern=lazy_pattern(
            r"\b(?:realistic(?:-looking|-sounding)?|plausible|believable|convincing|credible|fake|"
            r"fictional|fictitious|imaginary|invented|sensible|supportive|made-?\s?up|synthetic|sample|"
            r"typical)\s+(?:but\s+[\w-]+\s+)?"
            r"(?:(?!that\b|which\b|for\b|of\b)[\w-]+\s+){0,3}?" + DATA
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.7,
        gate=word_set(
            """without nothing nobody whatever freely looks look probably though if sounds
            sound worse fantasy imagine usual such real authentic genuine right don just
            told imagination never not didn yourself cause theory shows every everything so"""
        ),
        spare_tests=True,
        hard=True,
        pattern=lazy_pattern(
            r"\b(?:without\s+(?:looking|checking|inspecting|access|measuring)|check\s+nothing|"
            r"nobody\s+will\s+check|whatever\s+sounds|estimate\s+freely|that\s+looks\s+like|"
            r"probably\s+(?:printed|logged|said)|as\s+(?:if|though)\s+(?:it|all|you|they)\b|"
            r"look\s+worse\s+than|so\s+that\s+(?:the\s+report|it|every\w*|everything)\s+|"
            r"sounds?\s+(?:reasonable|technical|plausible|good)|from\s+imagination|"
            r"(?:your|free)\s+(?:fantasy|imagination)|as\s+you\s+imagine|just\s+say\b|"
            r"(?:the\s+)?usual\s+(?:numbers|figures|values)|there\s+was\s+no\s+such|"
            r"looks?\s+(?:real|authentic|genuine|official|right|good\s+enough)|nobody\s+told\s+me|"
            r"(?:do\s+not|don['’]t)\s+(?:have|know)\s+(?:the|any)\s+(?:real|actual|exact)?\s*"
            r"(?:data|numbers|figures|details|logs)|"
            r"never\s+(?:took\s+place|happened)|(?:did\s+not|didn['’]t|never)\s+(?:run|ran|"
            r"happen|measure|measured|test|tested)|choose\s+the\s+\w+\s+yourself|"
            r"(?:choose|pick)\s+a\s+cause|support\s+the\s+theory|that\s+shows?\s+(?:we|that\s+we))"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.42,
        gate=word_set(
            """report summary record timeline retrospective postmortem mortem root rca
            chronology apology status war findings disclosure resolution remediation
            excerpts release announcement notification testimonials entries description
            trace log logs message messages lessons story statement investigation impact"""
        ),
        spare_tests=True,
        operational=True,
        pattern=lazy_pattern(WRITE + r"[^.!?\n]{0,50}?\b" + REPORT),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.4,
        gate=word_set("a an"),
        operational=True,
        pattern=lazy_pattern(
            r"\ban?\s+(?:[\w-]+\s+){0,2}?(?:company|startup|bank|retailer|hospital|airline|provider|"
            r"operator|manufacturer|platform|fintech|saas|telecom|telco|social\s+network|"
            r"online\s+game|microservice|production\s+kubernetes|supplier|insurer|brewery|university|"
            r"city|agency|firm|shop|corporation|enterprise|publisher|government|utility)\b(?:['’]s)?|"
            r"^\s*an?\s+(?!user|customer|colleague|teammate|client|few|lot|pod|node|test|host|job|"
            r"build|bug|partner|reader)[\w-]+(?:\s+[\w-]+)?['’]s\s+\w+"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.14,
        gate=word_set(
            """spiked increased jumped rose climbed went dropped hit down unavailable
            unreachable failing reporting complaining shows affected exhausted"""
        ),
        operational=True,
        each_more=0.05,
        pattern=lazy_pattern(
            r"\b(?:spiked|increased|jumped|rose|climbed|went|dropped)\s+(?:from|to|by)\s+\w+|"
            r"\bhas\s+been\s+(?:down|unavailable|unreachable|degraded|failing)\b|"
            r"\b(?:users|customers)\s+(?:are|were)\s+(?:reporting|complaining|affected)\b|"
            r"\b(?:pool|descriptors|memory|disk)\s+exhausted\b"
        ),
    ),
    Cue(
        signal="fabricated_data",
        strength=0.36,
        gate=word_set("exact specific precise"),
        operational=True,
        pattern=lazy_pattern(
            r"\b(?:exact|specific|precise)\s+(?:[\w-]+\s+){0,1}?(?:figures|rates|times|timestamps|"
            r"numbers|revenue|dates|durations?)\b"
        ),
    ),
    # -- the story is complete before it was checked ----------------------------------------------
    Cue(
        signal="information_density",
        strength=0.36,
        gate=word_set(
            """caused due because traced cause culprit blame responsible came found discovered
            following"""
        ),
        operational=True,
        pattern=lazy_pattern(
            r"\b(?:caused\s+by|due\s+to|because\s+\w+|traced\s+(?:back\s+)?to|"
            r"(?:cause|culprit)\s+was|was\s+(?:to\s+blame|responsible)|(?:all\s+)?came\s+from|found\s+that|"
            r"engineers\s+(?:discovered|took))\b"
        ),
    ),
    Cue(
        signal="specific_metrics",
        strength=0.12,
        gate=None,
        operational=True,
        at_least=3,
        each_more=0.04,
        pattern=_METRIC,
    ),
    Cue(
        signal="second_person_role",
        strength=0.15,
        gate=word_set("you"),
        pattern=lazy_pattern(r"^\s*you(?:\s+are|['’]re)\s+(?:an?|the|our|my|now)\b"),
    ),
    Cue(
        signal="temporal_urgency",
        strength=0.07,
        gate=word_set("now immediately urgent urgently critical"),
        operational=True,
        pattern=lazy_pattern(r"\b(?:right\s+now|immediately|urgent(?:ly)?|critical)\b"),
    ),
)
