"""Numbers, percentages and money: does the source give the same one, rounded or not?"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from firmground.core.claim import CheckNote, Standing
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.checks.computed import computed
from firmground.verify.reading import EvidenceIndex, Passage, terms_of
from firmground.verify.units import readable_path
from firmground.verify.values.comparing import Match, compare
from firmground.verify.values.number_words import SCALES
from firmground.verify.values.quantities import NumberBound, Quantity, quantities
from firmground.verify.values.units_of_measure import UNITS

_GOOD = (Match.SAME, Match.ROUNDED, Match.WITHIN)
_MOST_FIELDS = 400
# Units too common to name a field by.
_NO_FIELD = frozenset({"percent", "second", "month", "usd", "degree"})
# From here on a number is hardly met by chance in another field.
_LARGE = 1000
# Words such as "two" are often counted by the writer and stand in no source.
_COUNTED_BY_HAND = 12
_SCALE_WORDS = frozenset(word for scales in SCALES.values() for word in scales)
# A number that so many passages hold is not looked up in each.
_MOST_PLACES = 16


def check_numbers(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to numbers the source gives otherwise, or does not give at all."""
    if case.about_source:
        return ()
    return tuple(_judge(case, said) for said in quantities(case.claim.text))


def _judge(case: CheckCase, said: Quantity) -> CheckNote:
    at = (said.start, said.end)
    found = _found(case, said)
    if found is not None:
        passage, given, match = found
        code = "number_matches" if match is Match.SAME else "number_rounded"
        reason = f"source says {given.text}" + ("" if match is Match.SAME else f" for {said.text}")
        span = passage.span(given.start, given.end)
        return case.note("numbers", code, None, reason, at, (span,))
    worked_out = computed(case, said)
    if worked_out is not None:
        passage, start, end = worked_out
        reason = f"follows from “{passage.text[start:end]}”"
        span = passage.span(start, end)
        return case.note("numbers", "number_computed", None, reason, at, (span,))
    rival = _rival(case, said, at)
    if rival is not None:
        passage, given = rival
        span = passage.span(given.start, given.end)
        reason = f"says {said.text}, source says {given.text}"
        return case.note("numbers", "number_differs", Standing.CONTRADICTED, reason, at, (span,))
    return _absent(case, said, at)


def _found(case: CheckCase, said: Quantity) -> tuple[Passage, Quantity, Match] | None:
    """Find the best passage that supports the number: same before rounded, near before far."""
    best: tuple[Passage, Quantity, Match] | None = None
    for passage in (*case.passages, *_fields_of(case, said), *_beside(case, said)):
        for given in given_numbers(passage):
            match = compare(said, given)
            if match is Match.SAME and _same_thing(said, given):
                return passage, given, match
            if match in _GOOD and best is None:
                best = passage, given, match
    return best


def _fields_of(case: CheckCase, said: Quantity) -> tuple[Passage, ...]:
    """The record fields that hold one number of the very thing the claim measures or counts."""
    thing = said.unit or said.noun
    if not thing or thing in _NO_FIELD:
        return ()
    return _fields_by_thing(case.reading).get(thing, ())


def _beside(case: CheckCase, said: Quantity) -> tuple[Passage, ...]:
    """The other fields of a chosen item, for a rounded number whose field has another name."""
    if said.bound is not NumberBound.ABOUT or max(said.readings) < _LARGE:
        return ()
    chosen = {(p.evidence_id, p.path.rpartition(".")[0]) for p in case.passages if p.path}
    fields = case.reading.fields[:_MOST_FIELDS] if chosen else ()
    return tuple(f for f in fields if (f.evidence_id, (f.path or "").rpartition(".")[0]) in chosen)


@lru_cache(maxsize=2)
def _fields_by_thing(reading: EvidenceIndex) -> dict[str, tuple[Passage, ...]]:
    things: dict[str, tuple[Passage, ...]] = {}
    for field in reading.fields[:_MOST_FIELDS]:
        given = given_numbers(field)
        if len(given) == 1:
            for thing in {given[0].unit, given[0].noun} - {""}:
                things[thing] = (*things.get(thing, ()), field)
    return things


