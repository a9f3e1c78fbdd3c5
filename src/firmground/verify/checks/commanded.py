"""Commands: does the claim instruct, word for word, to do what the source forbids?"""

from __future__ import annotations

import re

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.reading import Passage, terms_of

_FORBIDS = lazy_pattern(
    r"(?:\A|[.!?;:,(]\s+|\b(?:and|but|then|so|please)\s+)(?:please\s+)?(?:do not|don['’]t|never)\s+"
    r"(?P<deed>[^.!?;:,()\n]{3,160})",
    re.IGNORECASE,
)
_ON_CONDITION = lazy_pattern(
    r"\s(?:if|unless|when|while|until|before|after|without|for|because|except)\s", re.IGNORECASE
)
_FEWEST_TERMS = 2
_MOST_OF_CONDITION = 0.6


def forbidden_deed(case: CheckCase) -> tuple[Passage, int, int] | None:
    """Find the command that a passage forbids and the claim gives; the claim denies nothing.

    A condition behind the command must be the claim's too, and no other sentence may give it.
    """
    claim = _plain(case.claim.text)
    for passage in case.passages:
        for m in _FORBIDS.finditer(passage.text):
            deed, condition = _parted(m["deed"])
            if _taken_up(claim, deed, condition) and not _given(case, deed):
                return passage, m.start("deed"), m.end("deed")
    return None


def _parted(deed: str) -> tuple[str, str]:
    cut = _ON_CONDITION.search(deed)
    return (deed[: cut.start()], deed[cut.end() :]) if cut else (deed, "")


def _taken_up(claim: str, deed: str, condition: str) -> bool:
    told = _plain(deed)
    if len(terms_of(told)) < _FEWEST_TERMS or f" {told} " not in f" {claim} ":
        return False
    wanted = terms_of(condition)
    return len(wanted & terms_of(claim)) >= _MOST_OF_CONDITION * len(wanted)


def _given(case: CheckCase, deed: str) -> bool:
    """True when some passage has these words and does not forbid them."""
    told = _plain(deed)
    return any(
        f" {told} " in f" {_plain(_FORBIDS.sub(' | ', passage.text))} " for passage in case.passages
    )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+|\|", text.lower()))
