"""Words of a piece of the answer, remembered while its neighbours are being looked at."""

from __future__ import annotations

from functools import lru_cache

from firmground.core.segment import Word, words


@lru_cache(maxsize=64)
def tokens(text: str) -> tuple[Word, ...]:
    """The words of a text as written, with their places."""
    return words(text)


@lru_cache(maxsize=64)
def plain_tokens(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, with straight apostrophes."""
    return tuple(one.text.lower().replace("’", "'") for one in tokens(text))
