"""Fit the forest that reads the alignment alone: `python -m training.align`.

It learns from the training splits, which the fusion never sees: contrast sets of the everyday
corpus, RAGTruth training sources and inference pairs, each weighing a third, with pairs least.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.verify.checks.case import CheckCase, search_text
from firmground.verify.comparison import COMPARISON, comparison
from firmground.verify.judge import CHOSEN, read_claim
from firmground.verify.reading import read
from training import corpus, everyday, metrics
from training.held_pairs import undrawn
from training.paths import state_dir
from training.prep import PAIR_ROWS
from training.scoring import inquiry_of

SHARES = {"everyday": 0.65, "ragtruth": 0.2, "pairs": 0.15}
RAGTRUTH_ANSWERS = 900
PAIRS_EACH = 200
Row = tuple[tuple[float, ...], bool, str]


def rows_of(
    inquiry: Inquiry, problems: Iterable[tuple[int, int, int]], group: str
) -> Iterator[Row]:
    """The alignment of each claim of an answer, and whether it is wrong."""
    reading = read(inquiry.evidence)
    marks = list(problems)
    for claim in inquiry.claims:
        if claim.not_checkable is not None:
            continue
        shown = read_claim(claim)
        chosen = reading.select(search_text(shown), limit=CHOSEN)
        case = CheckCase(claim=shown, passages=chosen, reading=reading)
        wrong = any(s < claim.end and claim.start < e for s, e, _ in marks)
        yield comparison(case), wrong, group


def gather(without: Collection[str] = ()) -> dict[str, list[Row]]:
    """Measure everything that the forest is fitted on, but for the batches named."""
    batches = [batch for batch in everyday.splits() if batch not in without]
    own = [
        row
        for response, _ in everyday.responses("train", batches)
        for row in rows_of(inquiry_of(response), response.problems, response.source_id)
    ]
    answers = corpus.sample(list(corpus.responses("train")), RAGTRUTH_ANSWERS)
    rag = [
        row
        for response in answers
        for row in rows_of(inquiry_of(response), response.problems, response.source_id)
    ]
    pairs = []
    for name in PAIR_ROWS:
        for at, (source, text, label, _) in enumerate(undrawn(name)[:PAIRS_EACH]):
            claim = Claim(text=text, start=0, end=len(text))
            inquiry = Inquiry(
                question=None, answer=text, claims=(claim,), evidence=(Evidence(text=source),)
            )
            marks = [(0, len(text), label)] if label else []
            pairs += rows_of(inquiry, marks, f"{name}{at}")
    return {"everyday": own, "ragtruth": rag, "pairs": pairs}


def fit(found: dict[str, list[Row]]) -> dict[str, Any]:
    """Fit the trees on the weighted mixture and write them as plain lists."""
    from training.fuse import tree_lists

    rows = np.array([row for part in found.values() for row, _, _ in part])
    truth = np.array([wrong for part in found.values() for _, wrong, _ in part])
    weights = np.concatenate([_weights(part, SHARES[name]) for name, part in found.items()])
    model = GradientBoostingClassifier(
        n_estimators=250, max_depth=4, learning_rate=0.07, subsample=0.7, min_samples_leaf=30,
        max_features=0.4, random_state=1,
    ).fit(rows, truth, sample_weight=weights * len(rows))  # fmt: skip
    trees = tree_lists(model, COMPARISON, list(range(len(COMPARISON))), share=1.0)
    return {**trees, "weights": [0.0] * len(COMPARISON), "slope": 1.0, "shift": 0.0}


def _weights(part: list[Row], share: float) -> np.ndarray:
    """Let right and wrong claims of a part weigh alike, and the part its share."""
    wrong = np.array([one[1] for one in part])
    weights = np.where(wrong, 0.5 / max(wrong.sum(), 1), 0.5 / max((~wrong).sum(), 1))
    return share * weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=state_dir() / "aligned.json")
    parser.add_argument(
        "--without", nargs="*", default=[], help="batches to leave out, for the fusion to see first"
    )
    chosen = parser.parse_args()
    found = gather(chosen.without)
    (state_dir() / "aligned.pickle").write_bytes(pickle.dumps(found))
    print({name: len(part) for name, part in found.items()}, flush=True)
    model = fit(found)
    chosen.out.write_text(json.dumps(model))
    _report(model)


def _report(model: dict[str, Any]) -> None:
    from firmground.verify.forest import read_forest

    forest = read_forest(model)
    scored = [
        (max(forest.logit(row) for row, _, _ in rows), response.hallucinated, row["wording"])
        for response, row in everyday.responses("val")
        if (rows := list(rows_of(inquiry_of(response), response.problems, "")))
    ]
    risk, bad = np.array([r for r, _, _ in scored]), np.array([b for _, b, _ in scored])
    close = np.array([w == "close" for _, _, w in scored])
    apart = bad == close
    for name, part in (("all", bad | ~bad), ("apart", apart), ("together", ~apart)):
        print(f"everyday val, {name}: AUC {metrics.auc(bad[part], risk[part]):.3f}")


if __name__ == "__main__":
    main()
