"""Words of a piece of the answer, remembered while its neighbours are being looked at."""

from __future__ import annotations

from functools import lru_cache

from firmground.claims import words as en
from firmground.core.segment import Word, word_texts, words


@lru_cache(maxsize=64)
def tokens(text: str) -> tuple[Word, ...]:
    """The words of a text as written, with their places."""
    return words(text)


@lru_cache(maxsize=64)
def plain_tokens(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, with straight apostrophes."""
    return tuple(map(_plain, word_texts(text)))


def is_finite(word: str) -> bool:
    """True for a lower-case word form that can carry a clause."""
    return word in en.AUXILIARIES or word in en.VERBS


def vocabulary(text: str) -> frozenset[str]:
    """Every word of ``plain_tokens``, once: a long text repeats most of its words."""
    return frozenset(map(_plain, set(word_texts(text))))


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")
