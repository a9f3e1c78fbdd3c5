"""Which fusion and limit travel best? `python -m training.transfer [--rows 120]`.

Fits variants on `fuse` and measures them on rows of the pair sets that the model was trained on
which neither training nor fusion drew: near what it has seen, far from RAGTruth. The sets that
`benchmarks/quality_pairs.py` reports on, and `dev`, are never looked at.
"""

from __future__ import annotations

import argparse
import os
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from training import corpus, metrics
from training.ablate import Slice
from training.fuse import FITTED, _boosted, _fit, _line, _platt, _sigmoid
from training.held_pairs import Pair, scored_pairs
from training.paths import MODEL_DIR, state_dir
from training.prep import PAIR_ROWS
from training.scoring import score_all

Array = np.ndarray


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
        pairs = {name: scored_pairs(name, chosen.rows, first=FITTED) for name in PAIR_ROWS}
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
