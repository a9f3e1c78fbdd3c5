"""Boosting, calibration and weighing, shared by the training script and its report."""

from __future__ import annotations

import lightgbm as lgb
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SEED = 7
# Share of hallucinated answers per task in RAGTruth's test split, each task being a third of it.
TEST_PRIOR = {"QA": 160 / 900, "Summary": 204 / 900, "Data2txt": 579 / 900}

CLAIM = {
    "objective": "binary",
    "num_leaves": 20,
    "learning_rate": 0.05,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "seed": SEED,
    "verbosity": -1,
}
CLAIM_ROUNDS = 260
PIECE = {**CLAIM, "num_leaves": 16, "learning_rate": 0.08, "min_data_in_leaf": 200}
PIECE_ROUNDS = 90


def boosted(x: Array, y: Array, weight: Array | None, params: dict, rounds: int) -> lgb.Booster:
    """Fit boosted trees, the same ones every time."""
    return lgb.train(params, lgb.Dataset(x, y, weight=weight), num_boost_round=rounds)


def out_of_fold(
    x: Array, y: Array, weight: Array | None, fold: Array, params: dict, rounds: int
) -> Array:
    """Give every row the margin of a model that has not seen its fold."""
    margin = np.zeros(len(y))
    for one in np.unique(fold):
        held = fold == one
        model = boosted(
            x[~held], y[~held], None if weight is None else weight[~held], params, rounds
        )
        margin[held] = model.predict(x[held], raw_score=True)
    return margin


def logistic(x: Array, y: Array, weight: Array, ridge: float = 1e-3) -> Array:
    """Fit weighted logistic regression by Newton's method; the intercept comes last."""
    x = np.column_stack([x, np.ones(len(x))])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (weight * (p - y)) + ridge * beta
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + ridge * np.eye(len(beta))
        step = np.linalg.solve(hessian, gradient)
        beta -= step
        if np.abs(step).max() < 1e-8:
            break
    return beta


def prior_weights(task: Array, label: Array) -> Array:
    """Weigh answers so that each task is a third and has the test split's share of failures."""
    weight = np.zeros(len(label))
    for name, share in TEST_PRIOR.items():
        for value, part in ((True, share), (False, 1 - share)):
            cell = (task == name) & (label == value)
            if cell.any():
                weight[cell] = part / len(TEST_PRIOR) / cell.sum()
    return weight * len(label)


def f1(flag: Array, label: Array, weight: Array) -> tuple[float, float, float]:
    """Weighted precision, recall and F1 of the hallucinated class."""
    hit = weight[flag & label].sum()
    precision = hit / max(weight[flag].sum(), 1e-12)
    recall = hit / max(weight[label].sum(), 1e-12)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-12)


def best_threshold(score: Array, label: Array, weight: Array) -> float:
    """The threshold with the best weighted F1."""
    grid = np.unique(np.round(np.quantile(score, np.linspace(0.01, 0.99, 197)), 4))
    return float(max(grid, key=lambda t: f1(score >= t, label, weight)[2]))


def auc(score: Array, label: Array, weight: Array | None = None) -> float:
    """Weighted area under the ROC curve, ties counted half."""
    if not len(label):
        return float("nan")
    weight = np.ones(len(label)) if weight is None else weight
    order = np.argsort(score, kind="mergesort")
    score, label, weight = score[order], label[order].astype(bool), weight[order]
    negative = np.where(label, 0.0, weight)
    positive = np.where(label, weight, 0.0)
    edges = np.flatnonzero(np.r_[True, score[1:] != score[:-1]])
    n, p = np.add.reduceat(negative, edges), np.add.reduceat(positive, edges)
    below = np.cumsum(n) - n
    return float((p * (below + n / 2)).sum() / max(n.sum() * p.sum(), 1e-12))


def export(model: lgb.Booster, features: list[str], calibration: tuple[float, float]) -> dict:
    """Write a booster as plain lists: inner nodes, and leaves as negative numbers."""
    return {
        "features": features,
        "calibration": [round(float(c), 6) for c in calibration],
        "trees": [_tree(t["tree_structure"]) for t in model.dump_model()["tree_info"]],
    }


def _tree(root: dict) -> dict:
    out: dict[str, list] = {"f": [], "t": [], "l": [], "r": [], "v": []}

    def walk(node: dict) -> int:
        if "leaf_value" in node:
            out["v"].append(round(float(node["leaf_value"]), 5))
            return -len(out["v"])
        at = len(out["f"])
        out["f"].append(int(node["split_feature"]))
        out["t"].append(float(f"{node['threshold']:.6g}"))
        out["l"].append(0)
        out["r"].append(0)
        out["l"][at] = walk(node["left_child"])
        out["r"][at] = walk(node["right_child"])
        return at

    walk(root)
    return out
