"""The forms under which the run-DAG parent compares texts, and its coarse word stems."""

from __future__ import annotations

import re
import unicodedata

from firmground.claims import words as en
from firmground.claims.tokens import plain_tokens, vocabulary
from firmground.core.fold import SPACE, Fold, fold
from firmground.core.lazy_pattern import lazy_pattern

_ELEMENT = lazy_pattern(r"<!--|<(ref|gallery|math|nowiki)\b[^<>]{0,400}(/?)>", re.IGNORECASE)
_COMMENT_END = "-->"
_TAG = lazy_pattern(r"</?[A-Za-z][^<>\n]{0,400}>")
_EMPHASIS = lazy_pattern(r"'{2,5}")
_SUFFIXES = (
    "ations",
    "ation",
    "ingly",
    "ings",
    "ing",
    "edly",
    "ies",
    "ied",
    "ness",
    "es",
    "ed",
    "ly",
    "s",
)
_PIECE_LIMIT = 4096


def norm_v1(text: str) -> str:
    """Canonical composition, white space collapsed to one space, edges stripped."""
    if text.isascii():  # nothing to compose, and offsets are not needed here
        return SPACE.sub(" ", text).strip(" ")
    return fold(text, Fold.EXACT).text.strip(" ")


def compared(text: str) -> str:
    """The form in which the layered verifier compares: normalised and in lower case."""
    return unicodedata.normalize("NFC", norm_v1(text).lower())


def content_tokens(text: str, *, shortest: int = 1) -> tuple[str, ...]:
    """The content words, in order, with repetitions."""
    return tuple(
        word for word in plain_tokens(text) if word not in en.STOPWORDS and len(word) >= shortest
    )


def content_words(text: str) -> frozenset[str]:
    """The content words, each once."""
    return vocabulary(text) - en.STOPWORDS


def stem(word: str) -> str:
    """Cut the commonest English endings, so that `approved` meets `approve`."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)].rstrip("e")
    return word.rstrip("e") if len(word) > 4 else word


def stems(text: str) -> frozenset[str]:
    """The stems of the content words."""
    return frozenset(map(stem, content_tokens(text)))


def strip_wikitext(text: str) -> str:
    """Leave the words a reader sees of a page in wiki markup; other text passes through."""
    if not any(mark in text for mark in ("[[", "{{", "<", "''", "==")):
        return text
    text = _without_braces(_without_elements(text))
    text = "\n".join(map(_title, _EMPHASIS.sub("", text).split("\n")))
    return _TAG.sub("", _links(text))


def _title(line: str) -> str:
    bare = line.strip()
    return bare.strip("= ") if len(bare) > 4 and bare[:2] == bare[-2:] == "==" else line


def _without_elements(text: str) -> str:
    """Drop comments, footnotes and other elements whose content is not part of the sentence."""
    parts: list[str] = []
    at = 0
    while (found := _ELEMENT.search(text, at)) is not None:
        parts.append(text[at : found.start()])
        if found.group() == "<!--":
            end = text.find(_COMMENT_END, found.end())
            at = len(text) if end < 0 else end + len(_COMMENT_END)
        else:
            at = found.end() if found.group(2) else _element_end(text, found)
    return "".join([*parts, text[at:]])


def _element_end(text: str, tag: re.Match[str]) -> int:
    closing = f"</{tag.group(1).lower()}>"
    end = text[tag.end() : tag.end() + _PIECE_LIMIT].lower().find(closing)
    return tag.end() if end < 0 else tag.end() + end + len(closing)


def _without_braces(text: str) -> str:
    """Drop templates, nested ones too; an unclosed one is left as it stands."""
    keep: list[str] = []
    opened: list[int] = []
    for piece in re.split(r"(\{\{|\}\})", text):
        if piece == "{{":
            opened.append(len(keep))
            keep.append(piece)
        elif piece == "}}" and opened:
            del keep[opened.pop() :]
        else:
            keep.append(piece)
    return "".join(keep)


def _links(text: str) -> str:
    """Show `[[target|label]]` as its label and `[[target]]` as its target."""
    parts = re.split(r"(\[\[|\]\])", text)
    shown: list[str] = []
    for place, piece in enumerate(parts):
        inside = place and parts[place - 1] == "[[" and parts[place + 1 : place + 2] == ["]]"]
        if inside:
            shown.append(piece.rpartition("|")[2])
        elif piece not in ("[[", "]]"):
            shown.append(piece)
    return "".join(shown)
