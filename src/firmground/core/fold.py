"""One text under several degrees of overlooking, with a way back to every original character."""

from __future__ import annotations

import unicodedata
from array import array
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from firmground.core import confusables as look
from firmground.core.lazy_pattern import lazy_pattern


class Fold(IntEnum):
    """What is overlooked when two texts are compared."""

    EXACT = 0
    """Canonical composition and the kind and width of white space."""
    TYPOGRAPHIC = 1
    """Also the shape of quotation marks, apostrophes, hyphens, ellipses and ligatures."""
    CASE = 2
    """Also capitals."""
    SKELETON = 3
    """Also what cannot be seen, compatibility forms and look-alikes; numerals stay themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A folded text; character `i` of it stands for `raw[starts[i]:ends[i]]`."""

    text: str
    starts: array[int]
    ends: array[int]


_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
SPACE = lazy_pattern(f"[{_SPACES}]+")
"""A run of what counts as white space."""
# Letters that are complete in themselves; the last one before anything else may yet be composed.
_ALONE = (
    "!-~\u00a1-\u00ac\u00ae-\u02ff\u0376-\u037d\u0388-\u0482\u048a-\u0556\u0561-\u0586"
    "\u0904-\u0939\u2010-\u2015\u2018-\u201f\u3041-\u3096\u30a1-\u30fe\u3400-\u9fff\uac00-\ud7a3"
)
# Some words at once, each one space from the next; bounded, since a run that does not fold one to
# one is folded again bit by bit.
_WORD = f"[{_ALONE}]{{1,64}}"
_PLAIN = lazy_pattern(f"{_WORD}(?: {_WORD}){{0,7}}(?![^{_ALONE}{_SPACES}])")
_CLUSTER_LIMIT = 32
_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        "\u2015": "\u2014",
        "\u2026": "...",
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
        "\ufb05": "st",
        "\ufb06": "st",
    }
)


def fold(text: str, level: Fold) -> Folded:
    """Overlook what the level says, and keep for every character the place it came from."""
    parts: list[str] = []
    starts, ends = array("q"), array("q")
    at, spaced, uneven = 0, False, 0
    while at < len(text):
        plain = _PLAIN.match(text, at) if at >= uneven else None
        folded = _fold_run(plain.group(), level) if plain else ""
        if plain and folded:
            end = plain.end()
            parts.append(folded)
            starts.extend(range(at, end))
            ends.extend(range(at + 1, end + 1))
            at, spaced = end, False
            continue
        if plain:
            uneven = at + len(plain.group().partition(" ")[0])
        space = SPACE.match(text, at)
        end = space.end() if space else _cluster_end(text, at)
        piece = " " if space else _fold_cluster(text[at:end], level)
        if piece and not (piece == " " and spaced):
            parts.append(piece)
            starts.extend([at] * len(piece))
            ends.extend([end] * len(piece))
            spaced = piece == " "
        at = end
    return Folded(text="".join(parts), starts=starts, ends=ends)


def _fold_run(piece: str, level: Fold) -> str:
    """Fold a whole run at once; empty when its characters do not fold one to one."""
    if not (piece.isascii() or unicodedata.is_normalized("NFC", piece)):
        return ""
    if level is Fold.SKELETON:
        folded = piece.translate(_SKELETONS)
    else:
        folded = piece if level is Fold.EXACT else piece.translate(_TYPOGRAPHY)
        folded = folded.casefold() if level is Fold.CASE else folded
    return folded if len(folded) == len(piece) else ""


def _cluster_end(text: str, at: int) -> int:
    """End the cluster before the next character that can never compose with what precedes it."""
    end, last = at + 1, min(len(text), at + _CLUSTER_LIMIT)
    while end < last and text[end] >= "\u0300" and _composes(text[end]):
        end += 1
    return end


@lru_cache(maxsize=8192)
def _composes(char: str) -> bool:
    return (
        unicodedata.category(char)[0] == "M"
        or "\u1160" <= char <= "\u11ff"
        or "\U00016d67" <= char <= "\U00016d69"
    )


@lru_cache(maxsize=16384)
def _fold_cluster(cluster: str, level: Fold) -> str:
    folded = unicodedata.normalize("NFC", cluster)
    if level >= Fold.TYPOGRAPHIC:
        folded = folded.translate(_TYPOGRAPHY)
    if level is Fold.SKELETON:
        return folded.translate(_SKELETONS)
    return unicodedata.normalize("NFC", folded.casefold()) if level is Fold.CASE else folded


class _Skeletons(dict[int, str]):
    """Skeletons of characters as they are met, in the shape `str.translate` asks for."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _skeleton(chr(code).translate(_TYPOGRAPHY))
        return found


_SKELETONS = _Skeletons()


def _skeleton(char: str) -> str:
    """Reduce one character to what it looks like; numerals stay what they are."""
    if len(char) == 1 and look.shows_nothing(char):
        return ""
    if char in look.BLANK:
        return " "
    if len(char) > 1 or unicodedata.category(char)[0] == "N":
        return char
    plain = unicodedata.normalize("NFKD", look.LOOK_ALIKES.get(char, char))
    if any(unicodedata.category(one)[0] == "N" for one in plain):
        return char
    plain = "".join(look.LOOK_ALIKES.get(one, one) for one in plain).casefold()
    return "".join(look.LOOK_ALIKES.get(one, one) for one in plain).casefold()
