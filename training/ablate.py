"""Variants of fusion and calibration on the folds of `fuse`: `python -m training.ablate`.

Reads what `python -m training.score fuse` kept; `dev` is never looked at. Prints one line for each
variant: claim AUC, claim F1 at its best threshold, log loss and calibration error of claims at the
test prior, and for answers AUC and F1 by a fixed way of adding claims up.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from firmground.verify.neural import token_scores
from firmground.verify.neural_features import FEATURES
from firmground.verify.neural_spans import problems
from firmground.verify.trees import logit
from training import corpus, metrics
from training.fuse import FOLDS, _boosted, _cross_fit, _line, _platt, _sigmoid
from training.paths import MODEL_DIR, state_dir
from training.scoring import ScoredResponse, score_all, table

Array = np.ndarray
GROUPS = {
    "the model's outputs": FEATURES[:8],
    "which words are absent": FEATURES[8:16],
    "sizes and coverage": FEATURES[16:22],
    "form of the claim": FEATURES[22:],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", default="main")
    chosen = parser.parse_args()
    cache = state_dir() / "scores" / chosen.cache / "fuse"
    responses = list(corpus.responses("fuse"))
    scored = score_all(responses, MODEL_DIR, cache, workers=os.cpu_count() or 1)
    scored = [s for s in scored if s.claims]
    slice_ = Slice(scored)
    fusion(slice_)
    calibration(slice_)
    aggregation(slice_)
    spans(slice_)


class Slice:
    """The `fuse` slice as arrays."""

    def __init__(self, scored: list[ScoredResponse]) -> None:
        self.scored = scored
        self.rows, self.lexical, self.owner, self.truth = table(scored)
        self.tasks = np.array([s.response.task for s in scored])
        self.groups = np.array([s.response.source_id for s in scored])
        self.bad = np.array([s.response.hallucinated for s in scored])
        self.weights = metrics.prior_weights(self.tasks.tolist(), self.bad)
        self.words = np.array([logit(1 - value) for value in self.lexical])
        self.both = np.column_stack([self.rows, self.words])
        self.base = self.fitted(self.both)

    def fitted(self, rows: Array, makers: Sequence[Any] = (_boosted, _line)) -> Array:
        """Give every claim the mean log-odds of models that have not seen its source."""
        of = self.owner
        found = [
            _cross_fit(make, rows, self.truth, self.groups[of], self.weights[of]) for make in makers
        ]
        return np.mean(found, axis=0)

    def calibrated(self, logits: Array) -> Array:
        """Bend log-odds by a straight line, as is shipped."""
        slope, shift = _platt(logits, self.truth, self.weights[self.owner])
        return _sigmoid(slope * logits + shift)

    def told(self, name: str, risks: Array) -> None:
        """Print a variant's figures over claims, and over answers by noisy-or."""
        w = self.weights[self.owner]
        clipped = np.clip(risks, 1e-6, 1 - 1e-6)
        loss = -np.average(np.where(self.truth, np.log(clipped), np.log(1 - clipped)), weights=w)
        answers = self.summed(risks, noisy_or)
        print(
            f"{name:52} claim AUC {metrics.auc(self.truth, risks):.4f} "
            f"F1 {metrics.best_threshold(self.truth, risks, w)[1]:.4f} loss {loss:.4f} "
            f"ECE {metrics.calibration_error(self.truth, risks, w):.4f} | answers AUC "
            f"{metrics.auc(self.bad, answers, self.weights):.4f} "
            f"F1 {metrics.best_threshold(self.bad, answers, self.weights)[1]:.4f}",
            flush=True,
        )

    def summed(self, risks: Array, how: Callable[[Array], float]) -> Array:
        """Add each answer's claims up."""
        return np.array([how(risks[self.owner == at]) for at in range(len(self.scored))])


def noisy_or(risks: Array) -> float:
    """The chance that some claim fails, were they independent."""
    return float(1 - np.prod(1 - np.clip(risks, 0, 1 - 1e-6)))


def fusion(s: Slice) -> None:
    """Which scorers, which learner, which features."""
    print("# fusion")
    s.told("shipped: trees and line over both", s.calibrated(s.base))
    s.told("lexical alone", s.calibrated(s.words))
    s.told("model and its features alone", s.calibrated(s.fitted(s.rows)))
    s.told("both, trees alone", s.calibrated(s.fitted(s.both, [_boosted])))
    s.told("both, line alone", s.calibrated(s.fitted(s.both, [_line])))
    two = np.column_stack([s.rows[:, 0], s.rows[:, 1], s.words])
    s.told("line over the head's two log-odds and lexical", s.calibrated(s.fitted(two, [_line])))
    for name, group in GROUPS.items():
        kept = [at for at, one in enumerate((*FEATURES, "lexical")) if one not in group]
        s.told(f"without {name}", s.calibrated(s.fitted(s.both[:, kept])))
    task = np.stack([s.tasks[s.owner] == name for name in ("QA", "Summary")], axis=1)
    s.told("with the task as a feature (not known at run time)", s.calibrated(
        s.fitted(np.column_stack([s.both, task]))))  # fmt: skip


