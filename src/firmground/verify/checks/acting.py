"""Who did it to whom: two that have changed places around the same verb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.clauses import Clause, ContentWord, clauses, content_words
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage

# What one does to the other, the other does to the one.
_MUTUAL = frozenset(
    "meet marry married wed play fac fight join equal resembl border match merg agre talk speak "
    "includ ar between togeth dat divorc partner team argu debat chat negotiat cooperat compet "
    "near lik relat link connect contain said say".split()
)
_LOOSE = lazy_pattern(r"[,;:.()\"“”]|\b(?:and|or|with|by|of|than|from|as|that|who|which|when|if)\b")
_ARTICLES = frozenset({"the", "a", "an", "its", "their", "his", "her"})
_BY = lazy_pattern(r"\s+by\s+(?:the\s+|an?\s+)?")
_IS = lazy_pattern(r"\b(?:is|was|are|were|be|been|being)\s+\Z")
_NEAR = 12
_MOST_WORDS = 60
_Triple = tuple[ContentWord, ContentWord, ContentWord]


def check_acting(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the source has the same verb between the same two, the other way round."""
    if case.about_source or denials(case.claim.text):
        return ()
    mine = list(_triples(case.claim.text, content_words(case.claim.text)[:_MOST_WORDS]))
    if not mine:
        return ()
    prose = [(p, s) for p in case.passages if p.path is None for s in clauses(p.text)]
    given = [(p, triple) for p, s in prose for triple in _triples(p.text, s.words)]
    for one in mine:
        note = _crossed(case, one, prose, given)
        if note is not None:
            return (note,)
    return ()


def _triples(text: str, words: Sequence[ContentWord]) -> Iterator[_Triple]:
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


def _turned(passage: Passage, one: Clause, said: _Triple) -> bool:
    """True for “A was succeeded by B” beside *A succeeded B*."""
    a, verb, b = said
    before = frozenset(w.key for w in content_words(passage.text) if w.start < one.end)
    for given, behind in pairwise(one.words):
        if (given.key, behind.key) == (verb.key, b.key) and _BY.fullmatch(
            passage.text, given.end, behind.start
        ):
            start = passage.text[max(0, given.start - _NEAR) : given.start]
            return a.key in before and _IS.search(start) is not None and not denials(passage.text)
    return False


def _crossed(
    case: CheckCase,
    said: _Triple,
    prose: Sequence[tuple[Passage, Clause]],
    given: Sequence[tuple[Passage, _Triple]],
) -> CheckNote | None:
    if any(_keys(triple) == _keys(said) for _, triple in given):
        return None
    for passage, triple in given:
        same = _small(passage.text, triple) == _small(case.claim.text, said)
        if same and _keys(triple) == _keys(said)[::-1] and not denials(passage.text):
            return _note(case, said, passage, (triple[0].start, triple[2].end))
    for passage, one in prose:
        if _turned(passage, one, said):
            return _note(case, said, passage, (one.start, one.end))
    return None


def _keys(triple: _Triple) -> tuple[str, ...]:
    return tuple(word.key for word in triple)


def _note(case: CheckCase, said: _Triple, passage: Passage, span: tuple[int, int]) -> CheckNote:
    reason = f"{said[0].text} and {said[2].text} have changed places"
    at, evidence = (said[0].start, said[2].end), (passage.span(*span),)
    return case.note("acting", "roles_swapped", Standing.CONTRADICTED, reason, at, evidence)
