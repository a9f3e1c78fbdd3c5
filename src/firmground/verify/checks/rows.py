"""Rows: a value of one row or record does not belong to another one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import word_texts
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.numbers import given_numbers
from firmground.verify.polarity import denials
from firmground.verify.reading import EvidenceIndex, Passage
from firmground.verify.select import word_terms
from firmground.verify.units import readable_path
from firmground.verify.values.comparing import Match, compare
from firmground.verify.values.quantities import Quantity, quantities

_GOOD = (Match.SAME, Match.ROUNDED, Match.WITHIN)
# A claim that sums up or compares rows gives values that stand in none of them.
_ACROSS = lazy_pattern(
    r"\b(?:more|less|fewer|than|total|sum|average|mean|together|combined|both|difference|between|"
    r"twice|half|respectively|all|each|every|most|highest|lowest|other)\b",
    re.IGNORECASE,
)
_IS = lazy_pattern(r"\b(?:is|are|was|were|ist|sind|war|est|sont|es|está|son)\s+\Z", re.IGNORECASE)
_TITLES = frozenset({"name", "title", "id"})
_MOST_WORDS = 5
_SHORT = 2
_Row = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a value stands: in which row, under which head."""

    row: _Row
    column: str
    passage: Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """All rows of the evidence that have others beside them."""

    rows: dict[_Row, dict[str, Passage]]
    values: dict[str, tuple[_Place, ...]]
    """Short values, in lower case, with every place they stand at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mention:
    """A cell's value that a claim names."""

    start: int
    end: int
    places: tuple[_Place, ...]


