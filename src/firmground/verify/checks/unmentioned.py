"""What a claim says that the documents do not mention."""

# ruff: noqa: E501 - phrase lists read better in long lines
from __future__ import annotations

import re

from firmground.core.lazy_pattern import lazy_pattern

_LONGEST = 400
_DOCUMENTS = (
    r"(?:(?:the|this|these|any|all|of|your|given|provided|available|above|supplied|retrieved|cited|"
    r"context|structured) ){0,4}(?:passages?|contexts?|texts?|documents?|articles?|information|data|"
    r"sources?|evidence|excerpts?|snippets?|records?|search results|materials?|content|transcript|"
    r"reviews?|dataset|sections?|pages?|leaflet|handbook|wording|policy|manual|material|record)(?: (?:provided|given|above|available|here|supplied|i have|i was given|you provided)){0,2}"
)
_NOT = (
    r"(?:do not|does not|did not|don't|doesn't|didn't|cannot|can't|could not|couldn't|"
    r"(?:am|was|were|are|is) (?:unable|not able) to|i'm (?:unable|not able) to)"
)
_HOW = (
    r"(?:(?:explicitly|specifically|directly|clearly|also|actually|really|currently|necessarily) )?"
)
_INFORMATION = (
    r"(?:(?:any|specific|enough|more|further|sufficient|the|exact|relevant|additional|clear|detailed|"
    r"explicit) ){0,3}(?:information|details?|data|anything|mention|indication|reference|facts?|"
    r"answers?|evidence)"
)
_ABOUT = (
    r"(?:about|on|of|regarding|concerning|for|as to|to|related to|whether|if|that|how|when|why|where|"
    r"who|what|which)"
)
_IN = rf"(?: (?:in|from|within|based on|by) {_DOCUMENTS})?"
_TELL = (
    r"(?:mention|say|state|specify|provide|contain|include|discuss|address|give|describe|explain|"
    r"indicate|cover|list|offer|clarify|detail|tell us|tell|reveal|answer|disclose|report)"
)
_SAY = r"(?:mention|say|state|specify|indicate|clarify|discuss)"
_SEEK = r"(?:find|see|locate|know|determine|tell|say|confirm|verify|identify)"
_TOLD = (
    r"(?:mentioned|stated|specified|provided|given|included|disclosed|listed|covered|discussed|"
    r"indicated|described|addressed|available|clear|known|reported|explained)"
)
_SAID = (
    rf"(?:{_DOCUMENTS} {_NOT} {_HOW}{_TELL}|(?:it|they) {_NOT} {_HOW}{_SAY}) "
    rf"(?:{_INFORMATION} )?(?:{_ABOUT} )?(?P<a>.+?){_IN}",
    rf"(?:i {_NOT} {_HOW}{_SEEK} (?:{_INFORMATION} )?|i {_NOT} have {_INFORMATION} |"
    rf"we {_NOT} (?:find|locate) (?:{_INFORMATION} )?)(?:{_ABOUT} )?(?P<b>.+?){_IN}",
    rf"(?:there (?:is|are|was|were)|i (?:have|found|see)|{_DOCUMENTS} (?:contain|contains|"
    rf"give|gives|provide|provides|make|makes|include|includes|have|has)) no(?:t any)? {_INFORMATION} "
    rf"(?:{_ABOUT} )?(?P<c>.+?){_IN}(?: (?:is |was )?(?:provided|given|available))?",
    rf"no {_INFORMATION} {_ABOUT} (?P<d>.+?) (?:is|are|was|were) {_TOLD}{_IN}",
    rf"it (?:is|was) (?:not {_TOLD}|unclear|unknown){_IN} {_ABOUT} (?P<e>.+?)",
    rf"(?P<f>.+?) (?:is|are|was|were) not {_HOW}(?:mentioned|stated|specified|indicated|discussed){_IN}",
    rf"{_DOCUMENTS} (?:lacks?|(?:is|are) silent (?:on|about)|says? nothing about|omits?) "
    rf"(?:{_INFORMATION} )?(?:{_ABOUT} )?(?P<g>.+?)",
)
_SILENT = tuple(
    lazy_pattern(rf"(?:however,? |but |also,? )?{form}[ .!]*\Z", re.I) for form in _SAID
)


def unmentioned(text: str) -> str:
    """What a claim says that the documents do not mention; empty for any other claim."""
    if len(text) > _LONGEST or not text[:200].strip():
        return ""
    for form in _SILENT:
        match = form.match(text)
        if match:
            return next(filter(None, match.groupdict().values()), "")
    return ""