def given_numbers(passage: Passage) -> tuple[Quantity, ...]:
    """The numbers of a passage; a bare number in a record is one of what its field is called."""
    if passage.path is None:
        return quantities(passage.text)
    return _of_field(passage.value, passage.path.rpartition(".")[2])


@lru_cache(maxsize=4096)
def _of_field(value: str, name: str) -> tuple[Quantity, ...]:
    found = quantities(value)
    if len(found) != 1 or found[0].unit or found[0].noun:
        return found
    label = readable_path(name).split()
    unit, factor = next((UNITS[word] for word in reversed(label) if word in UNITS), ("", 1.0))
    noun = "" if unit or not label else label[-1].removesuffix("s")
    # "disk_free_gb: 12" may be given as 12 GB, or as the 12 that is written.
    scaled = tuple(reading * factor for reading in found[0].readings)
    readings = tuple(dict.fromkeys((*scaled, *found[0].readings)))
    step = found[0].step * factor
    return (replace(found[0], unit=unit, noun=noun, readings=readings, step=step),)


def _same_thing(said: Quantity, given: Quantity) -> bool:
    return said.unit == given.unit or not said.unit or not given.unit


def _rival(case: CheckCase, said: Quantity, at: tuple[int, int]) -> tuple[Passage, Quantity] | None:
    """Find a number of the same kind in a passage that otherwise says what the claim says."""
    own = span_terms(case, *at)
    fields = _fields_of(case, said)
    if fields:
        return fields[0], given_numbers(fields[0])[0]
    for passage in case.passages:
        if not case.mirrors(passage, own):
            continue
        rivals = [g for g in given_numbers(passage) if compare(said, g) is Match.DIFFERENT]
        if len(rivals) == 1 or (rivals and said.unit):
            before = _word_before(case.claim.text, said.start)
            alike = [r for r in rivals if _word_before(passage.text, r.start) == before]
            return passage, (alike or rivals)[0]
    return None


def _word_before(text: str, start: int) -> str:
    return text[:start].rsplit(maxsplit=1)[-1].lower() if text[:start].strip() else ""


def _absent(case: CheckCase, said: Quantity, at: tuple[int, int]) -> CheckNote:
    small = said.worded and max(said.readings) / said.factor <= _COUNTED_BY_HAND
    terms = span_terms(case, *at)
    known = all(case.reading.knows(term) for term in terms)
    elsewhere = known and not _only_scaled(case.reading, terms)
    asked = any(
        compare(said, given) in _GOOD
        for text in (case.question, case.claim.context)
        for given in quantities(text)
    )
    if asked:
        return case.note("numbers", "number_from_question", None, "the question says so", at)
    code = "number_elsewhere" if elsewhere else "number_absent"
    veto = None if small or said.ordinal or elsewhere else Standing.UNGROUNDED
    reason = f"says {said.text}, " + (
        "which the source says only elsewhere" if elsewhere else "which no source gives"
    )
    return case.note("numbers", code, veto, reason, at)


def _only_scaled(reading: EvidenceIndex, terms: frozenset[str]) -> bool:
    """True when every passage with these words has them in ``two million`` and the like only."""
    holding = [reading.places(term) for term in terms]
    places = frozenset.intersection(*holding) if holding else frozenset()
    if not 0 < len(places) <= _MOST_PLACES:
        return False
    return all(_scaled_away(reading.passages[at].text, terms) for at in places)


def _scaled_away(text: str, terms: frozenset[str]) -> bool:
    """True when a text without its ``two million`` and the like no longer has these words."""
    left, at = [], 0
    for given in quantities(text):
        if not _SCALE_WORDS.isdisjoint(given.text.lower().split()):
            left.append(text[at : given.start])
            at = given.end
    return at > 0 and not terms <= terms_of("".join([*left, text[at:]]))
