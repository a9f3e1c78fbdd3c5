"""A piece of an answer as a reader sees it: without markup, code around it and odd characters."""

# ruff: noqa: E501 - patterns read better in long lines
from __future__ import annotations

import html
import re
import unicodedata

from firmground.claims.exempt import exempt
from firmground.core import confusables as look
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import sentences

_LONGEST = 2000
_LINKED = lazy_pattern(
    r"!?\[([^\[\]\n]{0,300})\]\(\s?<?([^\s()<>]{0,300})>?(?:\s+\"([^\"\n]{0,200})\")?\s?\)"
)
_TAGS = lazy_pattern(r"<!--|-->|</?[a-zA-Z][^<>\n]{0,600}>")
_SHOWN = lazy_pattern(
    r"\b(?:alt|title|aria-label|placeholder|content|value|label|summary|data-[\w-]{1,30})\s?=\s?(?:\"([^\"<>]{3,500})\"|'([^'<>]{3,500})')"
)
_BLOCKS = lazy_pattern(r"</(?:summary|p|div|li|td|th|h[1-6]|tr|option|label|span|title)>|<br\s?/?>")
# A line of code that does nothing but hand one text on: the text is what it says.
_CALL_WITH_TEXT = lazy_pattern(r"""[\w.]{1,60}\s?\(\s?[bfr]?(["'])([^"'\n]{8,1000})\1\s?\)\s?;?""")
_NAMED_TEXT = lazy_pattern(
    r"""(?:(?:const|let|var|final|static|public|string|str|my|export|return|auto|char)\s+){0,3}["']?[\w.$\[\]]{1,40}["']?\s?(?::\s?\w{1,20}\s?)?(?::?=|:)\s?[bfr]?(["'`])([^"'`\n]{8,1000})\1\s?[;,)}\]]{0,3}"""
)
_LATEX = lazy_pattern(r"\\[a-zA-Z]{2,20}\*?\{([^{}\n]{3,1000})\}?|^\$+|\$+$")
_BOX = lazy_pattern(r"(?:\[(?:x|X| |![A-Z]{2,12}|\d{1,3})\]|\(\d{1,3}\)|:::|!!!)\s+")
_IN_BRACKETS = lazy_pattern(r"[\[({]([^\[\](){}\n]{8,1000})[\])}][.!]?")
_POINTED = lazy_pattern(
    r"(?:\d{1,3}|(?:see |from )?(?:source|passage|document|ref|reference|note|page|section|chunk|evidence|doc)s? ?#?\d{0,3})\s?(?:[:–—-]|, which (?:says|states|shows|tells)(?: that)?|,)\s+(?=\S)",
    re.I,
)
_FRONT_MATTER = lazy_pattern(
    r"(?:title|subject|description|summary|answer|note|text|message|caption|heading|headline|abstract):\s+(?=\S)",
    re.I,
)
_MARKUP = lazy_pattern(r"\*\*|__|~~|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_BOLD_LABEL = lazy_pattern(r"^(\*\*|__)([^*_:\n]{1,30})\1 (?=\S)")
_TARGET_WORDS = lazy_pattern(r"[^\W\d_]{2,}")
_JOINED = lazy_pattern(r"[^\W_]+(?:[-_+\\]+ ?[^\W_]+){2,}|[^\W_]+(?:%20[^\W_%]+){3,}")
_CAMEL = lazy_pattern(r"#?((?:[A-Z][a-z]+|\d+(?!\d)){3,})[.!]?")
_HUMPS = lazy_pattern(r"[A-Z]?[a-z]+|\d+|[A-Z]+(?![a-z])")
_MOST_AROUND = 3
_LONGEST_JOINED = 300
_FULL_WIDTH = lazy_pattern(r"[\uff01-\uff5e]+")
_WORD = lazy_pattern(r"\w+")


def plain_form(text: str) -> str:
    """The text without markup, invisible characters and look-alikes, and not in capitals alone."""
    if len(text) > _LONGEST and text.isascii():
        return text
    said = _unhidden(text) if not text.isascii() else text
    if "&" in said and ";" in said:
        said = html.unescape(said)
    if "](" in said:
        said = _LINKED.sub(_link, said)
    if "<" in said:
        said = _without_tags(said)
    said = _from_code(said.strip())
    if any(mark in said for mark in "*_~"):
        said = _MARKUP.sub("", _BOLD_LABEL.sub(r"\2: ", said))
    said = _apart(_unboxed(said.strip()))
    if said.isupper() and len(said.split()) > 2:
        said = said[:1] + said[1:].lower()
    return said or text


def _without_tags(said: str) -> str:
    """The text between tags and in attributes that are shown; talk beside it is left out."""
    shown = " ".join(f"{m[1] or m[2]}." for m in _SHOWN.finditer(said) if " " in (m[1] or m[2]))
    plain = " ".join(_TAGS.sub(" ", _BLOCKS.sub(". ", said)).split())
    plain = re.sub(r"\s+(?=[.,;!?])|(?<=[.!?]) ?\.(?=\s|$)", "", plain)
    spans = sentences(plain)
    kept = [plain[one.start : one.end].strip() for one in spans]
    kept = [one for one in kept if exempt(one) is None] or kept
    return " ".join((*([shown] if shown else []), *([] if shown and _is_talk(kept) else kept)))


def _is_talk(kept: list[str]) -> bool:
    return all(exempt(one) is not None for one in kept)


def _from_code(said: str) -> str:
    """The text that a line of code or a LaTeX command only hands on."""
    for pattern in (_CALL_WITH_TEXT, _NAMED_TEXT):
        literal = pattern.fullmatch(said)
        if literal is not None and len(literal[2].split()) > 2:
            return literal[2]
    if "\\" in said or said.startswith("$"):
        said = _LATEX.sub(lambda m: m[1] or "", said)
        said = said.replace("\\ ", " ").strip("{} ")
    return said


def _unboxed(said: str) -> str:
    """The text without the box, bracket or field name that it stands in."""
    box = _BOX.match(said)
    said = said[box.end() :] if box else said
    inner = _IN_BRACKETS.fullmatch(said)
    if inner is not None and len(inner[1].split()) > 2:
        said = inner[1].strip()
        pointed = _POINTED.match(said)
        said = said[pointed.end() :] if pointed else said
    field = _FRONT_MATTER.match(said)
    return said[field.end() :] if field and len(said[field.end() :].split()) > 2 else said


def _apart(said: str) -> str:
    """Words that are written as one: a file name, an address, a hashtag, with nothing beside it."""
    if len(said) > _LONGEST_JOINED or len(said.split()) > _MOST_AROUND:
        return said
    camel = _CAMEL.fullmatch(said)
    if camel is not None:
        return " ".join(_HUMPS.findall(said))
    path = said.partition("://")[2].partition("/")[2] if "://" in said else said
    joined = _JOINED.search(path)
    if joined is None:
        return said
    return " ".join(re.split(r"[-_+\\ ]+|%20", joined.group()))


def _link(found: re.Match[str]) -> str:
    """The words of a link, of its target and of its title; talk beside the others is left out."""
    words = [one for one in (found[1], _target(found[2]), found[3] or "") if one.strip()]
    return " ".join([one for one in words if exempt(one) is None] or words)


def _target(target: str) -> str:
    """A link target with words or figures of its own; a plain address says nothing."""
    path = target.partition("://")[2].partition("/")[2] if "://" in target else target
    wordy = len(_TARGET_WORDS.findall(path)) > 2 or any(map(str.isdigit, path))
    return (
        path.replace("-", " ").replace("_", " ").replace("/", " ").replace("%20", " ")
        if wordy
        else ""
    )


def _unhidden(text: str) -> str:
    seen = "".join(c for c in text if not look.shows_nothing(c))
    seen = _FULL_WIDTH.sub(lambda m: unicodedata.normalize("NFKC", m[0]), seen)
    seen = unicodedata.normalize("NFC", seen)
    return _WORD.sub(lambda m: _latin(m[0]), seen)


def _latin(word: str) -> str:
    """A word that mixes Latin letters with look-alikes, or is made of them alone, in Latin."""
    if word.isascii() or not word.isalpha():
        return word
    plain = unicodedata.normalize("NFKC", word)
    swapped = "".join(look.LOOK_ALIKES.get(c, c) for c in plain)
    mixed = any(c.isascii() and c.isalpha() for c in plain)
    return (
        swapped
        if swapped.isascii() and (mixed or plain.isascii())
        else (plain if plain.isascii() else word)
    )
