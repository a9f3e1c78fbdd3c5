"""Evidence cut into the units a claim can stand on: sentences of prose, leaves of a record.

Each unit carries what it is about: the title of its document and the heading above it. "45 days"
under *Gift cards* is not "45 days" under *Returns*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import sentences
from firmground.verify.literal import Leaf, record_at
from firmground.verify.tables import Cell, tables

_LONG_VALUE = 80
_FEWEST_LEAVES = 2
_MOST_FAILED_RECORDS = 16
# Prose longer than this without a stop (lists, table rows) is cut at its own separators.
_LONG_SENTENCE = 240
_CUTS = ("; ", " | ", ", ", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceUnit:
    """One thing evidence says: a readable text, and the exact span it was read from.

    `path` is where a value sits in a record (`hours.Monday`), or None for prose. `about` is the
    title and heading it stands under, empty where the text has none.
    """

    text: str
    start: int
    end: int
    path: str | None = None
    about: str = ""
    struck: tuple[tuple[int, int], ...] = ()
    """Offsets inside ``text`` of what is struck through: it held once and holds no longer."""


def units(text: str) -> tuple[EvidenceUnit, ...]:
    """Cut evidence into units: leaves of records, cells of tables, sentences of the rest."""
    found: list[EvidenceUnit] = []
    at = 0
    blocks = sorted((*_records(text), *_tables(text)), key=lambda block: block[0])
    for start, end, inside in blocks:
        if start < at:
            continue
        found.extend(_prose(text, at, start))
        found.extend(inside)
        at = end
    found.extend(_prose(text, at, len(text)))
    return _with_struck(text, tuple(_with_context(text, found)))


def _with_struck(text: str, found: tuple[EvidenceUnit, ...]) -> tuple[EvidenceUnit, ...]:
    """Mark in each unit what is struck through, be it part of a sentence or several sentences."""
    spans = [next(m.span(g) for g in (1, 2) if m[g]) for m in _STRUCK.finditer(text)]
    if not spans:
        return found
    marked: list[EvidenceUnit] = []
    at = 0
    for unit in found:
        while at < len(spans) and spans[at][1] <= unit.start:
            at += 1
        inside: list[tuple[int, int]] = []
        for start, end in islice(spans, at, None):
            if start >= unit.end:
                break
            low, high = max(start, unit.start) - unit.start, min(end, unit.end) - unit.start
            inside.append((low, high) if unit.path is None else (0, len(unit.text)))
        marked.append(replace(unit, struck=tuple(inside)) if inside else unit)
    return tuple(marked)


_Block = tuple[int, int, list[EvidenceUnit]]


def _tables(text: str) -> Iterator[_Block]:
    for number, table in enumerate(tables(text), 1):
        yield table.start, table.end, [_cell_unit(text, number, cell) for cell in table.cells]


def _records(text: str) -> Iterator[_Block]:
    """Find records that open a text or a line: a whole document, or a tool's output."""
    at = failed = 0
    for opening in _RECORD_START.finditer(text):
        if opening.start(1) < at:
            continue
        record = record_at(text, opening.start(1))
        if record is None:
            failed += 1
            if failed > _MOST_FAILED_RECORDS:  # each may have been read to the end of the text
                return
            continue
        leaves, at = record
        if _is_record(text, opening.start(1), at, len(leaves)):
            inside = [unit for leaf in leaves for unit in _leaf_units(text, leaf)]
            yield opening.start(1), at, inside


def _is_record(text: str, start: int, end: int, leaves: int) -> bool:
    """True for a whole text, and for an object or a list of objects inside one."""
    if not text[:start].strip() and not text[end:].strip():
        return True
    opens = text[start : start + 40].lstrip("[ \t\r\n")
    return opens.startswith("{") and leaves >= _FEWEST_LEAVES


def _with_context(text: str, found: Sequence[EvidenceUnit]) -> Iterator[EvidenceUnit]:
    """Give each unit the title of the text and the heading above it."""
    title = _title(text)
    headings = _headings(text)
    at, heading = 0, ""
    for unit in sorted(found, key=lambda unit: unit.start):
        while at < len(headings) and headings[at][0] <= unit.start:
            heading = headings[at][1]
            at += 1
        parts = [part for part in (title, heading) if part and part not in unit.text]
        yield replace(unit, about=" - ".join(dict.fromkeys(parts))) if parts else unit


def _title(text: str) -> str:
    """The first line or sentence of a text, if it is short and more follows."""
    match = _TITLE.match(text)
    if match is None or not text[match.end() : match.end() + 200].strip():
        return ""
    return (match.group(1) or match.group(2)).strip("#* \t")


def _headings(text: str) -> list[tuple[int, str]]:
    return [
        (match.start(), (match.group(1) or match.group(2) or match.group(3)).strip())
        for match in _HEADING.finditer(text)
    ]


def _prose(text: str, low: int, high: int) -> Iterator[EvidenceUnit]:
    body = text if not low and high == len(text) else text[low:high]
    for span in sentences(body):
        for start, end in _short_pieces(text, low + span.start, low + span.end):
            yield EvidenceUnit(text=text[start:end], start=start, end=end)


