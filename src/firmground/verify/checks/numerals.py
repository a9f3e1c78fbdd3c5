"""Numerals in names: Elizabeth I is not Elizabeth II, and Phase I not Phase III."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage
from firmground.verify.select import word_terms
from firmground.verify.values.ordinals import ROMAN

_ONE = r"(?:[IVX]{1,6}|\d{1,2})"
_NUMBERED = lazy_pattern(
    rf"\b(?P<name>[A-Z][a-zé]+s?) (?P<first>{_ONE})\b(?!['’.,]?\d)"
    rf"(?P<more>(?:(?:\s*,|\s*/|\s*[–-]|\s+and|\s+or|\s+&|\s+to)\s*{_ONE}\b)*)"
)
_EACH = lazy_pattern(_ONE)
_MOST_PLACES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbered:
    name: str
    numbers: frozenset[int]
    start: int
    end: int
    roman: bool


def check_numerals(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to a numeral in a name where the source has the same name with another one only."""
    if case.about_source or denials(case.claim.text):
        return ()
    notes = (_judge(case, said) for said in _numbered(case.claim.text) if len(said.numbers) == 1)
    return tuple(note for note in notes if note is not None)


def _numbered(text: str) -> Iterator[_Numbered]:
    for m in _NUMBERED.finditer(text):
        spelled = [m["first"], *_EACH.findall(m["more"])]
        numbers = frozenset(ROMAN.get(one) or (int(one) if one.isdigit() else 0) for one in spelled)
        if 0 not in numbers:
            yield _Numbered(
                name=m["name"].removesuffix("s").lower(),
                numbers=numbers,
                start=m.start(),
                end=m.end(),
                roman=m["first"] in ROMAN,
            )


def _judge(case: CheckCase, said: _Numbered) -> CheckNote | None:
    """A roman numeral on one side at least: a figure behind a name is the numbers' business."""
    rivals = [(p, one) for p in case.passages for one in _numbered(p.text) if one.name == said.name]
    told = [(p, one) for p, one in rivals if not said.numbers & one.numbers]
    if not told or len(told) < len(rivals) or _elsewhere(case, said):
        return None
    passage, other = told[0]
    if passage.path is not None or not (said.roman or other.roman):
        return None
    shown = case.claim.text[said.start : said.end]
    reason = f"says {shown}, source says {passage.text[other.start : other.end]}"
    at, span = (said.start, said.end), (passage.span(other.start, other.end),)
    same = _same_matter(case, passage, said)
    if not same and _bare(case, said):
        return None
    standing = Standing.CONTRADICTED if same else Standing.UNGROUNDED
    code = "numeral_differs" if same else "numeral_absent"
    return case.note("numerals", code, standing, reason, at, span)


def _same_matter(case: CheckCase, passage: Passage, said: _Numbered) -> bool:
    own = frozenset(
        term
        for word in case.words
        if said.start <= word.start < said.end
        for term in word_terms(word.text)
    )
    return case.terms - own <= passage.terms


def _elsewhere(case: CheckCase, said: _Numbered) -> bool:
    """True when some other passage has the name with this very numeral."""
    return any(
        one.name == said.name and said.numbers & one.numbers
        for passage in _naming(case, said)
        for one in _numbered(passage.text)
    )


def _bare(case: CheckCase, said: _Numbered) -> bool:
    """True when some passage has the name without a numeral, and may mean whom the claim means."""
    return any(
        all(one.name != said.name for one in _numbered(passage.text))
        for passage in _naming(case, said)
    )


def _naming(case: CheckCase, said: _Numbered) -> list[Passage]:
    places = {at for term in word_terms(said.name) for at in case.reading.places(term)}
    return [case.reading.passages[at] for at in sorted(places)[:_MOST_PLACES]]
