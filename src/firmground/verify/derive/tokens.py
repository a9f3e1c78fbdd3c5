"""Text cut into number, word and sign tokens with exact offsets, in one linear pass."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.core.lazy_pattern import lazy_pattern

_TOKEN = lazy_pattern(r"\d+(?:[.,'’\u00a0\u202f\u2009]\d+)*|[^\W\d_]+|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class TokenList:
    """The tokens of a text, as parallel lists."""

    text: str
    words: list[str]
    """Lower case."""
    starts: list[int]
    ends: list[int]

    def __len__(self) -> int:
        return len(self.words)

    def raw(self, at: int) -> str:
        """The token as it is written."""
        return self.text[self.starts[at] : self.ends[at]]

    def word(self, at: int) -> str:
        """The token in lower case, empty beyond either end."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def glued(self, at: int) -> bool:
        """True when no space stands between this token and the one before."""
        return 0 < at < len(self.words) and self.starts[at] == self.ends[at - 1]


def tokenise(text: str) -> TokenList:
    """Cut a text into tokens; a hyphen and every other sign is a token of its own."""
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for m in _TOKEN.finditer(text):
        words.append(m.group().lower())
        start, end = m.span()
        starts.append(start)
        ends.append(end)
    return TokenList(text, words, starts, ends)
