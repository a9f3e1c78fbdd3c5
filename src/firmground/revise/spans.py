"""Repairs with a model that is asked about the flagged pieces only, so it cannot change the rest.

What the model may change is fixed before it is asked. Its reply is read as replacements for those
pieces and for nothing else; every other character of the answer stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firmground.core.claim import Assessment
from firmground.core.loose_json import find_array, find_object
from firmground.revise.dropping import drop_span
from firmground.revise.patch import Patch, PatchKind, Revision, apply

_LONGEST_REPLY = 1 << 20
_MOST_GROWTH = 4
_ROOM = 400
_DROPPED = frozenset({"", "drop", "[drop]", "(drop)", "<drop>"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged:
    """A piece of the answer that may be replaced, and what goes with it when it is dropped."""

    start: int
    end: int
    text: str
    reason: str
    cut: tuple[int, int]
    """The piece with the white space or the joining words that only serve it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacements:
    """What a reply says to each piece: a text, None to drop it; pieces it left out are absent."""

    texts: Mapping[int, str | None]
    refused: tuple[str, ...] = ()
    """Why parts of the reply were not taken."""


def flagged(
    answer: str, assessments: Sequence[Assessment], also: frozenset[int] = frozenset()
) -> tuple[Flagged, ...]:
    """The claims that do not stand, and those named in ``also``; pieces that meet are one."""
    found: list[Flagged] = []
    for position, one in enumerate(assessments):
        if one.standing.stands and position not in also:
            continue
        claim = one.claim
        cut = drop_span(answer, assessments, position)
        piece = Flagged(
            start=claim.start, end=claim.end, text=claim.text, reason=one.reason, cut=cut
        )
        if found and piece.start < found[-1].end:
            piece = _joined(answer, found.pop(), piece)
        elif found and cut[0] < found[-1].cut[1]:
            piece = _beside(found[-1], piece)
        found.append(piece)
    return tuple(found)


def _joined(answer: str, one: Flagged, two: Flagged) -> Flagged:
    start, end = one.start, max(one.end, two.end)
    return Flagged(
        start=start,
        end=end,
        text=answer[start:end],
        reason=f"{one.reason}; {two.reason}",
        cut=(min(one.cut[0], start), max(one.cut[1], two.cut[1], end)),
    )


def _beside(before: Flagged, piece: Flagged) -> Flagged:
    """White space between two pieces belongs to the first of them."""
    cut = (max(piece.cut[0], before.cut[1]), piece.cut[1])
    return Flagged(start=piece.start, end=piece.end, text=piece.text, reason=piece.reason, cut=cut)


def mostly(answer: str, pieces: Sequence[Flagged]) -> bool:
    """True when more of the answer is flagged than not, so that little is worth keeping."""
    inside = sum(len(piece.text.strip()) for piece in pieces)
    return 2 * inside > len(answer.strip())


def read_replacements(reply: str, pieces: Sequence[Flagged]) -> Replacements | None:
    """Read a model's reply; None when it says nothing about any piece."""
    texts: dict[int, str | None] = {}
    refused: list[str] = []
    for number, said in _entries(reply[:_LONGEST_REPLY], len(pieces)):
        if number in texts:
            refused.append(f"piece {number + 1} was given twice")
            continue
        text = said.strip() if isinstance(said, str) else said
        trouble = "" if text is None else _trouble(text, pieces[number])
        if trouble:
            refused.append(f"piece {number + 1} {trouble}")
            continue
        texts[number] = None if text is None or text.lower() in _DROPPED else text
    return Replacements(texts=texts, refused=tuple(refused)) if texts else None


def _trouble(text: str, piece: Flagged) -> str:
    if len(text) > _MOST_GROWTH * len(piece.text) + _ROOM:
        return "would grow beyond measure"
    if any(not (sign.isprintable() or sign in "\n\t") for sign in text):
        return "holds characters that cannot be seen"
    return ""


def _entries(reply: str, count: int) -> list[tuple[int, str | None]]:
    """Number (from 0) and text of every entry that can be understood."""
    found = find_object(reply)
    listed = _listed(found) if found is not None else find_array(reply)
    if listed is None and found is not None:
        return _by_name(found, count)
    entries = []
    for position, one in enumerate(listed or ()):
        number, said = _entry(one, position, whole=len(listed or ()) == count)
        if number is not None and 0 <= number < count and said is not ...:
            entries.append((number, said))
    return entries


def _listed(found: Mapping[str, Any]) -> list[Any] | None:
    for key in ("spans", "pieces", "replacements"):
        if isinstance(found.get(key), list):
            return list(found[key])
    return [found] if "n" in found else None


def _by_name(found: Mapping[str, Any], count: int) -> list[tuple[int, str | None]]:
    """Also ``{"1": "text", "2": "drop"}``."""
    inner = found.get("spans")
    named = inner if isinstance(inner, dict) else found
    entries = []
    for name, said in named.items():
        number = _number(name)
        text = _said(said)
        if number is not None and 0 <= number < count and text is not ...:
            entries.append((number, text))
    return entries


def _entry(one: Any, position: int, *, whole: bool) -> tuple[int | None, Any]:
    if isinstance(one, str):  # a bare list counts only when it has one text for each piece
        return (position, one) if whole else (None, ...)
    if not isinstance(one, dict):
        return None, ...
    return _number(one.get("n", one.get("number"))), _said(one)


def _said(one: Any) -> Any:
    """A text, None for a piece to be dropped, ``...`` when neither was said."""
    if isinstance(one, str):
        return one
    if not isinstance(one, dict):
        return ...
    if one.get("drop") is True:
        return ... if isinstance(one.get("text"), str) and one["text"].strip() else None
    return one["text"] if isinstance(one.get("text"), str) else ...


def _number(raw: Any) -> int | None:
    if isinstance(raw, str) and raw.isascii() and raw.isdigit() and len(raw) < 9:
        return int(raw) - 1
    return raw - 1 if isinstance(raw, int) and not isinstance(raw, bool) else None


def put_in(answer: str, pieces: Sequence[Flagged], said: Replacements) -> Revision:
    """Put the replacements into their places; nothing outside the pieces changes."""
    patches = []
    for number, text in said.texts.items():
        piece = pieces[number]
        start, end = piece.cut if text is None else (piece.start, piece.end)
        kind = PatchKind.DROP if text is None else PatchKind.REWRITE
        if text == piece.text:
            continue
        patches.append(
            Patch(start=start, end=end, replacement=text or "", kind=kind, reason=piece.reason)
        )
    return apply(answer, patches)
