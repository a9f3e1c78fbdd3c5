"""Characters that make a text look like something it is not, with their exact places."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from firmground.core import confusables as look
from firmground.core.lazy_pattern import lazy_pattern

_STACK_LIMIT = 8
_C2PA_MAGIC = b"C2PATXT\x00"
_EUROPEAN = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})
# Scripts whose letters change shape with their neighbours, so that joiners are part of spelling.
_JOINERS = (
    "ARABIC SYRIAC MONGOLIAN DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA "
    "MALAYALAM SINHALA MYANMAR KHMER TIBETAN NKO PHAGS-PA ADLAM HANIFI THAANA"
)
_JOINING = frozenset(_JOINERS.split())
_ODD = lazy_pattern(r"[^\t\n\v\f\r -~\x85\xa0-\xac\xae-\u02ff]")
_WORD = lazy_pattern(r"[^\W\d_]+")
_TAG_FLAG = "\U0001f3f4"


class Suspicious(NamedTuple):
    """A stretch of text and why it is suspicious: `text[start:end]`."""

    start: int
    end: int
    code: str


REASONS: dict[str, str] = {
    "bidi": "a direction control can reorder what a reader sees",
    "blank": "a character that looks like a space and is not one",
    "c2pa": "a hidden C2PA manifest written in variation selectors",
    "compatibility": "letters in a mathematical, circled or full-width disguise",
    "control": "a control character shows nothing",
    "invisible": "a character that shows nothing",
    "look_alike": "letters of another script that pass for the usual ones",
    "private_use": "a private-use character has no agreed meaning",
    "soft_hyphen": "a soft hyphen hides inside the text",
    "stacked_marks": "a pile of combining marks hides the letter under it",
    "surrogate": "half of a character pair, not a character",
    "tag": "tag characters spell hidden ASCII",
    "variation_selector": "a variation selector where nothing varies",
    "variation_selector_run": "a run of variation selectors can carry hidden bytes",
}
"""Every code that `suspicious_characters` gives, with its reason for a person."""


def suspicious_characters(text: str) -> tuple[Suspicious, ...]:
    """List what hides, reorders or impersonates, in order of place; honest uses are left alone."""
    if text.isascii() and text.isprintable():
        return ()
    found = [_run_named(text, one) for one in _merged([*_hidden(text), *_stacked(text)])]
    return tuple(sorted([*found, *_impersonating(text)]))


def _hidden(text: str) -> Iterator[Suspicious]:
    right_to_left = None
    for match in _ODD.finditer(text):
        at, char = match.start(), match.group()
        code = _code(char)
        if code is None:
            continue
        if code == "bidi":
            if right_to_left is None:
                right_to_left = any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
            # Overrides reorder by force; the others are how right-to-left text is written.
            if right_to_left and char not in "\u202d\u202e":
                continue
        elif _honest(text, at, char, code):
            continue
        yield Suspicious(at, at + 1, code)


@lru_cache(maxsize=4096)
def _code(char: str) -> str | None:
    """Name what is odd about one character taken alone."""
    for code, test in _TESTS:
        if test(char):
            return code
    return {"Cs": "surrogate", "Co": "private_use", "Cc": "control"}.get(unicodedata.category(char))


_TESTS = (
    ("soft_hyphen", lambda char: char == look.SOFT_HYPHEN),
    ("bidi", look.is_bidi),
    ("tag", look.is_tag),
    ("variation_selector", look.is_variation_selector),
    ("blank", look.BLANK.__contains__),
    ("invisible", look.INVISIBLE.__contains__),
)


def _honest(text: str, at: int, char: str, code: str) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if code == "variation_selector":
        return _may_vary(before)
    if code == "tag":
        return _in_flag(text, at)
    if char == "\ufeff":
        return at == 0
    if char in "\u200c\u200d":
        spelled = _joins(before) and (_joins(after) or not after.isalnum())
        emoji = char == "\u200d" and _pictured(before) and _pictured(after)
        return spelled or emoji
    # Old Korean is spelled with fillers; a filler beside anything else only looks like a space.
    return char in "\u115f\u1160" and (
        "\u1100" <= before <= "\u11ff" or "\u1100" <= after <= "\u11ff"
    )


def _may_vary(before: str) -> bool:
    """A selector is honest right after a symbol, digit keycap, ideograph or joining letter."""
    if not before or look.is_variation_selector(before):
        return False
    return _pictured(before) or before in "0123456789#*" or _is_ideograph(before) or _joins(before)


def _pictured(char: str) -> bool:
    return char != "" and (
        unicodedata.category(char) in ("So", "Sm", "Sk") or char in "\ufe0f\u203c\u2049\u2122\u2139"
    )


def _is_ideograph(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000"


def _joins(char: str) -> bool:
    return char != "" and script(char) in _JOINING


def _in_flag(text: str, at: int) -> bool:
    """Emoji flags of regions are a black flag and up to seven tag letters."""
    begin = max(0, at - 7)
    head = text[begin:at].rfind(_TAG_FLAG)
    return head >= 0 and all(look.is_tag(char) for char in text[begin + head + 1 : at])


def _stacked(text: str) -> Iterator[Suspicious]:
    run = 0
    for match in _ODD.finditer(text):
        at, char = match.start(), match.group()
        marked = unicodedata.category(char) in ("Mn", "Me") and not look.is_variation_selector(char)
        adjoining = run and unicodedata.category(text[at - 1])[0] == "M"
        run = (run + 1 if adjoining else 1) if marked else 0
        if run > _STACK_LIMIT:
            yield Suspicious(at, at + 1, "stacked_marks")


def _merged(pieces: list[Suspicious]) -> list[Suspicious]:
    """Join neighbours of one code."""
    joined: list[Suspicious] = []
    for piece in sorted(pieces):
        last = joined[-1] if joined else None
        if last and last.code == piece.code and last.end == piece.start:
            joined[-1] = Suspicious(last.start, piece.end, piece.code)
        else:
            joined.append(piece)
    return joined


def _run_named(text: str, one: Suspicious) -> Suspicious:
    """Tell a hidden C2PA manifest from any other run of variation selectors."""
    if one.code != "variation_selector" or one.end - one.start < 3:
        return one
    decoded = bytes(
        ord(c) - 0xFE00 if c <= "\ufe0f" else ord(c) - 0xE0100 + 16
        for c in text[one.start : min(one.end, one.start + 64)]
        if not "\u180b" <= c <= "\u180f"
    )
    code = "c2pa" if _C2PA_MAGIC in decoded else "variation_selector_run"
    return one._replace(code=code)


def _impersonating(text: str) -> Iterator[Suspicious]:
    latin_text = ideographic = None
    for match in _WORD.finditer(text):
        word = match.group()
        if word.isascii():
            continue
        if any(_disguised(char) for char in word):
            if ideographic is None:
                ideographic = any(_is_ideograph(c) or "\u3040" <= c <= "\u30ff" for c in text)
            full_width_only = all("\uff00" <= c <= "\uffef" for c in word if _disguised(c))
            if not (ideographic and full_width_only):
                yield Suspicious(match.start(), match.end(), "compatibility")
                continue
        scripts = {script(char) for char in word} & _EUROPEAN
        if len(scripts) > 1 and any(char in look.LOOK_ALIKES for char in word):
            yield Suspicious(match.start(), match.end(), "look_alike")
        elif scripts and "LATIN" not in scripts and all(c in look.LOOK_ALIKES for c in word):
            if latin_text is None:
                latin_text = _written_in_latin(text)
            if latin_text:
                yield Suspicious(match.start(), match.end(), "look_alike")


def _written_in_latin(text: str) -> bool:
    """True when no word is plainly of another European script, and some are plainly Latin."""
    plain = 0
    for match in _WORD.finditer(text):
        word = match.group()
        if word.isascii():
            plain += len(word) > 1
        elif any(script(c) in _EUROPEAN - {"LATIN"} and c not in look.LOOK_ALIKES for c in word):
            return False
    return plain > 0


@lru_cache(maxsize=4096)
def _disguised(char: str) -> bool:
    """True for letters that are another letter in mathematical, circled or full-width dress."""
    plain = unicodedata.normalize("NFKC", char)
    kind = unicodedata.decomposition(char).partition(" ")[0]
    return (
        plain.isascii() and plain.isalpha() and kind in ("<font>", "<wide>", "<circle>", "<square>")
    )


@lru_cache(maxsize=8192)
def script(char: str) -> str:
    """Name the script of a character by the first word of its Unicode name; empty if unnamed."""
    return unicodedata.name(char, "").partition(" ")[0]
