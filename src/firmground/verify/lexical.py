"""The built-in scorer: boosted trees over figures that a person can read, without any LLM."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from firmground.verify.features import feature_names, features, word_keys
from firmground.verify.pieces import piece_features, piece_names
from firmground.verify.scorer import Query, Score
from firmground.verify.trees import CalibratedForest, read_forest

_DIGITS = 6
# Words of a claim that surely stands need no pointing at.
_DOUBTFUL = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalWeights:
    """What training found: whether a claim fails, and which of its words do."""

    claim: CalibratedForest
    """Probability that the claim does not stand; its last figure is the sum over ``words``."""
    words: Mapping[str, float]
    """How much single words speak against a claim, apart for words the evidence knows or not."""
    piece: CalibratedForest
    """Probability that a word does not stand; its last figure is the claim's own probability."""
    piece_from: float
    """From this probability on, a word is pointed at."""
    version: str


@dataclass(frozen=True, slots=True)
class LexicalScorer:
    """Scores claims by measured overlap, binding, wording and what the checks said."""

    name: str = "lexical"

    def score(self, queries: Sequence[Query]) -> tuple[Score, ...]:
        """Return the calibrated support of each claim and the words that weigh against it."""
        weights = lexical_weights()
        return tuple(_score(self.name, weights, query) for query in queries)


@cache
def raw_weights() -> dict[str, Any]:
    """Read the weights file that came with the package."""
    text = resources.files("firmground.verify").joinpath("weights/lexical.json").read_text("utf-8")
    read: dict[str, Any] = json.loads(text)
    return read


@cache
def lexical_weights() -> LexicalWeights:
    """Read the weights once and check that they fit this version's features."""
    raw = raw_weights()
    return LexicalWeights(
        claim=read_forest(raw["claim"], (*feature_names(), "wording")),
        words=raw["words"],
        piece=read_forest(raw["piece"], (*piece_names(), "claim_fails")),
        piece_from=float(raw["piece_from"]),
        version=str(raw["version"]),
    )


def _score(name: str, weights: LexicalWeights, query: Query) -> Score:
    wording = sum(weights.words.get(key, 0.0) for key in word_keys(query.case))
    measured = [*features(query.case, query.notes, query.place), wording]
    fails = weights.claim.probability(measured)
    doubtful = fails >= _DOUBTFUL or any(note.standing is not None for note in query.notes)
    return Score(
        scorer=name,
        support=round(1.0 - fails, _DIGITS),
        pieces=_pieces(weights, query, fails) if doubtful else (),
    )


def _pieces(
    weights: LexicalWeights, query: Query, fails: float
) -> tuple[tuple[int, int, float], ...]:
    start = query.case.claim.start
    found = []
    for low, high, row in piece_features(query.case, query.notes):
        likely = weights.piece.probability([*row, fails])
        if likely >= weights.piece_from:
            found.append((start + low, start + high, round(likely, _DIGITS)))
    return tuple(found)