def check_rows(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the source gives a value for another row than the one the claim names."""
    if case.about_source or not case.reading.fields or _ACROSS.search(case.claim.text):
        return ()
    grid = _grid(case.reading)
    if len(grid.rows) < _SHORT or denials(case.claim.text):
        return ()
    said = list(_mentions(case, grid))
    subject = _subject(said, grid)
    if subject is None:
        return ()
    own = subject.places[0].row
    notes = [
        *(_number(case, grid, own, q) for q in quantities(case.claim.text) if _apart(q, said)),
        *(_word(case, grid, own, one) for one in said if one is not subject),
    ]
    return tuple(note for note in notes if note is not None)[:1]


@lru_cache(maxsize=2)
def _grid(reading: EvidenceIndex) -> _Grid:
    rows: dict[_Row, dict[str, Passage]] = {}
    for field in reading.fields:
        item, column = _item(field.path or "")
        if column:
            rows.setdefault((field.evidence_id, item), {}).setdefault(column, field)
    heads: dict[str, int] = {}
    for cells in rows.values():
        heads[_head(cells)] = heads.get(_head(cells), 0) + 1
    kept = {row: cells for row, cells in rows.items() if heads[_head(cells)] > 1}
    values: dict[str, list[_Place]] = {}
    for row, cells in kept.items():
        for column, passage in cells.items():
            words = word_texts(passage.value)
            if 0 < len(words) <= _MOST_WORDS:
                key = " ".join(map(str.lower, words))
                values.setdefault(key, []).append(_Place(row=row, column=column, passage=passage))
    return _Grid(rows=kept, values={key: tuple(found) for key, found in values.items()})


def _head(cells: dict[str, Passage]) -> str:
    """What makes rows alike: their first head, since later cells may be empty."""
    return next(iter(cells))


def _item(path: str) -> tuple[str, str]:
    """Part a path into the item of a list, or the whole record, and the column in it."""
    parts = path.split(".")
    last = max((at for at, part in enumerate(parts) if part.isdigit()), default=-1)
    return ".".join(parts[: last + 1]), ".".join(parts[last + 1 :])


def _mentions(case: CheckCase, grid: _Grid) -> Iterator[_Mention]:
    """Find the longest runs of words in the claim that are the value of a cell."""
    words, at = case.words, 0
    while at < len(words):
        for size in range(min(_MOST_WORDS, len(words) - at), 0, -1):
            run = words[at : at + size]
            found = grid.values.get(" ".join(word.text.lower() for word in run), ())
            before = words[at - 1].text.lower() if at else ""
            meant = tuple(one for one in found if _meant(one, run[0].text, size, before))
            if meant:
                yield _Mention(start=run[0].start, end=run[-1].end, places=meant)
                at += size - 1
                break
        at += 1


def _meant(place: _Place, word: str, size: int, before: str) -> bool:
    """True for a telling value; a number, a letter or a small word must follow its head."""
    lettered = any(map(str.isalpha, word))
    telling = size > 1 or (len(word) > _SHORT and bool(word_terms(word)) and lettered)
    return telling or before in readable_path(place.column).split()


def _subject(said: list[_Mention], grid: _Grid) -> _Mention | None:
    """The one value that names one row; a claim that names several rows is about all of them."""
    single = [one for one in said if len({place.row for place in one.places}) == 1]
    first = [one for one in single if _is_key(one.places[0], grid)]
    chosen = first or single
    return chosen[0] if len(chosen) == 1 or (not first and chosen) else None


def _is_key(place: _Place, grid: _Grid) -> bool:
    """True for what a row is called: its first cell, or one whose head says so."""
    return place.column.lower() in _TITLES or place.column == next(iter(grid.rows[place.row]))


def _apart(said: Quantity, mentions: list[_Mention]) -> bool:
    return not said.ordinal and not any(m.start < said.end and said.start < m.end for m in mentions)


def _number(case: CheckCase, grid: _Grid, own: _Row, said: Quantity) -> CheckNote | None:
    mine = grid.rows[own]
    if any(compare(said, g) in _GOOD for cell in mine.values() for g in given_numbers(cell)):
        return None
    for row, column, cell in _holders(case, grid, own, said):
        rival = mine.get(column)
        if rival is not None and given_numbers(rival):
            return _note(case, (said.start, said.end), (row, cell), (own, rival), grid)
    return None


def _holders(
    case: CheckCase, grid: _Grid, own: _Row, said: Quantity
) -> Iterator[tuple[_Row, str, Passage]]:
    """Cells of other rows that hold a number, those first whose head the claim names."""
    places = {at for term in word_terms(_digits(said)) for at in case.reading.places(term)}
    found = []
    for at in sorted(places):
        cell = case.reading.passages[at]
        item, column = _item(cell.path or "")
        row = (cell.evidence_id, item)
        if row == own or grid.rows.get(row, {}).get(column) is not cell:
            continue
        if any(compare(said, given) in _GOOD for given in given_numbers(cell)):
            named = bool(set(readable_path(column).split()) & _spoken(case))
            found.append((not named, row, column, cell))
    for _, row, column, cell in sorted(found, key=lambda one: one[0]):
        yield row, column, cell


def _digits(said: Quantity) -> str:
    m = re.search(r"\d[\d.,]*", said.text)
    return m.group().rstrip(".,") if m else said.text.split()[0]


def _spoken(case: CheckCase) -> set[str]:
    return {word.text.lower() for word in case.words}


def _word(case: CheckCase, grid: _Grid, own: _Row, said: _Mention) -> CheckNote | None:
    mine = grid.rows[own]
    if any(place.row == own for place in said.places):
        return None
    shown = case.claim.text[said.start : said.end]
    for place in said.places:
        rival = mine.get(place.column)
        head = set(readable_path(place.column).split()) & _spoken(case)
        plain = head or shown[0].isupper() or any(map(str.isdigit, shown))
        if rival is not None and (plain or _IS.search(case.claim.text, 0, said.start)):
            return _note(
                case, (said.start, said.end), (place.row, place.passage), (own, rival), grid
            )
    return None


def _note(
    case: CheckCase,
    at: tuple[int, int],
    other: tuple[_Row, Passage],
    mine: tuple[_Row, Passage],
    grid: _Grid,
) -> CheckNote:
    names = [next(iter(grid.rows[row].values())).value for row in (other[0], mine[0])]
    shown = case.claim.text[slice(*at)]
    reason = f"source gives {shown} for {names[0]}; for {names[1]} it gives {mine[1].value}"
    spans = (mine[1].span(), other[1].span())
    return case.note("rows", "row_differs", Standing.CONTRADICTED, reason, at, spans)
