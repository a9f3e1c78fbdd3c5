"""Figures: F1 at the test prior, AUC, span overlap, calibration, intervals over sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from training.corpus import TEST_RATES

Array = np.ndarray


def prior_weights(task: Sequence[str], truth: Array) -> Array:
    """Weigh responses to tasks of equal size with the test split's hallucination rates."""
    names = np.asarray(task)
    weights = np.zeros(len(names))
    for name, rate in TEST_RATES.items():
        for value, share in ((True, rate), (False, 1 - rate)):
            part = (names == name) & (truth == value)
            if part.any():
                weights[part] = share / 3 / part.sum()
    return weights * len(names)


def f1(truth: Array, flagged: Array, weights: Array) -> tuple[float, float, float]:
    """Give precision, recall and F1 of the flagged, all weighted."""
    hit = weights[truth & flagged].sum()
    precision = hit / max(weights[flagged].sum(), 1e-9)
    recall = hit / max(weights[truth].sum(), 1e-9)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def best_threshold(truth: Array, scores: Array, weights: Array) -> tuple[float, float]:
    """Give the threshold with the highest weighted F1, and that F1."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(weights[order] * truth[order])
    flagged = np.cumsum(weights[order])
    values = 2 * hits / (flagged + weights[truth].sum())
    at = int(values.argmax())
    after = scores[order[at + 1]] if at + 1 < len(order) else scores[order[at]]
    return float((scores[order[at]] + after) / 2), float(values[at])


def lowest_threshold(
    truth: Array, scores: Array, weights: Array, *, loss: float
) -> tuple[float, float]:
    """Give the lowest threshold whose weighted F1 is within `loss` of the best, and its F1."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(weights[order] * truth[order])
    flagged = np.cumsum(weights[order])
    values = 2 * hits / (flagged + weights[truth].sum())
    at = int(np.flatnonzero(values >= values.max() - loss)[-1])
    return float(scores[order[at]]), float(values[at])


def auc(truth: Array, scores: Array, weights: Array | None = None) -> float:
    """Give the chance that a bad one scores above a good one, ties counting half."""
    w = np.ones(len(scores)) if weights is None else weights
    order = np.argsort(scores, kind="stable")
    s, t, w = scores[order], truth[order], w[order]
    edges = np.flatnonzero(np.diff(s)) + 1
    bad = np.add.reduceat(w * t, np.r_[0, edges])
    good = np.add.reduceat(w * ~t, np.r_[0, edges])
    below = np.cumsum(good) - good
    total = bad.sum() * good.sum()
    return float((bad * (below + good / 2)).sum() / total) if total else float("nan")


def balanced_accuracy(truth: Array, flagged: Array) -> float:
    """Give the mean of recall on the bad and on the good."""
    return float((flagged[truth].mean() + (~flagged[~truth]).mean()) / 2)


def calibration_error(truth: Array, scores: Array, weights: Array, bins: int = 10) -> float:
    """Give the expected calibration error over equally filled bins."""
    order = np.argsort(scores, kind="stable")
    error = 0.0
    for part in np.array_split(order, bins):
        w = weights[part]
        gap = np.average(truth[part], weights=w) - np.average(scores[part], weights=w)
        error += abs(gap) * w.sum()
    return float(error / weights.sum())


def bootstrap(
    groups: Sequence[str], figure: Callable[[Array], float], *, rounds: int = 400, seed: int = 7
) -> tuple[float, float]:
    """Give the 95 % interval of a figure over resampled sources; `figure` takes row positions."""
    names, index = np.unique(np.asarray(groups), return_inverse=True)
    members = np.split(np.argsort(index, kind="stable"), np.cumsum(np.bincount(index))[:-1])
    dice = np.random.default_rng(seed)
    values = []
    for _ in range(rounds):
        chosen = dice.integers(0, len(names), len(names))
        values.append(figure(np.concatenate([members[i] for i in chosen])))
    return float(np.nanpercentile(values, 2.5)), float(np.nanpercentile(values, 97.5))


def overlap(
    gold: Sequence[tuple[int, int]], found: Sequence[tuple[int, int]]
) -> tuple[int, int, int]:
    """Count characters in both, in gold, and in found."""
    first = {at for start, end in gold for at in range(start, end)}
    second = {at for start, end in found for at in range(start, end)}
    return len(first & second), len(first), len(second)


def span_f1(counts: Array, weights: Array) -> float:
    """Give the character F1 from rows of `overlap`, weighted."""
    both, gold, found = (counts * weights[:, None]).sum(0)
    return float(2 * both / max(gold + found, 1e-9))
