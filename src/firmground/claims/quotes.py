"""Where an answer puts words between quotation marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firmground.claims.tokens import tokens
from firmground.core.claim import Claim, ClaimKind
from firmground.core.lazy_pattern import lazy_pattern

_CLOSING = {"“": "”“", "„": "“”", "«": "»", "「": "」", "『": "』", "‟": "”"}
_MARK = lazy_pattern('["“”„‟«»「」『』]|\n[ \t]*\n')
_EDGE_MARKS = " \t\n.,;:!?…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Words in quotation marks: `answer[start:end]`, without them `answer[inner:inner_end]`."""

    start: int
    inner: int
    inner_end: int
    end: int
    text: str
    """What stands between the marks."""

    @property
    def sought(self) -> str:
        """What should stand in a source: the words without the answer's own punctuation."""
        return self.text.strip(_EDGE_MARKS)


def quotations(answer: str) -> tuple[Quotation, ...]:
    """List what stands in paired quotation marks and can be read, outermost pairs only."""
    return tuple(_paired(answer))


def quote_claims(answer: str) -> tuple[Claim, ...]:
    """Quote mode: every quotation is one claim, and the words between the marks are its text."""
    return tuple(
        Claim(text=one.text, start=one.inner, end=one.inner_end, kind=ClaimKind.QUOTE)
        for one in quotations(answer)
    )


def word_count(text: str) -> int:
    """How many words a text has."""
    return len(tokens(text))


def _paired(answer: str) -> Iterator[Quotation]:
    opened: int | None = None
    closers = ""
    for match in _MARK.finditer(answer):
        at, mark = match.start(), match.group()
        if mark[0] == "\n":
            opened = None  # a quotation mark left open does not reach into the next paragraph
        elif opened is None:
            if mark == '"' and _is_inch(answer, at):
                continue
            closers = _CLOSING.get(mark, '"' if mark == '"' else "")
            opened = at if closers else None
        elif mark in closers:
            inner = answer[opened + 1 : at]
            if any(map(str.isalnum, inner)):
                yield Quotation(
                    start=opened, inner=opened + 1, inner_end=at, end=at + 1, text=inner
                )
            opened = None


def _is_inch(answer: str, at: int) -> bool:
    """`6'2"` and `27" screen` measure; a mark after a digit opens no quotation."""
    return at > 0 and answer[at - 1].isdigit()
