"""Removes the quotation marks around words that are in no source; the words stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from firmground.core.finding import CitationFinding, CitationStatus
from firmground.revise.patch import Patch, PatchKind

_MARKS = {'"': '"', "“": "”", "„": "“”", "«": "»", "‘": "’", "'": "'"}
_NOT_QUOTED = (CitationStatus.FABRICATED, CitationStatus.STITCHED)


def unquoted(answer: str, citations: Sequence[CitationFinding]) -> Iterator[Patch]:
    """Take out the quotation marks around words that no source has in this order."""
    for one in citations:
        first, last = answer[one.start : one.start + 1], answer[one.end - 1 : one.end]
        quoted = one.end - one.start > 2 and last and last in _MARKS.get(first, "")
        if one.status not in _NOT_QUOTED or not quoted:
            continue
        for at in (one.start, one.end - 1):
            yield Patch(
                start=at,
                end=at + 1,
                replacement="",
                kind=PatchKind.UNQUOTE,
                reason=one.reason,
            )
