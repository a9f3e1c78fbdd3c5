"""Same-sentence scope: parts of a fact gathered from different places do not make the fact."""

from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.checks.naming import Name, names, names_and_subject
from firmground.verify.reading import EvidenceIndex, Passage, terms_of
from firmground.verify.select import stem, word_terms
from firmground.verify.values.calendar import Day, agrees, days
from firmground.verify.values.comparing import Match, compare
from firmground.verify.values.places import aliases
from firmground.verify.values.quantities import Quantity, quantities

_OPENING = 4
_WORDS_BEFORE = 2
_SAME_MATTER = 0.7
_GOOD = (Match.SAME, Match.ROUNDED, Match.WITHIN)
_PLACING = frozenset("on in at by to of for from as im am in en à dans sur".split())
# "The population of France": the sentence opens with a property and names its owner.
_OWNED = lazy_pattern(r"\b(?:(?:The|An?)\s+)?(?:[^\W\d_]+\s+){1,4}?(?:of|von|de)\s+(?:the\s+)?\Z")
# Words that may refer back to a subject named before.
_BACK = lazy_pattern(
    r"\b(?:the|it|its|he|his|him|she|her|they|their|them|this|that|these|those|there|here|we|our|"
    r"der|die|das|dort|le|la|les|el|los|las|sus?)\b",
    re.IGNORECASE,
)
_HEADS = frozenset(stem(w) for w in "people inhabitants residents population citizens".split())
_TITLES = ("name", "title", "id")


def check_scope(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the source gives the value, but for another subject."""
    subject = _subject(case.claim.text, case.reading)
    if case.about_source or subject is None or len(names(case.claim.text)) > 2:
        return ()
    values: tuple[Quantity | Day, ...] = (*quantities(case.claim.text), *days(case.claim.text))
    notes = [_judge(case, subject, value) for value in values if not _small(value)]
    return tuple(note for note in notes if note is not None)


def _subject(text: str, reading: EvidenceIndex) -> Name | None:
    """The name a sentence opens with, or the one whose property it opens with."""
    named = names_and_subject(text, reading)
    opens = bool(named) and (_opens(text, named[0]) or _owner(text, named[0]))
    return named[0] if opens or _counts(text, named) else None


def _opens(text: str, name: Name) -> bool:
    """True at the head of a sentence; ``On Metacritic`` opens it with a place, not a subject."""
    return name.start <= _OPENING and text[: name.start].strip().lower() not in _PLACING


def _counts(text: str, named: tuple[Name, ...]) -> bool:
    """True for ``About 67 million people live in France``: the number opens, one name follows."""
    counted = quantities(text)
    if len(named) != 1 or not counted or _BACK.search(text):
        return False
    return (
        len(text[: counted[0].start].split()) <= _WORDS_BEFORE and counted[0].end < named[0].start
    )


def _owner(text: str, name: Name) -> bool:
    return _OWNED.match(text[: name.start]) is not None


def _small(value: Quantity | Day) -> bool:
    return isinstance(value, Quantity) and value.worded


def _judge(case: CheckCase, subject: Name, value: Quantity | Day) -> CheckNote | None:
    holders = [passage for passage in case.passages if _holds(passage, value)]
    wanted = frozenset(t for w in subject.words for t in word_terms(w[2]))
    if not holders or any(_could_mean(case, p, wanted) for p in holders):
        return None
    holder = holders[0]
    without = wanted | span_terms(case, value.start, value.end)
    other = _said_of(case, holder)
    if other is None or not _same_matter(case, holder, without):
        return None
    shown = case.claim.text[value.start : value.end]
    reason = f"source gives {shown} of {other[0]}, not of {subject.text}"
    at = (value.start, value.end)
    return case.note("scope", other[1], Standing.UNGROUNDED, reason, at, (holder.span(),))


def _said_of(case: CheckCase, holder: Passage) -> tuple[str, str] | None:
    """The subject that the source gives it for, and the reason code."""
    if holder.path is not None:
        return _title(case.reading, holder), "stitched"
    other = _subject(holder.text, case.reading)
    if other is None:
        return None
    return other.text, "stitched" if other.start > _OPENING else "said_of_another"


def _same_matter(case: CheckCase, holder: Passage, without: frozenset[str]) -> bool:
    if holder.path is not None:
        return any(term in case.terms for term in terms_of(holder.text.partition(": ")[0]))
    if _HEADS & case.terms and _HEADS & holder.terms:
        return (
            case.cover(holder, without | _HEADS) >= _SAME_MATTER or case.terms <= without | _HEADS
        )
    return bool(case.terms - without) and case.cover(holder, without) >= _SAME_MATTER


def _holds(passage: Passage, value: Quantity | Day) -> bool:
    text = passage.value  # the number of a list item is not one of its values
    if isinstance(value, Day):
        return any(agrees(value, given) for given in days(text))
    return any(compare(value, given) in _GOOD for given in quantities(text))


def _could_mean(case: CheckCase, passage: Passage, wanted: frozenset[str]) -> bool:
    """True unless the passage has a subject of its own that is not the one meant.

    A passage without a named subject may continue the sentence before it.
    """
    if wanted & passage.terms:
        return True
    if passage.path is not None:
        return not _in_another_item(case.reading, passage, wanted)
    if any(other in passage.terms for word in wanted for other in aliases(word)):
        return True
    return _subject(passage.text, case.reading) is None


def _item(path: str) -> str:
    """The path of the list's item that a field belongs to; empty outside of lists."""
    parts = path.split(".")
    last = max((at for at, part in enumerate(parts) if part.isdigit()), default=-1)
    return ".".join(parts[: last + 1])


def _in_another_item(reading: EvidenceIndex, passage: Passage, wanted: frozenset[str]) -> bool:
    """True when the subject is what another item of the same list is called, and only that one."""
    own = _item(passage.path or "")
    if not own:
        return False
    called = {
        _item(field.path or "")
        for field in reading.fields
        if field.evidence_id == passage.evidence_id and wanted <= terms_of(field.value)
    }
    listed = own.rpartition(".")[0]
    return bool(called) and own not in called and {c.rpartition(".")[0] for c in called} == {listed}


def _title(reading: EvidenceIndex, passage: Passage) -> str:
    own = _item(passage.path or "")
    fields = [
        f
        for f in reading.fields
        if f.evidence_id == passage.evidence_id and _item(f.path or "") == own
    ]
    named = [f for f in fields if (f.path or "").rpartition(".")[2].lower() in _TITLES]
    return (named or fields)[0].value
