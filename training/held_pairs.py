"""Rows of the trained pair sets that training did not draw, scored along the run-time path."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.verify.builtin import neural_inputs
from firmground.verify.comparison import comparison
from firmground.verify.judge import LexicalJudge
from firmground.verify.lexical import LexicalScorer
from firmground.verify.neural import NeuralScorer
from firmground.verify.trees import logit
from training import corpus
from training.paths import MODEL_DIR
from training.prep import PAIR_ROWS
from training.scoring import _Listener

PairRow = tuple[str, str, int, str]


@dataclass(frozen=True, slots=True)
class Pair:
    """One row with everything the scorers and the judge said of it."""

    features: tuple[float, ...]
    words: float
    aligned: tuple[float, ...]
    codes: tuple[str, ...]
    vetoed: bool
    lexical_falls: bool
    wrong: bool


def undrawn(name: str) -> list[PairRow]:
    """Give a set's rows that `training.prep` left, in a fixed order without pattern."""
    apart = {"test", "dev"} if name in corpus.MEASURED_PAIRS else set()
    found = [row for row in corpus.pairs(name) if row[3] not in apart]
    random.Random(5).shuffle(found)
    rows = found[PAIR_ROWS[name] + 500 :]
    rows += [row for row in corpus.pairs(name) if row[3] in apart]
    random.Random(9).shuffle(rows)
    return [row for row in rows if row[1].strip()]


def scored_pairs(
    name: str, count: int, *, first: int = 0, directory: Path = MODEL_DIR
) -> list[Pair]:
    """Score `count` of the rows left, from the `first` on."""
    scorer = NeuralScorer(directory)
    rows = undrawn(name)[first : first + count]
    return [_pair(source, claim, label, scorer) for source, claim, label, _ in rows]


def _pair(source: str, claim: str, label: int, scorer: NeuralScorer) -> Pair:
    inquiry = Inquiry(
        question=None,
        answer=claim,
        claims=(Claim(text=claim, start=0, end=len(claim)),),
        evidence=(Evidence(text=source),),
    )
    listener = _Listener()
    LexicalJudge(scorers=(listener,)).examine(inquiry)
    (plain,) = LexicalScorer().score(listener.queries)
    (raw,) = scorer.raw(neural_inputs(listener.queries))
    notes = listener.queries[0].notes
    vetoed = any(n.standing is not None and not n.standing.stands for n in notes)
    (assessed,) = LexicalJudge().examine(inquiry).assessments
    return Pair(
        features=raw.features,
        words=logit(1 - plain.support),
        aligned=comparison(listener.queries[0].case),
        codes=tuple(note.code for note in notes),
        vetoed=vetoed,
        lexical_falls=not assessed.standing.stands,
        wrong=label != corpus.SUPPORTED,
    )
