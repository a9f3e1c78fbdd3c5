"""What can be measured about each word of a claim, to point at the words that do not stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from firmground.core.claim import CheckNote
from firmground.verify.checks.case import CheckCase
from firmground.verify.polarity import clauses
from firmground.verify.reading import EvidenceIndex
from firmground.verify.select import word_terms

_NAMES = (
    "stop", "number", "capital", "known", "asked", "in_best", "in_chosen", "weight", "known_before",
    "known_after", "known_near", "best_near", "bound_before", "bound_after", "vetoed",
    "contradicted", "remarked", "position", "from_end", "clause_known", "clause_best",
    "clause_vetoed", "clause_words", "cover_best", "cover_all", "about_source", "words", "records",
    "vetoes",
)  # fmt: skip
_NEAR = 3


def piece_names() -> tuple[str, ...]:
    """Name the figures, in the order in which ``piece_features`` gives them."""
    return _NAMES


def piece_features(
    case: CheckCase, notes: Sequence[CheckNote]
) -> list[tuple[int, int, list[float]]]:
    """Measure every word of a claim, with its span inside the claim."""
    words = case.words
    if not words:
        return []
    keys = [word_terms(word.text) for word in words]
    best = max(case.passages, key=case.cover).terms if case.passages else frozenset()
    chosen = frozenset().union(*(passage.terms for passage in case.passages))
    known = [not k or all(case.reading.knows(t) for t in k) for k in keys]
    in_best = [not k or all(t in best for t in k) for k in keys]
    marks = _marks(case, notes)
    bound = _bound(case.reading, keys)
    parts = _parts(case, [w.start for w in words])
    clause = {part: _clause(own, known, in_best, marks) for part, own in _members(parts).items()}
    whole = _whole(case, notes, best)
    rows = []
    for at, word in enumerate(words):
        near = slice(max(0, at - _NEAR), at + _NEAR + 1)
        rows.append(
            (
                word.start,
                word.end,
                [
                    float(not keys[at]),
                    float(any(c.isdigit() for c in word.text)),
                    float(word.text[0].isupper() and at > 0),
                    float(known[at]),
                    float(bool(keys[at]) and all(t in case.asked for t in keys[at])),
                    float(in_best[at]),
                    float(not keys[at] or all(t in chosen for t in keys[at])),
                    max((case.reading.weight(t) for t in keys[at]), default=0.0),
                    float(at == 0 or known[at - 1]),
                    float(at + 1 == len(words) or known[at + 1]),
                    _mean(known[near]),
                    _mean(in_best[near]),
                    bound[at],
                    bound[at + 1],
                    *marks[at],
                    at / len(words),
                    float(min(len(words) - at, 20)),
                    *clause[parts[at]],
                    *whole,
                ],
            )
        )
    return rows


def _marks(case: CheckCase, notes: Sequence[CheckNote]) -> list[list[float]]:
    """For each word: does a note that objects, contradicts or only remarks lie over it?"""
    objecting = [note for note in notes if note.standing is not None]
    contradicting = [note for note in notes if note.standing == "contradicted"]
    remarking = [note for note in notes if note.standing is None]
    columns = [_covered(case, kind) for kind in (objecting, contradicting, remarking)]
    return [list(row) for row in zip(*columns, strict=True)]


def _covered(case: CheckCase, notes: Sequence[CheckNote]) -> list[float]:
    """Mark the words that some note overlaps, in one walk over notes and words."""
    first, size = case.claim.start, len(case.words)
    starts = [first + word.start for word in case.words]
    ends = [first + word.end for word in case.words]
    change = [0] * (size + 1)
    for note in notes:
        if note.start is not None and note.end is not None:
            low, high = bisect_right(ends, note.start), bisect_left(starts, note.end)
            if low < high:
                change[low] += 1
                change[high] -= 1
    return [float(over > 0) for over in accumulate(change[:size])]


def _members(parts: Sequence[int]) -> dict[int, list[int]]:
    """Which words each clause has."""
    found: dict[int, list[int]] = {}
    for at, part in enumerate(parts):
        found.setdefault(part, []).append(at)
    return found


def _clause(
    own: Sequence[int],
    known: Sequence[bool],
    in_best: Sequence[bool],
    marks: Sequence[Sequence[float]],
) -> list[float]:
    return [
        _mean([known[i] for i in own]),
        _mean([in_best[i] for i in own]),
        max(marks[i][0] for i in own),
        float(len(own)),
    ]


def _whole(case: CheckCase, notes: Sequence[CheckNote], best: frozenset[str]) -> list[float]:
    weights = {term: case.reading.weight(term) for term in case.terms}
    total = sum(weights.values()) or 1.0
    return [
        sum(weights[t] for t in case.terms & best) / total,
        sum(weights[t] for t in case.terms if case.reading.knows(t)) / total,
        float(case.about_source),
        float(len(case.words)),
        float(bool(case.reading.fields)),
        float(sum(note.standing is not None for note in notes)),
    ]


def _bound(reading: EvidenceIndex, keys: list[tuple[str, ...]]) -> list[float]:
    """For each gap between words: do the content words on its two sides ever stand together?"""
    left: list[str] = []
    last = ""
    for key in keys:
        left.append(last)
        last = key[-1] if key else last
    left.append(last)
    right = [""] * (len(keys) + 1)
    following = ""
    for at in range(len(keys) - 1, -1, -1):
        following = keys[at][-1] if keys[at] else following
        right[at] = following
    return [_together(reading, a, b) for a, b in zip(left, right, strict=True)]


def _together(reading: EvidenceIndex, one: str, other: str) -> float:
    if not one or not other or one == other:
        return 0.5
    return float(not reading.places(one).isdisjoint(reading.places(other)))


def _parts(case: CheckCase, starts: list[int]) -> list[int]:
    cuts = sorted(start for start, _ in clauses(case.claim.text))
    return [bisect_right(cuts, start) for start in starts]


def _mean(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0
