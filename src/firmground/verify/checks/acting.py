"""Who did it to whom: two that have changed places around the same verb."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

from collections.abc import Iterator, Sequence

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import Case
from firmground.verify.checks.polarity import denials
from firmground.verify.checks.statements import Telling, statements, telling
from firmground.verify.reading import Passage

# What one does to the other, the other does to the one.
_MUTUAL = frozenset(
    "meet marry married married wed play fac fight join equal resembl border match merg agre talk speak "
    "includ ar between togeth dat divorc partner team argu debat chat negotiat cooperat compet "
    "near lik relat link connect contain said say".split()
)
_LOOSE = lazy_pattern(r"[,;:.()\"“”]|\b(?:and|or|with|by|of|than|from|as|that|who|which|when|if)\b")
_ARTICLES = frozenset({"the", "a", "an", "its", "their", "his", "her"})
_Triple = tuple[Telling, Telling, Telling]


def check_acting(case: Case) -> tuple[CheckNote, ...]:
    """Object when the source has the same verb between the same two, the other way round."""
    if case.about_source or denials(case.claim.text):
        return ()
    mine = _triples(case.claim.text, telling(case.claim.text))
    for one in mine:
        note = _crossed(case, one)
        if note is not None:
            return (note,)
    return ()


def _triples(text: str, words: Sequence[Telling]) -> Iterator[_Triple]:
    """Doer, verb and the one it is done to, where only small words stand between them."""
    for a, verb, b in zip(words, words[1:], words[2:], strict=False):
        if not verb.text.islower() or verb.key in _MUTUAL or a.key == b.key:
            continue
        if any(map(str.isdigit, a.key + verb.key + b.key)):
            continue
        if not _LOOSE.search(text[a.end : verb.start]) and not _LOOSE.search(
            text[verb.end : b.start]
        ):
            yield a, verb, b


def _small(text: str, triple: _Triple) -> list[str]:
    """The small words around the verb, but for articles: *came after* is not *came before*."""
    a, verb, b = triple
    between = f"{text[a.end : verb.start]} {text[verb.end : b.start]}".lower()
    return [word for word in between.split() if word not in _ARTICLES]


def _crossed(case: Case, said: _Triple) -> CheckNote | None:
    keys = tuple(word.key for word in said)
    rival: tuple[Passage, _Triple] | None = None
    for passage in case.passages:
        if passage.path is not None:
            continue
        for one in statements(passage.text):
            for given in _triples(passage.text, one.words):
                order = tuple(word.key for word in given)
                if order == keys:
                    return None
                if (
                    order == keys[::-1]
                    and not denials(passage.text)
                    and _small(passage.text, given) == _small(case.claim.text, said)
                ):
                    rival = rival or (passage, given)
    if rival is None:
        return None
    passage, given = rival
    reason = f"{said[0].text} and {said[2].text} have changed places"
    at, span = (said[0].start, said[2].end), (passage.span(given[0].start, given[2].end),)
    return case.note("acting", "roles_swapped", Standing.CONTRADICTED, reason, at, span)
