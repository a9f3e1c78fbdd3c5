"""Selects the units of the evidence that matter to a claim."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import log

from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import Word, word_texts, words
from firmground.verify.units import EvidenceUnit

_K1 = 1.2
_B = 0.5
_NUMBER_BONUS = 1.6
_NAME_BONUS = 1.4
# What a term still counts once an earlier chosen unit has covered it.
_REPEAT_SHARE = 0.35
_CANDIDATES = 48
# A term found in more units than this says little, and reading its postings would cost too much.
_LONGEST_POSTING = 4000
_STOP_WORDS = frozenset(
    "a an the and or but if of to in on at by for from with as is are was were be been being "
    "it its this that these those he she they we you i his her their our your my him them us "
    "me not no do does did has have had will would can could may might shall should must "
    "which who whom whose what when where why how there here than then so such also into over "
    "about after before between more most other some any each all both only own same too very "
    "s t".split()
)
_SUFFIXES = (
    ("ies", "y"), ("sses", "ss"), ("ing", ""), ("edly", ""), ("ed", ""), ("ly", ""),
    ("es", ""), ("s", ""),
)  # fmt: skip
_DIGITS = lazy_pattern(r"\d")
_JOINTS = lazy_pattern(r"['\-‐‑]")
_NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen".split(),
        2,
    )
} | {"fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Postings over evidence units: for each term, which units hold it and how strongly."""

    postings: dict[str, tuple[tuple[int, float], ...]]
    idf: dict[str, float]
    size: int


def build_index(units: Sequence[EvidenceUnit], *, context: bool = False) -> Index:
    """Index units by their normalised words in one pass over the text.

    With `context`, the words of the title and heading that a unit stands under count as its own.
    """
    body = [_unit_terms(unit) for unit in units]
    if context:
        for unit, terms in zip(units, body, strict=True):
            if unit.about:
                known = set(terms)
                terms.extend(term for term in _about_terms(unit.about) if term not in known)
    mean = (sum(map(len, body)) / len(body) if body else 1.0) or 1.0
    gathered: dict[str, list[tuple[int, float]]] = {}
    for at, terms in enumerate(body):
        norm = _K1 * (1 - _B + _B * len(terms) / mean)
        if len(set(terms)) == len(terms):  # nearly always so, and a count of ones says nothing
            posting = (at, (_K1 + 1) / (1 + norm))
            for term in terms:
                gathered.setdefault(term, []).append(posting)
            continue
        for term, times in Counter(terms).items():
            gathered.setdefault(term, []).append((at, times * (_K1 + 1) / (times + norm)))
    total = len(units)
    idf = {term: log(1 + (total + 0.5) / (len(found) + 0.5)) for term, found in gathered.items()}
    return Index(
        postings={term: tuple(found) for term, found in gathered.items()}, idf=idf, size=total
    )


def select(
    claim_text: str, units: Sequence[EvidenceUnit], index: Index, *, limit: int
) -> tuple[int, ...]:
    """Name the units that matter to a claim, best first, at most `limit` of them.

    Later choices are made for what earlier ones left uncovered, so a claim that joins
    two facts gets a unit for each.
    """
    if index.size != len(units):
        raise ValueError(f"the index holds {index.size} units, but {len(units)} were given")
    weights = query_terms(claim_text)
    shares = _candidate_shares(weights, index)
    return _greedy(shares, limit)


def query_terms(text: str) -> dict[str, float]:
    """Weigh the terms of a claim: numbers and names count more than other words."""
    weights: dict[str, float] = {}
    for at, word in enumerate(words(text)):
        weight = _word_weight(word, first=at == 0)
        for term in word_terms(word.text):
            weights[term] = max(weight, weights.get(term, 0.0))
    return weights


