"""What each line of an answer is: prose, list item, heading, table row, rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from firmground.core.lazy_pattern import lazy_pattern


class LineKind(StrEnum):
    """What a line of an answer is."""

    PROSE = "prose"
    LIST_ITEM = "list_item"
    HEADING = "heading"
    TABLE_HEAD = "table_head"
    TABLE_ROW = "table_row"
    FENCE = "fence"
    RULE = "rule"
    """Dashes, stars, the line under a table head: nothing to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLine:
    """One line: `text[start:end]` as it stands, `text[body:end]` without its list mark."""

    start: int
    body: int
    end: int
    kind: LineKind


_LINE = lazy_pattern(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_BULLET = lazy_pattern(
    r"[ \t>]*(?:(?:[-*+•‣◦▪–—·●○■□➢➤✓✔]|\(?(?:\d{1,3}|[A-Za-z]|[ivxlc]{1,5})[.)])[ \t]+)"
)
_STEP_NOUNS = r"(?:step|part|option|method|phase|tip|stage|question|answer|point|item)"
_STEP = lazy_pattern(
    rf"[ \t>*_#]*{_STEP_NOUNS} \d{{1,3}}[ \t*_]*(?:[:.)]|[-–—](?=[ \t]))[ \t*_]*", re.I
)
_HASHES = lazy_pattern(r"[ \t>]*#{1,6}[ \t]+")
_BOLD = lazy_pattern(r"[ \t]*(?:\*\*|__)[^*_]{1,120}(?:\*\*|__):?[ \t]*\Z")
_UNDERLINE = lazy_pattern(r"[ \t]*(?:={3,}|-{3,})[ \t]*\Z")


def lines(text: str) -> tuple[AnswerLine, ...]:
    """Name every line that is not empty, in order."""
    spans = [(m.start(), m.end()) for m in _LINE.finditer(text) if not m.group().isspace()]
    found: list[AnswerLine] = []
    for place, (start, end) in enumerate(spans):
        below = spans[place + 1] if place + 1 < len(spans) else None
        kind = _kind(text, (start, end), below, in_table=_in_table(found))
        found.append(
            AnswerLine(start=start, body=_body(text, start, end, kind), end=end, kind=kind)
        )
    return tuple(found)


def list_mark_end(text: str, start: int, end: int) -> int:
    """Say where a list mark or step label ends; `start` when there is none."""
    at = start
    for pattern in (_BULLET, _STEP):
        match = pattern.match(text, at, end)
        if match and match.end() < end:
            at = match.end()
    return at


def _kind(
    text: str, span: tuple[int, int], below: tuple[int, int] | None, *, in_table: bool
) -> LineKind:
    line = text[slice(*span)]
    if line.lstrip().startswith(("```", "~~~")):
        return LineKind.FENCE
    if not any(map(str.isalnum, line)):
        return LineKind.RULE
    if "|" in line and below and _is_table_rule(text[slice(*below)]):
        return LineKind.TABLE_HEAD
    if line.count("|") > 1 and (in_table or line.lstrip().startswith("|")):
        return LineKind.TABLE_ROW
    if _HASHES.match(line) or _BOLD.match(line) or _underlined(text, span, below):
        return LineKind.HEADING
    return LineKind.LIST_ITEM if list_mark_end(text, *span) > span[0] else LineKind.PROSE


def _is_table_rule(line: str) -> bool:
    return "|" in line and "--" in line and not line.strip(" \t:|-")


def _in_table(above: list[AnswerLine]) -> bool:
    kinds = (line.kind for line in reversed(above[-2:]) if line.kind is not LineKind.RULE)
    return next(kinds, None) in (LineKind.TABLE_HEAD, LineKind.TABLE_ROW)


def _underlined(text: str, span: tuple[int, int], below: tuple[int, int] | None) -> bool:
    if below is None or below[0] - span[1] > 2 or span[1] - span[0] > 100:
        return False
    return _UNDERLINE.match(text[slice(*below)]) is not None


def _body(text: str, start: int, end: int, kind: LineKind) -> int:
    if kind is LineKind.HEADING:
        match = _HASHES.match(text, start, end)
        start = match.end() if match else start
    if kind in (LineKind.LIST_ITEM, LineKind.HEADING, LineKind.PROSE):
        return list_mark_end(text, start, end)
    return start
