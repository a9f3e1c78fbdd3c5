"""Recognizes replies in which a model declines to answer."""

from __future__ import annotations

import re

_DECLINES = re.compile(
    r"""
    \b(?:i|we)\s+(?:really\s+|simply\s+|honestly\s+)?
      (?:do\s+not|don'?t|cannot|can'?t|could\s+not|couldn'?t|am\s+not|'?m\s+not|are\s+not|
         am\s+unable|was\s+unable)\s*
      (?:know|tell|say|answer|determine|sure|certain|able|aware|have|find|verify|provide|help)
    | ^\W*(?:unknown|not\s+(?:sure|known|specified|stated|given|mentioned)|no\s+idea|unclear|
            n/?a|cannot\s+be\s+determined|insufficient\s+information)\b
    | \b(?:impossible|not\s+possible)\s+to\s+(?:know|say|tell|determine|answer)\b
    | \b(?:as\s+an\s+ai|i'?m\s+sorry,?\s+but|i\s+apologi[sz]e,?\s+but)\b
    | \b(?:does|do|did)\s+not\s+(?:say|state|specify|mention|provide|contain)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def declines(text: str) -> bool:
    """True when a reply says that the model does not know, cannot decide or will not answer."""
    return not text.strip() or _DECLINES.search(text.replace("\u2019", "'")) is not None
