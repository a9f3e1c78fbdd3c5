"""Fit fusion, calibration and thresholds, and write meta.json: `python -m training.fuse`.

It reads the `fuse` slice and never looks at `dev`, whose figures a stranger would get too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from firmground.verify.forest import read_forest
from firmground.verify.neural import token_scores, worst_word
from firmground.verify.neural_features import FEATURES
from firmground.verify.neural_spans import problems
from firmground.verify.trees import logit
from training import corpus, metrics
from training.held_pairs import scored_pairs
from training.paths import MODEL_DIR, state_dir
from training.prep import PAIR_ROWS
from training.scoring import ScoredClaim, ScoredResponse, risk_row, score_all, table

FOLDS = 5
# What the limit of claims may cost in F1 here, so that it flags more where more is unsupported.
LENIENCE = 0.007
# Sizes of claim and source tell data sets apart more than claims; see EXPERIMENTS.md.
DROPPED = frozenset(("tokens", "record", "units_log", "shown", "coverage", "coverage_best"))
# These mean the same everywhere; a line over them alone travels further than one over everything.
PLAIN = frozenset(("claim_ungrounded", "claim_contradicted", "lexical"))
# Rows of each pair set that join the fit of claims, and what they weigh beside RAGTruth: little,
# but RAGTruth alone teaches that a claim whose every word is in the source stands.
FITTED = 200
PAIRS_WEIGHT = 0.03
Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Extra:
    """Claims from elsewhere that join a fit; their weights sum to 1."""

    rows: Array
    truth: Array
    weights: Array

    def columns(self, kept: list[int]) -> Extra:
        return replace(self, rows=self.rows[:, kept])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--directory", type=Path, default=MODEL_DIR)
    parser.add_argument("--cache", default="main")
    parser.add_argument("--limit", type=int, default=0)
    chosen = parser.parse_args()
    responses = corpus.sample(list(corpus.responses("fuse")), chosen.limit)
    cache = state_dir() / "scores" / chosen.cache / ("fuse" + str(chosen.limit or ""))
    scored = score_all(responses, chosen.directory, cache, workers=os.cpu_count() or 1)
    meta = fit(scored, _extra(chosen.directory, cache.parent))
    meta["sha256"] = {
        name: hashlib.sha256((chosen.directory / name).read_bytes()).hexdigest()
        for name in ("model.onnx", "tokenizer.json")
    }
    (chosen.directory / "meta.json").write_text(json.dumps(meta, separators=(",", ":")))
    print(json.dumps({**meta["thresholds"], **meta["cross_fitted"]}, indent=1))


def _extra(directory: Path, kept: Path) -> Extra:
    """Score rows of the pair sets, or read them where the same weights scored them before."""
    digest = hashlib.sha256((directory / "model.onnx").read_bytes()).hexdigest()[:16]
    path = kept / f"pairs-{FITTED}-{digest}.pickle"
    if not path.exists():
        found = {name: scored_pairs(name, FITTED, directory=directory) for name in PAIR_ROWS}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(found))
    sets = list(pickle.loads(path.read_bytes()).values())
    flat = [(pair, 1 / len(group) / len(sets)) for group in sets for pair in group]
    return Extra(
        np.array([(*pair.features, pair.words) for pair, _ in flat]),
        np.array([pair.wrong for pair, _ in flat]),
        np.array([weight for _, weight in flat]),
    )


def fit(scored: list[ScoredResponse], extra: Extra) -> dict[str, Any]:
    """Fit everything that stands beside the weights."""
    scored = [s for s in scored if s.claims]
    rows, lexical, owner, truth = table(scored)
    groups = np.array([s.response.source_id for s in scored])
    bad = np.array([s.response.hallucinated for s in scored])
    weights = metrics.prior_weights([s.response.task for s in scored], bad)
    own = list(range(len(FEATURES)))
    claim_model, alone = _claims(
        FEATURES, rows, truth, groups[owner], weights[owner], extra.columns(own)
    )
    both = np.column_stack([rows, [logit(1 - value) for value in lexical]])
    names = (*FEATURES, "lexical")
    fused_model, risks = _claims(names, both, truth, groups[owner], weights[owner], extra)
    sure_threshold, best_f1 = metrics.best_threshold(truth, risks, weights[owner])
    claim_threshold, claim_f1 = metrics.lowest_threshold(
        truth, risks, weights[owner], loss=LENIENCE
    )
    answers = np.array(
        [risk_row(s, risks[owner == at].tolist(), claim_threshold) for at, s in enumerate(scored)]
    )
    risk_model, answer_risks = _answers(answers, bad, groups, weights)
    answer_threshold, answer_f1 = metrics.best_threshold(bad, answer_risks, weights)
    depth = (risks >= claim_threshold).astype(int) + (risks >= sure_threshold)
    token, span = _spans(scored, depth, owner, weights)
    return {
        "version": 1,
        "claim": claim_model,
        "fused": fused_model,
        "risk": {**risk_model, "flag_from": round(answer_threshold, 4)},
        "thresholds": {
            "claim": round(claim_threshold, 4), "sure": round(sure_threshold, 4), "token": token,
        },
        "cross_fitted": {
            "claims": len(truth), "answers": len(scored),
            "claim_auc_lexical": metrics.auc(truth, -lexical),
            "claim_auc_neural": metrics.auc(truth, alone), "claim_auc": metrics.auc(truth, risks),
            "claim_f1": claim_f1, "claim_f1_best": best_f1, "answer_f1": answer_f1,
            "answer_auc": metrics.auc(bad, answer_risks, weights), "span_f1": span,
            "ece_claim": metrics.calibration_error(truth, risks, weights[owner]),
            "ece_answer": metrics.calibration_error(bad, answer_risks, weights),
        },
    }  # fmt: skip


def _claims(
    names: tuple[str, ...], rows: Array, truth: Array, groups: Array, weights: Array, extra: Extra
) -> tuple[dict[str, Any], Array]:
    """Fit trees and a line on most features, a line on few, and calibrate their mean log-odds.

    Calibration sees RAGTruth alone.
    """
    wide = [at for at, name in enumerate(names) if name not in DROPPED]
    few = [at for at, name in enumerate(names) if name in PLAIN]
    parts = ((_boosted, wide), (_line, wide), (_line, few))
    logits = np.mean(
        [
            _cross_fit(make, rows[:, kept], truth, groups, weights, extra.columns(kept))
            for make, kept in parts
        ],
        axis=0,
    )
    slope, shift = _platt(logits, truth, weights)
    fitted = [
        _fit(make(), *_joined(rows[:, kept], truth, weights, extra.columns(kept)))
        for make, kept in parts
    ]
    trees = _trees(fitted[0], names, wide, share=1 / len(parts))
    spread, base = np.zeros(len(names)), trees["base"]
    for line, (_, kept) in zip(fitted[1:], parts[1:], strict=True):
        pure, constant = _plain(line)
        spread[kept] += pure / len(parts)
        base += constant / len(parts)
    model = {
        **trees,
        "base": base,
        "weights": [float(f"{w:.6g}") for w in spread],
        "slope": slope,
        "shift": shift,
    }
    mean = np.mean(
        [m.decision_function(rows[:50, kept]) for m, (_, kept) in zip(fitted, parts, strict=True)],
        axis=0,
    )
    told = [read_forest(model).logit(row) for row in rows[:50]]
    assert np.allclose(told, slope * mean + shift, atol=1e-3), "written is not what was fitted"
    return model, _sigmoid(slope * logits + shift)


def _boosted() -> GradientBoostingClassifier:
    return GradientBoostingClassifier(
        n_estimators=80, max_depth=3, learning_rate=0.06, subsample=0.7, min_samples_leaf=40,
        max_features=0.4, random_state=1,
    )  # fmt: skip


def _line() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=3000))


def _plain(model: Any) -> tuple[Array, float]:
    """Undo the scaling of a fitted line: weights for raw features, and the constant."""
    scale, linear = model[0], model[1]
    pure = linear.coef_[0] / scale.scale_
    return pure, float(linear.intercept_[0] - (pure * scale.mean_).sum())


def _answers(
    rows: Array, truth: Array, groups: Array, weights: Array
) -> tuple[dict[str, Any], Array]:
    logits = _cross_fit(_line, rows, truth, groups, weights)
    slope, shift = _platt(logits, truth, weights)
    pure, base = _plain(_fit(_line(), rows, truth, weights))
    found = {
        "coefficients": [round(float(slope * w), 6) for w in pure],
        "intercept": round(slope * base + shift, 6),
    }
    return found, _sigmoid(slope * logits + shift)


def _fit(model: Any, rows: Array, truth: Array, weights: Array) -> Any:
    if hasattr(model, "steps"):
        return model.fit(rows, truth, **{f"{model.steps[-1][0]}__sample_weight": weights})
    return model.fit(rows, truth, sample_weight=weights)


def _cross_fit(
    make: Any,
    rows: Array,
    truth: Array,
    groups: Array,
    weights: Array,
    extra: Extra | None = None,
) -> Array:
    """Give every row the log-odds of a model that has not seen its source."""
    logits = np.zeros(len(rows))
    for train, held in GroupKFold(FOLDS).split(rows, truth, groups):
        seen = _joined(rows[train], truth[train], weights[train], extra)
        logits[held] = _fit(make(), *seen).decision_function(rows[held])
    return logits


def _joined(
    rows: Array, truth: Array, weights: Array, extra: Extra | None
) -> tuple[Array, Array, Array]:
    if extra is None:
        return rows, truth, weights
    light = PAIRS_WEIGHT * weights.sum() * extra.weights
    return (
        np.vstack([rows, extra.rows]),
        np.concatenate([truth, extra.truth]),
        np.concatenate([weights, light]),
    )


def _platt(logits: Array, truth: Array, weights: Array) -> tuple[float, float]:
    line = LogisticRegression(C=1e6).fit(logits[:, None], truth, sample_weight=weights)
    return float(line.coef_[0, 0]), float(line.intercept_[0])


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _trees(
    model: GradientBoostingClassifier, names: tuple[str, ...], kept: list[int], *, share: float
) -> dict[str, Any]:
    """Write boosted trees as plain lists over all names, at this share of their weight."""
    places = np.array(kept)
    prior = model.init_.class_prior_[1]
    trees = []
    for estimator in model.estimators_[:, 0]:
        tree = estimator.tree_
        leaf = tree.children_left < 0
        value = tree.value[:, 0, 0] * model.learning_rate * share
        trees.append(
            {
                "feature": np.where(leaf, -1, places[np.maximum(tree.feature, 0)]).tolist(),
                "threshold": [float(f"{t:.6g}") for t in tree.threshold],
                "left": tree.children_left.tolist(),
                "right": tree.children_right.tolist(),
                "value": [float(f"{v:.6g}") for v in value],
            }
        )
    base = share * float(np.log(prior / (1 - prior)))
    return {"names": list(names), "base": base, "trees": trees}


def _spans(
    scored: list[ScoredResponse], depth: Array, owner: Array, weights: Array
) -> tuple[float, float]:
    """Choose how sure a token must be for a piece of a fallen claim to be marked.

    `depth` is 0 for claims that stand, 1 for those marked at their worst word, 2 for the rest.
    """
    best = (0.5, 0.0)
    for token in (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7):
        counts = []
        for at, s in enumerate(scored):
            found: list[tuple[int, int]] = []
            for deep, claim in zip(depth[owner == at], s.claims, strict=True):
                if deep:
                    group = _pieces(s, claim, token if deep == 2 else None)
                    found += group or [(claim.start, claim.end)]
            counts.append(metrics.overlap([x[:2] for x in s.response.problems], found))
        value = metrics.span_f1(np.array(counts), weights)
        if value > best[1]:
            best = (token, value)
    return best


def _pieces(
    scored: ScoredResponse, claim: ScoredClaim, threshold: float | None
) -> list[tuple[int, int]]:
    text = scored.response.text[claim.start : claim.end]
    if threshold is None:
        marks, words = worst_word(text, claim.raw), []
    else:
        marks = problems(text, token_scores(claim.raw), threshold=threshold)
        words = [piece[:2] for piece in claim.lexical_pieces]
    return [(p.start + claim.start, p.end + claim.start) for p in marks] + words


if __name__ == "__main__":
    main()
