"""Tables in evidence, CSV or Markdown: every cell with its row, its column and its exact span."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firmground.core.lazy_pattern import lazy_pattern

_LONGEST_HEAD = 40
_MOST_HEAD_WORDS = 4
_FEWEST_COLUMNS = 2
_FEWEST_LINES = 3
_CSV_CELL = {
    mark: lazy_pattern(rf'[ \t]*"((?:[^"]|"")*+)"[ \t]*(?={mark}|\r?\n|\Z)|([^{mark}\r\n]*)')
    for mark in (",", ";", "\t")
}
_HEAD = lazy_pattern(r"[^\W\d][\w .%()/#$€-]*|#")
_RULE = lazy_pattern(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_PIPE_LINE = lazy_pattern(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_PIPE_CELL = lazy_pattern(r"((?:[^|\\\n]|\\.)*)\|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One filled cell under its column's head: ``text[start:end]``."""

    row: int
    column: str
    key: str
    """What the row is called: its first cell, empty for that cell itself."""
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table and where it stands in its text."""

    start: int
    end: int
    cells: tuple[Cell, ...]


_Row = list[tuple[int, int]]


def tables(text: str) -> tuple[Table, ...]:
    """Find the tables of a text: the whole of it as CSV, or the Markdown tables inside it."""
    whole = _csv(text)
    if whole is not None:
        return (whole,)
    return tuple(_markdown(text)) if "|" in text else ()


def _csv(text: str) -> Table | None:
    """Read a text as CSV if every line has the columns of the first one, and that names them."""
    head = text.lstrip("\ufeff\r\n").partition("\n")[0]
    for mark, cell in _CSV_CELL.items():
        if head.count(mark) + 1 >= _FEWEST_COLUMNS:
            rows = _csv_rows(text, mark, cell)
            if rows is not None and _is_table(text, rows, mark):
                return Table(start=0, end=len(text), cells=tuple(_cells(text, rows)))
    return None


def _csv_rows(text: str, mark: str, pattern: re.Pattern[str]) -> list[_Row] | None:
    rows: list[_Row] = []
    at = 0
    while at < len(text):
        row: _Row = []
        while True:
            m = pattern.match(text, at)
            if m is None:
                return None
            row.append(m.span(m.lastindex or 0))
            at = m.end()
            if text[at : at + 1] != mark:
                break
            at += 1
        while at < len(text) and text[at] in "\r\n":
            at += 1
        if rows and len(row) != len(rows[0]):
            return None
        rows.append(row)
    return rows


def _is_table(text: str, rows: Sequence[_Row], mark: str) -> bool:
    """True when the first line reads as heads and no line as a sentence."""
    heads = [text[a:b].strip() for a, b in rows[0]]
    spaced = any(text[a - 1 : a + 1] == f"{mark} " for row in rows[:3] for a, _ in row)
    if len(rows) < (_FEWEST_LINES if spaced or len(heads) == _FEWEST_COLUMNS else 2):
        return False
    if len(set(heads)) < len(heads) or not all(map(_is_head, heads)):
        return False
    return not any(text[b - 1 : b] in (".", "!", "?") and b - a > 1 for row in rows for a, b in row)


def _is_head(head: str) -> bool:
    short = len(head) <= _LONGEST_HEAD and len(head.split()) <= _MOST_HEAD_WORDS
    return short and _HEAD.fullmatch(head) is not None


def _markdown(text: str) -> Iterator[Table]:
    """Find runs of lines between bars whose second line is the rule under the heads."""
    run: list[re.Match[str]] = []
    for line in _PIPE_LINE.finditer(text):
        if run and text[run[-1].end() : line.start()].strip("\r") != "\n":
            yield from _block(text, run)
            run = []
        run.append(line)
    yield from _block(text, run)


def _block(text: str, lines: Sequence[re.Match[str]]) -> Iterator[Table]:
    if len(lines) < _FEWEST_LINES or not _RULE.fullmatch(lines[1].group()):
        return
    rows = [_pipe_cells(line) for at, line in enumerate(lines) if at != 1]
    width = len(rows[0])
    kept = [row[:width] for row in rows if row]
    yield Table(start=lines[0].start(), end=lines[-1].end(), cells=tuple(_cells(text, kept)))


def _pipe_cells(line: re.Match[str]) -> _Row:
    first = line.start() + line.group().index("|") + 1
    return [m.span(1) for m in _PIPE_CELL.finditer(line.string, first, line.end())]


def _cells(text: str, rows: Sequence[_Row]) -> Iterator[Cell]:
    heads = [text[a:b].strip(" *`") for a, b in rows[0]]
    for number, row in enumerate(rows[1:], 1):
        spans = [_trimmed(text, *span) for span in row]
        key = text[slice(*spans[0])][:_LONGEST_HEAD] if spans else ""
        for at, (start, end) in enumerate(spans):
            if start < end:
                yield Cell(
                    row=number, column=heads[at], key=key if at else "", start=start, end=end
                )


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip(" \t*`"))
    return start + left, max(start + left, start + len(piece.rstrip(" \t*`")))
