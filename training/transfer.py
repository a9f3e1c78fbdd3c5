"""Which fusion and limit travel best? `python -m training.transfer [--rows 120]`.

Fits variants on `fuse` and measures them on rows of the pair sets that the model was trained on
which training did not draw: near what it has seen, far from RAGTruth. The sets that
`benchmarks/quality_pairs.py` reports on, and `dev`, are never looked at.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.verify.builtin import neural_inputs
from firmground.verify.judge import LexicalJudge
from firmground.verify.lexical import LexicalScorer
from firmground.verify.neural import NeuralScorer
from firmground.verify.trees import logit
from training import corpus, metrics
from training.ablate import Slice
from training.fuse import _boosted, _fit, _line, _platt, _sigmoid
from training.paths import MODEL_DIR, state_dir
from training.prep import PAIR_ROWS
from training.scoring import _Listener, score_all

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Pair:
    """One row with everything the scorers and the judge said of it."""

    features: tuple[float, ...]
    words: float
    vetoed: bool
    lexical_falls: bool
    wrong: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", default="main")
    parser.add_argument("--rows", type=int, default=120)
    chosen = parser.parse_args()
    cache = state_dir() / "scores" / chosen.cache / "fuse"
    scored = score_all(
        list(corpus.responses("fuse")), MODEL_DIR, cache, workers=os.cpu_count() or 1
    )
    fuse = Slice([s for s in scored if s.claims])
    kept = state_dir() / "scores" / chosen.cache / f"transfer-{chosen.rows}.pickle"
    if kept.exists():
        pairs = pickle.loads(kept.read_bytes())
    else:
        pairs = {name: held_out(name, chosen.rows) for name in PAIR_ROWS}
        kept.write_bytes(pickle.dumps(pairs))
    for name, columns, makers in VARIANTS:
        told(name, fuse, pairs, columns, makers)


HEAD_AND_WORDS = (0, 1, -1)
WITHOUT_SIZES = (*range(16), *range(22, 28))
VARIANTS: tuple[tuple[str, Sequence[int] | None, Sequence[Any]], ...] = (
    ("shipped: trees and line over everything", None, (_boosted, _line)),
    ("without sizes and coverage", WITHOUT_SIZES, (_boosted, _line)),
    ("line over the head's log-odds and lexical", HEAD_AND_WORDS, (_line,)),
    ("line over everything", None, (_line,)),
)


def held_out(name: str, count: int) -> list[Pair]:
    """Score rows that `training.prep` did not draw for training."""
    found = [row for row in corpus.pairs(name) if row[3] not in {"test", "dev"}]
    random.Random(5).shuffle(found)
    rows = found[PAIR_ROWS[name] + 500 :][:count]
    if len(rows) < count:
        rows += [row for row in corpus.pairs(name) if row[3] in {"test", "dev"}][
            : count - len(rows)
        ]
    scorer = NeuralScorer()
    return [
        _pair(source, claim, label, scorer) for source, claim, label, _ in rows if claim.strip()
    ]


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
        vetoed=vetoed,
        lexical_falls=not assessed.standing.stands,
        wrong=label != corpus.SUPPORTED,
    )


def told(
    name: str,
    fuse: Slice,
    pairs: dict[str, list[Pair]],
    columns: Sequence[int] | None,
    makers: Sequence[Any],
) -> None:
    """Print a variant's figures on `fuse` and its difference to lexical on every set."""
    picked = list(range(fuse.both.shape[1])) if columns is None else list(columns)
    rows, w = fuse.both[:, picked], fuse.weights[fuse.owner]
    logits = fuse.fitted(rows, makers)
    slope, shift = _platt(logits, fuse.truth, w)
    risks = _sigmoid(slope * logits + shift)
    limit, best = metrics.best_threshold(fuse.truth, risks, w)
    models = [_fit(make(), rows, fuse.truth, w) for make in makers]
    print(f"{name}: claim AUC {metrics.auc(fuse.truth, risks):.4f}, F1 {best:.4f}")
    for factor in (0.6, 0.8, 1.0, 1.2, 1.5):
        at = limit * factor
        f = metrics.f1(fuse.truth, risks >= at, w)[2]
        gaps = []
        for found in pairs.values():
            table = np.array([(*pair.features, pair.words) for pair in found])[:, picked]
            raw = np.mean([model.decision_function(table) for model in models], axis=0)
            fails = _sigmoid(slope * raw + shift) >= at
            wrong = np.array([pair.wrong for pair in found])
            flagged = fails | np.array([pair.vetoed for pair in found])
            plain = np.array([pair.lexical_falls for pair in found])
            gaps.append(
                metrics.balanced_accuracy(wrong, flagged) - metrics.balanced_accuracy(wrong, plain)
            )
        sets = " ".join(f"{key} {100 * gap:+.1f}" for key, gap in zip(pairs, gaps, strict=True))
        print(
            f"  limit {at:.3f}: claim F1 on fuse {f:.4f}; points over lexical: mean "
            f"{100 * float(np.mean(gaps)):+.1f} | {sets}",
            flush=True,
        )


if __name__ == "__main__":
    main()
