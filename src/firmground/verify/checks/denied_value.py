"""Values that a claim denies: another value in the source does not contradict them.

"The bridge did not open in 1952" is supported by a source that says 1932. Where the source denies
as well ("not before 9:00" beside "not before 10:00"), the two values still compare.
"""

from __future__ import annotations

from collections.abc import Sequence

from firmground.core.claim import CheckNote, Standing
from firmground.core.evidence import EvidenceSpan
from firmground.verify.checks.case import CheckCase
from firmground.verify.polarity import denials, denied_at

_OTHER_VALUE = frozenset(
    "number_differs value_conflicts date_differs time_differs weekday_differs name_differs "
    "identifier_differs share_differs rank_differs numeral_differs multiple_differs".split()
)


def is_denied_value(case: CheckCase, note: CheckNote) -> bool:
    """Return whether a note objects to a value that the claim itself denies."""
    if note.code not in _OTHER_VALUE or note.standing is not Standing.CONTRADICTED:
        return False
    if note.start is None or note.end is None:
        return False
    return denies_value(
        case, note.start - case.claim.start, note.end - case.claim.start, note.evidence
    )


def denies_value(case: CheckCase, start: int, end: int, spans: Sequence[EvidenceSpan]) -> bool:
    """Return whether the claim denies the words at a place and the source there denies nothing."""
    if not denied_at(case.claim.text, start, end):
        return False
    return not any(
        denials(passage.text)
        for passage in case.reading.passages
        for span in spans
        if passage.evidence_id == span.evidence_id
        and passage.start < span.end
        and span.start < passage.end
    )
