"""What each part of the fusion is worth: `python -m training.ablate --unseen e19 e21 e23 e24`.

Fits on half of RAGTruth's `fuse` sources and on the validation batches of the everyday corpus (with
batches that the weights have not seen), and prints AUC on the corpus's test split and on the other
half of `fuse`, with groups of features left out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from firmground.verify.forest import LogitForest, read_forest
from firmground.verify.neural_features import FEATURES
from firmground.verify.neural_meta import FUSED_FEATURES
from training import corpus, everyday, metrics
from training.fuse import DROPPED, _fit, _fused, _level, _line
from training.paths import MODEL_DIR, state_dir
from training.scoring import ScoredResponse, Table, score_all, table

Array = np.ndarray
SHARES = (0.4, 0.6)


class Part:
    """Scored answers with the fused rows of their claims."""

    def __init__(self, scored: list[ScoredResponse], aligned: LogitForest) -> None:
        self.scored = [one for one in scored if one.claims]
        self.table: Table = table(self.scored)
        self.rows = _fused(self.table, aligned)
        self.bad = np.array([one.response.hallucinated for one in self.scored])

    def worst(self, risks: Array) -> Array:
        """The highest risk among the claims of each answer."""
        return np.array([risks[self.table.owner == at].max() for at in range(len(self.scored))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--directory", type=Path, default=MODEL_DIR)
    parser.add_argument("--cache", default="main")
    parser.add_argument("--unseen", nargs="*", default=[])
    parser.add_argument("--aligned", type=Path, default=state_dir() / "aligned.json")
    chosen = parser.parse_args()
    aligned = read_forest(json.loads(chosen.aligned.read_text()))
    cache = state_dir() / "scores" / chosen.cache
    rag = Part(score_all(list(corpus.responses("fuse")), chosen.directory, cache / "fuse"), aligned)
    own = [*everyday.responses("val"), *everyday.responses("train", chosen.unseen)]
    held = Part(score_all([r for r, _ in own], chosen.directory, cache / "val"), aligned)
    rows = list(everyday.responses("test"))
    close = {response.id: row["wording"] == "close" for response, row in rows}
    test = Part(score_all([r for r, _ in rows], chosen.directory, cache / "test"), aligned)
    every = [at for at, name in enumerate(FUSED_FEATURES) if name not in DROPPED]
    network = [at for at in every if at < len(FEATURES)]
    place = FUSED_FEATURES.index
    variants = {
        "everything": every,
        "the network alone": network,
        "network and comparison": [*network, place("aligned")],
        "network, comparison and words": [*network, place("aligned"), place("lexical")],
        "without the network": [at for at in every if at >= len(FEATURES)],
        "without the lexical scorer": [at for at in every if at != place("lexical")],
    }
    for name, columns in variants.items():
        print(f"{name:<32}{measure(rag, held, test, close, columns)}", flush=True)


def measure(rag: Part, held: Part, test: Part, close: dict[str, bool], columns: list[int]) -> str:
    """Fit one variant and sum up its AUC."""
    sources = np.array([rag.scored[at].response.source_id for at in rag.table.owner])
    names = np.random.default_rng(0).permutation(np.unique(sources))
    half = np.isin(sources, names[: len(names) // 2])
    rows = np.vstack([rag.rows[half], held.rows])[:, columns]
    truth = np.concatenate([rag.table.truth[half], held.table.truth])
    mine, theirs = _level(rag.table.truth[half]), _level(held.table.truth)
    weights = np.concatenate(
        [SHARES[0] * mine / mine.sum(), SHARES[1] * theirs / theirs.sum()]
    ) * len(truth)
    trees = HistGradientBoostingClassifier(
        max_iter=150, learning_rate=0.06, max_leaf_nodes=12, l2_regularization=3.0,
        min_samples_leaf=30,
    ).fit(rows, truth, sample_weight=weights)  # fmt: skip
    line = _fit(_line(), rows, truth, weights)

    def risks(part: Array) -> Array:
        some = part[:, columns]
        return (trees.decision_function(some) + line.decision_function(some)) / 2

    worst = test.worst(risks(test.rows))
    near = np.array([close[one.response.id] for one in test.scored])
    whole = np.array([one.response.task == "answer" for one in test.scored])
    found = []
    for part in (~whole, whole):
        apart = test.bad == near
        found += [
            metrics.auc(test.bad[part & some], worst[part & some]) for some in (part, apart, ~apart)
        ]
    found.append(metrics.auc(rag.table.truth[~half], risks(rag.rows)[~half]))
    shown = "/".join(f"{value:.3f}" for value in found[:3])
    answers = "/".join(f"{value:.3f}" for value in found[3:6])
    return f"statements {shown}  answers {answers}  RAGTruth claims {found[6]:.3f}"


if __name__ == "__main__":
    main()
