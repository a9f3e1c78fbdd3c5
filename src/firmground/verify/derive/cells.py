"""Cells of tables and leaves of records: what a bare number in them measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.derive.dimensions import find_unit
from firmground.verify.derive.model import Value
from firmground.verify.units import readable_path

_HEAD = lazy_pattern(r"[^\W\d][\w .%()/#$€£-]{0,40}")
_FEWEST_COLUMNS = 3
_PER_WORDS = {
    "monthly": "month", "yearly": "year", "annual": "year", "annually": "year", "weekly": "week",
    "daily": "day", "hourly": "hour", "nightly": "night",
}  # fmt: skip
_PERIODS = frozenset({"month", "year", "week", "day", "hour", "night", "quarter", "minute"})
_NO_UNITS = frozenset(
    "in a an s t w v p d y c no fr try real us star stars cal second m l real rand lei".split()
)
_SCALED = {"k": 1e3, "t": 1e3, "m": 1e6, "bn": 1e9}
_SIGNS = {"€": "eur", "$": "usd", "£": "gbp", "sec": "seconds", "pct": "%"}
_MONTHLY_NOUN = 24


@dataclass(frozen=True, slots=True)
class CsvCell:
    """One cell of CSV lines that stand inside other text; it has what a passage has."""

    text: str
    start: int
    end: int
    path: str
    about: str
    evidence_id: str


Line = tuple[int, str, int, str, str]
"""A line of prose: position of its passage, text, start, what it is about, evidence id."""


def csv_cells(lines: Sequence[Line]) -> tuple[list[CsvCell], list[int], list[Line], set[int]]:
    """Find CSV lines among lines of prose.

    Gives the cells, for each the position of its passage, the other lines of these passages, and
    the positions of the passages that cells and lines stand for.
    """
    cells: list[CsvCell] = []
    owners: list[int] = []
    replaced: set[int] = set()
    used: set[int] = set()
    at = 0
    while at < len(lines):
        head = lines[at][1].strip()
        heads = head.split(",")
        end = at + 1
        if len(heads) >= _FEWEST_COLUMNS and all(_HEAD.fullmatch(one.strip()) for one in heads):
            while end < len(lines) and _is_row(lines[end], lines[at], len(heads)):
                end += 1
        if end > at + 1 and "," in head and ", " not in head:
            for row in range(at + 1, end):
                found = list(_row_cells(lines[row], heads, row))
                cells.extend(found)
                owners.extend([lines[row][0]] * len(found))
                replaced.add(lines[row][0])
            used.update(range(at, end))
            at = end
        else:
            at += 1
    rest = [line for at, line in enumerate(lines) if line[0] in replaced and at not in used]
    return cells, owners, rest, replaced


def _is_row(line: Line, head: Line, size: int) -> bool:
    return line[4] == head[4] and line[1].count(",") == size - 1 and line[1][0] != "#"


def _row_cells(line: Line, heads: Sequence[str], row: int) -> Iterator[CsvCell]:
    _, text, start, about, evidence = line
    pieces = text.split(",")
    key = pieces[0].strip()
    at = start
    for column, (head, piece) in enumerate(zip(heads, pieces, strict=True)):
        label = f"{key} {readable_path(head)}" if column else readable_path(head)
        if piece.strip():
            left = at + len(piece) - len(piece.lstrip())
            yield CsvCell(
                text=f"{label}: {piece.strip()}", start=left, end=left + len(piece.strip()),
                path=f"csv.{row}.{head.strip()}", about=about, evidence_id=evidence,
            )  # fmt: skip
        at += len(piece) + 1


@lru_cache(maxsize=4096)
def label_units(name: str) -> tuple[str, float, str, str]:
    """Read dimension, size, rate and noun of a field by its name: `price_eur_per_month`."""
    words = readable_path(_PUNCTUATION.sub(" ", name)).split()
    per = next((_PER_WORDS[word] for word in words if word in _PER_WORDS), "")
    if "per" in words:
        at = words.index("per")
        per = per or (words[at + 1].removesuffix("s") if at + 1 < len(words) else "")
        words = words[:at] or words
    found = [unit for word in words if (unit := _unit(word)) is not None]
    money = next((unit for unit in found if unit[0].startswith("money")), None)
    unit = money or (found[-1] if found else None)
    if money is not None and not per:
        per = next((word for word in words if word in _PERIODS), "")
    noun = words[-1] if words else ""
    return (*unit, per, noun) if unit is not None else ("", 1.0, per, noun)


_PUNCTUATION = lazy_pattern(r"[()/\[\],]")


def _unit(word: str) -> tuple[str, float] | None:
    if word in _NO_UNITS:
        return None
    word = _SIGNS.get(word, word)
    found = find_unit(word)
    if found is None and len(word) == 4 and word[0] in "ktm":
        base = find_unit(word[1:])
        if base is not None and base[0].startswith("money"):
            return base[0], _SCALED[word[0]]
    return None if found is None or found[0] == "count" else found


def measured_by_field(read: tuple[Value, ...], name: str) -> tuple[Value, ...]:
    """Give bare numbers the unit that their field or column is named with, or none at all."""
    dimension, factor, per, noun = label_units(name)
    made = []
    for value in read:
        if value.dimension != "count" or value.noun:
            made.append(replace(value, per=value.per or per) if per else value)
            continue
        made.append(
            replace(
                value,
                dimension=dimension,
                amounts=tuple(one * factor for one in value.amounts),
                high=None if value.high is None else value.high * factor,
                step=value.step * factor,
                factor=factor,
                per=per,
                noun="" if dimension else noun,
            )
        )
    return tuple(made)
