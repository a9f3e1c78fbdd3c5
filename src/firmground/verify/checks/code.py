"""Commands and names in code marks: what is given to be typed must stand in the evidence."""

from __future__ import annotations

import re
from functools import lru_cache

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.reading import EvidenceIndex, Passage

_SPAN = lazy_pattern(r"(?<!`)(`{1,2})(?!`)([^`\n]{2,400}?)\1(?!`)")
_LOOSE = lazy_pattern(r"[\s\"'`\\]+")


def check_code(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to code that no evidence holds; a source's other use of the command is named."""
    return tuple(_judge(case, m.start(2), m.end(2)) for m in _SPAN.finditer(case.claim.text))


def _judge(case: CheckCase, start: int, end: int) -> CheckNote:
    shown, at = case.claim.text[start:end].strip(), (start, end)
    sought = f" {_plain(shown)} "
    if sought.strip() and (
        any(sought in text for text in _texts(case.reading))
        or sought in f" {_plain(case.question)} "
    ):
        return case.note("code", "code_found", None, "source has it", at)
    other = _other_use(case, shown)
    if other is not None:
        passage, given = other
        reason = f"says `{shown}`, source says `{given.group().strip()}`"
        span = (passage.span(given.start(), given.end()),)
        return case.note("code", "code_differs", Standing.CONTRADICTED, reason, at, span)
    reason = f"says `{shown}`, which no source has"
    return case.note("code", "code_absent", Standing.UNGROUNDED, reason, at)


@lru_cache(maxsize=2)
def _texts(reading: EvidenceIndex) -> tuple[str, ...]:
    """The evidence with blanks, quotation marks and line breaks made alike."""
    parts: dict[str, list[str]] = {}
    for passage in reading.passages:
        parts.setdefault(passage.evidence_id, []).append(passage.text)
    return tuple(f" {_plain(' '.join(found))} " for found in parts.values())


def _plain(text: str) -> str:
    """Words parted by single blanks, without marks at their ends."""
    bare = (
        word.strip(".,;:!?()[]{}<>*_") or word for word in _LOOSE.sub(" ", text.lower()).split()
    )
    return " ".join(bare)


def _other_use(case: CheckCase, shown: str) -> tuple[Passage, re.Match[str]] | None:
    """Find the same command with something else behind it, in a passage chosen for the claim."""
    said = shown.split()
    if len(said) < 2:
        return None
    sought = re.compile(
        rf"(?<![\w/.-]){re.escape(said[0])}(?:[ \t]+[\w./:=@-]+){{1,{len(said) + 1}}}"
    )
    for passage in case.passages:
        given = sought.search(passage.text)
        if given is not None:
            return passage, given
    return None