def _cell_unit(text: str, table: int, cell: Cell) -> EvidenceUnit:
    """A cell reads as a record's leaf, and its label begins with what its row is called."""
    column = cell.column.replace(".", " ").replace(":", " ").strip()
    label = f"{cell.key.replace(':', ' ')} {readable_path(column)}".strip()
    return EvidenceUnit(
        text=f"{label}: {text[cell.start : cell.end]}",
        start=cell.start,
        end=cell.end,
        path=f"{table}.{cell.row}.{column}",
    )


def _short_pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut an overlong sentence at the last strong separator within reach, losing no character."""
    while end - start > _LONG_SENTENCE:
        cut = _cut_point(text, start, start + _LONG_SENTENCE)
        piece = text[start:cut].rstrip()
        yield start, start + len(piece)
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end


def _cut_point(text: str, start: int, limit: int) -> int:
    for mark in _CUTS:
        at = text.rfind(mark, start + _LONG_SENTENCE // 3, limit)
        if at > start:
            return at + len(mark.rstrip()) if mark != " " else at
    return limit


@lru_cache(maxsize=4096)
def readable_path(path: str) -> str:
    """Turn `attributes.BusinessParking.0` into `attributes business parking 0`."""
    spaced = _CAMEL.sub(" ", path.replace(".", " ").replace("_", " ").replace("-", " "))
    return " ".join(spaced.split()).lower()


def readable_value(value: str) -> str:
    """Write opening hours such as `16:30-21:0` in both clocks and leave other values alone."""
    match = _HOURS.fullmatch(value.strip())
    if match is None:
        return value
    hours = [int(part) for part in match.groups()]
    if max(hours[0], hours[2]) > 24 or max(hours[1], hours[3]) > 59:
        return value
    opens, closes = (hours[0], hours[1]), (hours[2], hours[3])
    if opens == closes:
        return f"{_clock24(*opens)}-{_clock24(*closes)} (24 hours)"
    return f"{_clock24(*opens)}-{_clock24(*closes)} ({_clock12(*opens)} to {_clock12(*closes)})"


_RECORD_START = lazy_pattern(r"(?:\A\s*|^[ \t]*|(?:->|=>|[:=])[ \t]*)([{\[])", re.MULTILINE)
_TITLE = lazy_pattern(
    r"\s*#*[ \t]*(?![{\[|])"
    r"(?:([^\n]{3,70}?[\w)\]\"'])(?:[.:][ \t]+(?=\S)|[ \t]*\r?\n)|([^\n]{3,100}?)[ \t]*\r?\n)"
)
_HEADING = lazy_pattern(
    r"^[ \t]*(?:#{1,6}[ \t]+([^\n]{2,80})|\*\*([^*\n]{2,80})\*\*:?[ \t]*(?:$|(?=\S))"
    r"|([A-Z][^\n.!?:;|{}]{1,60}):?[ \t]*\r?\n(?=[ \t]*(?:[-*•]|\d+[.)])[ \t]))",
    re.MULTILINE,
)
# Markdown and HTML for text that was struck out; a paragraph's end is the furthest it reaches.
_STRUCK = lazy_pattern(
    r"~~(?=\S)((?:[^~\n]|\n(?!\n)|~(?!~))++)~~"
    r"|<(?:del|s|strike)(?:\s[^<>]*)?>([^<]++)(?=</(?:del|s|strike))",
    re.IGNORECASE,
)
_CAMEL = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HOURS = lazy_pattern(r"(\d{1,2}):(\d{1,2})\s*[-–]\s*(\d{1,2}):(\d{1,2})")
_ESCAPE = lazy_pattern(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_PLAIN_ESCAPES = {"n": " ", "r": " ", "t": " ", "b": "", "f": " "}


def _clock24(hour: int, minute: int) -> str:
    return f"{hour}:{minute:02d}"


def _clock12(hour: int, minute: int) -> str:
    half = "AM" if hour % 24 < 12 else "PM"
    shown = f"{hour % 12 or 12}"
    return f"{shown}:{minute:02d} {half}" if minute else f"{shown} {half}"


def _leaf_units(text: str, leaf: Leaf) -> Iterator[EvidenceUnit]:
    label = readable_path(leaf.path)
    raw = text[leaf.start : leaf.end]
    if not leaf.quoted or len(raw) <= _LONG_VALUE:
        value = readable_value(unescape(raw) if leaf.quoted else raw)
        yield EvidenceUnit(text=f"{label}: {value}", start=leaf.start, end=leaf.end, path=leaf.path)
        return
    # Written-out line breaks must part sentences, and a same-length stand-in keeps the offsets.
    for span in sentences(raw.replace("\\n", "\n\n").replace("\\r", "\n\n")):
        piece = unescape(raw[span.start : span.end])
        start, end = leaf.start + span.start, leaf.start + span.end
        yield EvidenceUnit(text=f"{label}: {piece}", start=start, end=end, path=leaf.path)


def unescape(raw: str) -> str:
    """Read the escapes of a quoted JSON or Python string; unknown ones keep their character."""
    return _ESCAPE.sub(_one_escape, raw) if "\\" in raw else raw


def _one_escape(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2)
    if code:
        return chr(int(code, 16))
    return _PLAIN_ESCAPES.get(match.group(3), match.group(3))