def calibration(s: Slice) -> None:
    """How log-odds become probabilities, over the same folds."""
    print("# calibration of the shipped fusion, each fold by the others")
    of, w = s.owner, s.weights[s.owner]
    line, steps, each = (np.zeros(len(s.base)) for _ in range(3))
    for train, held in GroupKFold(FOLDS).split(s.base, s.truth, s.groups[of]):
        slope, shift = _platt(s.base[train], s.truth[train], w[train])
        line[held] = _sigmoid(slope * s.base[held] + shift)
        stairs = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1)
        steps[held] = stairs.fit(s.base[train], s.truth[train], sample_weight=w[train]).predict(
            s.base[held]
        )
        for name in np.unique(s.tasks):
            mine, there = train[s.tasks[of[train]] == name], held[s.tasks[of[held]] == name]
            slope, shift = _platt(s.base[mine], s.truth[mine], w[mine])
            each[there] = _sigmoid(slope * s.base[there] + shift)
    s.told("straight line (shipped)", line)
    s.told("isotonic steps", steps)
    s.told("a line for each task (not known at run time)", each)


def aggregation(s: Slice) -> None:
    """How claims become an answer, without the vetoes."""
    print("# from claims to answers (no vetoes), best threshold on the slice")
    risks = s.calibrated(s.base)
    ways: dict[str, Callable[[Array], float]] = {
        "the worst claim": lambda r: float(r.max()),
        "noisy-or": noisy_or,
        "mean of the two worst": lambda r: float(np.sort(r)[-2:].mean()),
        "mean of the three worst": lambda r: float(np.sort(r)[-3:].mean()),
        "mean of all": lambda r: float(r.mean()),
        "noisy-or of squares": lambda r: noisy_or(r**2),
    }
    for name, how in ways.items():
        answers = s.summed(risks, how)
        print(
            f"{name:52} answers AUC {metrics.auc(s.bad, answers, s.weights):.4f} "
            f"F1 {metrics.best_threshold(s.bad, answers, s.weights)[1]:.4f}"
        )
    rows = np.array([_figures(risks[s.owner == at]) for at in range(len(s.scored))])
    for name, pull in (
        ("line over worst, second, noisy-or, mean, count", 0.05),
        ("the same, freer", 1.0),
    ):
        logits = np.zeros(len(rows))
        for train, held in GroupKFold(FOLDS).split(rows, s.bad, s.groups):
            model = LogisticRegression(C=pull, max_iter=2000)
            model.fit(rows[train], s.bad[train], sample_weight=s.weights[train])
            logits[held] = model.decision_function(rows[held])
        print(
            f"{name:52} answers AUC {metrics.auc(s.bad, logits, s.weights):.4f} "
            f"F1 {metrics.best_threshold(s.bad, logits, s.weights)[1]:.4f}"
        )


def _figures(risks: Array) -> list[float]:
    ranked = np.sort(risks)[::-1]
    second = ranked[1] if len(ranked) > 1 else 0.002
    return [logit(float(x)) for x in (ranked[0], second, noisy_or(risks), risks.mean())] + [
        float(np.log1p(len(risks)))
    ]


def spans(s: Slice) -> None:
    """Which tokens of a fallen claim are marked."""
    print("# spans: character F1 at the test prior")
    risks = s.calibrated(s.base)
    limit = metrics.best_threshold(s.truth, risks, s.weights[s.owner])[0]
    for bridge in (0, 2, 5):
        for token in (0.2, 0.3, 0.4, 0.5):
            value = _span(s, risks >= limit, token, bridge)
            print(f"token from {token}, bridging {bridge}: {value:.4f}")
    for lower in (0.6, 0.8, 1.25, 1.5):
        value = _span(s, risks >= limit * lower, 0.3, 2)
        print(f"claims from {lower} of the limit, token from 0.3: {value:.4f}")


def _span(s: Slice, fallen: Array, token: float, bridge: int) -> float:
    counts = []
    for at, one in enumerate(s.scored):
        found: list[tuple[int, int]] = []
        for fell, claim in zip(fallen[s.owner == at], one.claims, strict=True):
            if not fell:
                continue
            text = one.response.text[claim.start : claim.end]
            marks = problems(text, token_scores(claim.raw), threshold=token, bridge=bridge)
            pieces = [(p.start + claim.start, p.end + claim.start) for p in marks]
            pieces += [piece[:2] for piece in claim.lexical_pieces]
            found += pieces or [(claim.start, claim.end)]
        counts.append(metrics.overlap([x[:2] for x in one.response.problems], found))
    return metrics.span_f1(np.array(counts), s.weights)


if __name__ == "__main__":
    main()
