"""Same-sentence scope: parts of a fact gathered from different places do not make the fact."""

from __future__ import annotations

from firmground.core.claim import CheckNote, Standing
from firmground.verify.checks.case import Case, span_terms
from firmground.verify.checks.naming import Name, names, names_and_subject
from firmground.verify.reading import Passage, Reading
from firmground.verify.select import word_terms
from firmground.verify.values.calendar import Day, agrees, days
from firmground.verify.values.comparing import Match, compare
from firmground.verify.values.places import aliases
from firmground.verify.values.quantities import Quantity, quantities

_OPENING = 4
_SAME_MATTER = 0.7
_GOOD = (Match.SAME, Match.ROUNDED, Match.WITHIN)


def check_scope(case: Case) -> tuple[CheckNote, ...]:
    """Object when the source gives the value, but says it of somebody else."""
    subject = _subject(case.claim.text, case.reading)
    if case.about_source or subject is None or len(names(case.claim.text)) > 2:
        return ()
    values: tuple[Quantity | Day, ...] = (*quantities(case.claim.text), *days(case.claim.text))
    notes = [_judge(case, subject, value) for value in values if not _small(value)]
    return tuple(note for note in notes if note is not None)


def _subject(text: str, reading: Reading) -> Name | None:
    """The name a sentence opens with, if it opens with one."""
    named = names_and_subject(text, reading)
    return named[0] if named and named[0].start <= _OPENING else None


def _small(value: Quantity | Day) -> bool:
    return isinstance(value, Quantity) and value.worded


def _judge(case: Case, subject: Name, value: Quantity | Day) -> CheckNote | None:
    holders = [passage for passage in case.passages if _holds(passage, value)]
    wanted = frozenset(t for w in subject.words for t in word_terms(w[2]))
    if not holders or any(_could_mean(case, p, wanted) for p in holders):
        return None
    holder = holders[0]
    without = wanted | span_terms(case, value.start, value.end)
    if not case.terms - without or case.cover(holder, without) < _SAME_MATTER:
        return None
    other = _subject(holder.text, case.reading)
    if other is None:
        return None
    shown = case.claim.text[value.start : value.end]
    reason = f"source gives {shown} of {other.text}, not of {subject.text}"
    at = (value.start, value.end)
    return case.note("scope", "said_of_another", Standing.UNGROUNDED, reason, at, (holder.span(),))


def _holds(passage: Passage, value: Quantity | Day) -> bool:
    if isinstance(value, Day):
        return any(agrees(value, given) for given in days(passage.text))
    return any(compare(value, given) in _GOOD for given in quantities(passage.text))


def _could_mean(case: Case, passage: Passage, wanted: frozenset[str]) -> bool:
    """True unless the passage has a subject of its own that is not the one meant.

    A passage that names nobody may carry on from the sentence before it.
    """
    if passage.path is not None or wanted & passage.terms:
        return True
    if any(other in passage.terms for word in wanted for other in aliases(word)):
        return True
    return _subject(passage.text, case.reading) is None
