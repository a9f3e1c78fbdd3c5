"""Who stands before a relation and who behind it, whichever voice the sentence is in."""

from __future__ import annotations

from functools import lru_cache

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.reading import terms_of

_SMALL = lazy_pattern(r"\b(?:[A-Z]|May)\b")
_THAN = lazy_pattern(r"\b(?:than|als|que)\b")
_BY = lazy_pattern(r"\b(?:by|von|durch|par|por)\s+(?![\d$€£])")


@lru_cache(maxsize=4096)
def sides(text: str, start: int, end: int) -> tuple[frozenset[str], frozenset[str]]:
    """Give the content words before and behind ``text[start:end]``; a passive is turned round."""
    before, after = text[:start], text[end:]
    than = _THAN.search(after)
    if than is not None:
        # "fewer cats than dogs": the two that are compared stand around "than".
        return _terms(f"{before} {after[: than.start()]}"), _terms(after[than.end() :])
    by = _BY.search(after)
    if by is None:
        return _terms(before), _terms(after)
    return _terms(after[by.end() :]), _terms(before) | _terms(after[: by.start()])


def _terms(text: str) -> frozenset[str]:
    """Content words, and the capitals that are too small for one: plan A, sales in May."""
    return terms_of(text) | frozenset(_SMALL.findall(text))