@lru_cache(maxsize=65536)
def word_terms(word: str) -> tuple[str, ...]:
    """Give the terms a word is found under: its stem, and the parts of a compound."""
    lowered = word.lower().replace("’", "'").removesuffix("'s")
    if _DIGITS.search(lowered):
        return _number_terms(lowered)
    if lowered in _NUMBER_WORDS:
        return (_NUMBER_WORDS[lowered],)
    parts = [part for part in _JOINTS.split(lowered) if part]
    terms = [stem(part) for part in parts if part not in _STOP_WORDS]
    if len(parts) > 1:
        terms.append(stem("".join(parts)))
    return tuple(terms)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Strip an English ending so that `serving`, `serves` and `served` meet."""
    if len(word) < 4:
        return word
    if word.endswith("ceed"):  # the past is `succeeded`
        return word
    for suffix, rest in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)] + rest
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _number_terms(lowered: str) -> tuple[str, ...]:
    plain = lowered.replace(",", "")
    if plain.endswith(".0"):
        plain = plain[:-2]
    digits = re.findall(r"\d+(?:\.\d+)?", plain)
    return tuple(dict.fromkeys((plain, *digits)))


def _word_weight(word: Word, *, first: bool) -> float:
    if _DIGITS.search(word.text):
        return _NUMBER_BONUS
    return _NAME_BONUS if word.text[0].isupper() and not first else 1.0


@lru_cache(maxsize=4096)
def _about_terms(about: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for word in word_texts(about) for term in word_terms(word)))


def _unit_terms(unit: EvidenceUnit) -> list[str]:
    terms = [term for word in word_texts(unit.text) for term in word_terms(word)]
    if unit.path is not None:
        # `RestaurantsTakeOut` reads as three words, and a claim may write two of them as one.
        label = word_texts(unit.text.partition(":")[0])
        terms.extend(stem(a + b) for a, b in pairwise(label))
    return terms


def _candidate_shares(weights: dict[str, float], index: Index) -> dict[int, dict[str, float]]:
    """Give, for the most promising units, how much each claim term adds to their score."""
    totals: dict[int, float] = {}
    for term, weight in weights.items():
        found = index.postings.get(term, ())
        if len(found) <= _LONGEST_POSTING:
            for unit, strength in found:
                totals[unit] = totals.get(unit, 0.0) + weight * index.idf[term] * strength
    frequent = not totals
    if frequent:  # every word is in very many units, so the first of them are as good as any
        for term, weight in weights.items():
            for unit, strength in index.postings.get(term, ())[:_LONGEST_POSTING]:
                totals[unit] = totals.get(unit, 0.0) + weight * index.idf[term] * strength
    best = heapq.nsmallest(_CANDIDATES, totals, key=lambda unit: (-totals[unit], unit))
    shares: dict[int, dict[str, float]] = {unit: {} for unit in best}
    for term, weight in weights.items():
        found = index.postings.get(term, ())
        if len(found) <= _LONGEST_POSTING or frequent:
            for unit, strength in found[:_LONGEST_POSTING]:
                if unit in shares:
                    shares[unit][term] = weight * index.idf[term] * strength
    return shares


def _greedy(shares: dict[int, dict[str, float]], limit: int) -> tuple[int, ...]:
    """Take the unit that adds most, again and again; what a unit adds can only shrink.

    So the gain a unit had before is the most it can have now, and only those at the top of the heap
    need to be weighed again.
    """
    chosen: list[int] = []
    covered: set[str] = set()
    heap = [(-_gain(terms, covered), unit, 0) for unit, terms in shares.items()]
    heapq.heapify(heap)
    while heap and len(chosen) < limit:
        _, unit, weighed = heap[0]
        if weighed < len(chosen):
            fresh = (-_gain(shares[unit], covered), unit, len(chosen))
            heapq.heapreplace(heap, fresh)
            continue
        heapq.heappop(heap)
        covered.update(shares[unit])
        chosen.append(unit)
    return tuple(chosen)


def _gain(terms: dict[str, float], covered: set[str]) -> float:
    return sum(v * _REPEAT_SHARE if term in covered else v for term, v in terms.items())
