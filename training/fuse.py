"""Fit fusion, calibration and thresholds, and write meta.json: `python -m training.fuse`.

It reads the `fuse` slice and never looks at `dev`, whose figures a stranger would get too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from firmground.verify.builtin import joined_row
from firmground.verify.forest import LogitForest, read_forest
from firmground.verify.neural import token_scores, worst_word
from firmground.verify.neural_features import FEATURES
from firmground.verify.neural_meta import FUSED_FEATURES
from firmground.verify.neural_spans import problems
from training import corpus, everyday, metrics
from training.held_pairs import Pair, scored_pairs
from training.paths import MODEL_DIR, state_dir
from training.prep import PAIR_ROWS
from training.scoring import ScoredClaim, ScoredResponse, Table, risk_row, score_all, table

FOLDS = 5
# Sizes of claim and source tell data sets apart more than claims; see EXPERIMENTS.md.
DROPPED = frozenset("tokens record units_log shown coverage coverage_best".split())
# These mean the same everywhere; a line over them alone travels further than one over everything.
PLAIN = frozenset(("claim_ungrounded", "claim_contradicted", "lexical", "aligned"))
# What each distribution weighs in the fit.
SHARES = {"ragtruth": 0.4, "everyday": 0.45, "pairs": 0.15}
PAIRS_EACH = 80
Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Rows:
    """Claims to fit on, of one or several distributions."""

    rows: Array
    truth: Array
    weights: Array
    groups: Array
    part: Array

    def of(self, name: str) -> Array:
        return self.part == name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--directory", type=Path, default=MODEL_DIR)
    parser.add_argument("--cache", default="main")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--refresh", action="store_true", help="redo checks and lexical scores")
    parser.add_argument(
        "--unseen",
        nargs="*",
        default=[],
        help="batches of the training split that these weights were not trained on",
    )
    parser.add_argument("--aligned", type=Path, default=state_dir() / "aligned.json")
    chosen = parser.parse_args()
    responses = corpus.sample(list(corpus.responses("fuse")), chosen.limit)
    cache = state_dir() / "scores" / chosen.cache / ("fuse" + str(chosen.limit or ""))
    workers = len(os.sched_getaffinity(0))
    scored = score_all(responses, chosen.directory, cache, refresh=chosen.refresh, workers=workers)
    own = [*everyday.responses("val"), *everyday.responses("train", chosen.unseen)]
    held = score_all(
        [r for r, _ in own],
        chosen.directory,
        cache.parent / "val",
        refresh=chosen.refresh,
        workers=workers,
    )
    wording = [row["wording"] for _, row in own]
    aligned = json.loads(chosen.aligned.read_text())
    meta = fit(scored, held, wording, _pairs(chosen.directory, cache.parent), aligned)
    meta["sha256"] = {
        name: hashlib.sha256((chosen.directory / name).read_bytes()).hexdigest()
        for name in ("model.onnx", "tokenizer.json")
    }
    (chosen.directory / "meta.json").write_text(json.dumps(meta, separators=(",", ":")))
    print(json.dumps({**meta["thresholds"], **meta["cross_fitted"]}, indent=1))


def _pairs(directory: Path, kept: Path) -> list[Pair]:
    """Score rows of the pair sets, or read them where the same weights scored them before."""
    digest = hashlib.sha256((directory / "model.onnx").read_bytes()).hexdigest()[:16]
    path = kept / f"pairs-{PAIRS_EACH}-{digest}.pickle"
    if not path.exists():
        found = [
            pair
            for name in PAIR_ROWS
            for pair in scored_pairs(name, PAIRS_EACH, first=PAIRS_EACH * 3, directory=directory)
        ]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(found))
    pairs: list[Pair] = pickle.loads(path.read_bytes())
    return pairs


def fit(
    scored: list[ScoredResponse],
    held: list[ScoredResponse],
    wording: list[str],
    pairs: list[Pair],
    aligned: dict[str, Any],
) -> dict[str, Any]:
    """Fit everything that stands beside the weights."""
    scored = [s for s in scored if s.claims]
    kept = [at for at, s in enumerate(held) if s.claims]
    held, close = [held[at] for at in kept], np.array([wording[at] == "close" for at in kept])
    rag, own = table(scored), table(held)
    bad = np.array([s.response.hallucinated for s in scored])
    weights = metrics.prior_weights([s.response.task for s in scored], bad)
    both = _joined(scored, rag, weights, held, own, pairs, read_forest(aligned))
    few = Rows(both.rows[:, : len(FEATURES)], both.truth, both.weights, both.groups, both.part)
    claim_model, alone = _claims(FEATURES, few)
    fused_model, risks = _claims(FUSED_FEATURES, both)
    mine = risks[both.of("ragtruth")]
    theirs = risks[both.of("everyday")]
    own_bad = np.array([s.response.hallucinated for s in held])
    own_worst = np.array([theirs[own.owner == at].max() for at in range(len(held))])
    rag_worst = np.array([mine[rag.owner == at].max() for at in range(len(scored))])
    # People check whole answers, so the limits are chosen on those.
    whole = np.array([s.response.task == "answer" for s in held])
    claim_threshold = _operating_point(
        rag_worst, bad, weights, own_worst[whole], own_bad[whole], close[whole]
    )
    sure_threshold = max(
        claim_threshold, metrics.best_threshold(rag.truth, mine, weights[rag.owner])[0]
    )
    answers = np.array(
        [
            risk_row(s, mine[rag.owner == at].tolist(), claim_threshold)
            for at, s in enumerate(scored)
        ]
    )
    own_answers = np.array(
        [
            risk_row(s, theirs[own.owner == at].tolist(), claim_threshold)
            for at, s in enumerate(held)
        ]
    )
    groups = np.array([s.response.source_id for s in scored])
    own_groups = np.array([s.response.source_id for s in held])
    answer_weights = np.concatenate(
        [weights / weights.sum(), np.full(len(held), 1 / len(held))]
    ) * (len(scored) + len(held))
    risk_model, answer_risks = _answers(
        np.vstack([answers, own_answers]), np.concatenate([bad, own_bad]),
        np.concatenate([groups, own_groups]), answer_weights,
    )  # fmt: skip
    rag_risk, own_risk = answer_risks[: len(scored)], answer_risks[len(scored) :]
    answer_threshold = _operating_point(
        rag_risk, bad, weights, own_risk[whole], own_bad[whole], close[whole]
    )
    depth = (mine >= claim_threshold).astype(int) + (mine >= sure_threshold)
    token, span = _spans(scored, depth, rag.owner, weights)
    apart = own_bad == close
    return {
        "version": 2,
        "claim": claim_model,
        "aligned": aligned,
        "fused": fused_model,
        "risk": {**risk_model, "flag_from": round(answer_threshold, 4)},
        "thresholds": {
            "claim": round(claim_threshold, 4), "sure": round(sure_threshold, 4), "token": token,
        },
        "cross_fitted": {
            "claims": len(rag.truth), "answers": len(scored), "everyday": len(held),
            "ragtruth_claim_auc_lexical": metrics.auc(rag.truth, rag.lexical),
            "ragtruth_claim_auc_neural": metrics.auc(rag.truth, alone[both.of("ragtruth")]),
            "ragtruth_claim_auc": metrics.auc(rag.truth, mine),
            "ragtruth_answer_f1": metrics.f1(bad, rag_risk >= answer_threshold, weights)[2],
            "ragtruth_answer_f1_best": metrics.best_threshold(bad, rag_risk, weights)[1],
            "ragtruth_answer_f1_claims": metrics.f1(bad, rag_worst >= claim_threshold, weights)[2],
            "ragtruth_span_f1": span,
            "everyday_auc": metrics.auc(own_bad, own_worst),
            "everyday_auc_apart": metrics.auc(own_bad[apart], own_worst[apart]),
            "everyday_auc_together": metrics.auc(own_bad[~apart], own_worst[~apart]),
            "everyday_cells": _cells(own_worst >= claim_threshold, own_bad, close),
            "everyday_answers": _cells(
                own_worst[whole] >= claim_threshold, own_bad[whole], close[whole]
            ),
            "pairs_auc": metrics.auc(both.truth[both.of("pairs")], risks[both.of("pairs")]),
            "ece_claim": metrics.calibration_error(rag.truth, mine, weights[rag.owner]),
        },
    }  # fmt: skip


def _joined(
    scored: list[ScoredResponse],
    rag: Table,
    weights: Array,
    held: list[ScoredResponse],
    own: Table,
    pairs: list[Pair],
    aligned: LogitForest,
) -> Rows:
    """Put the three distributions together, each with its share of the weight."""
    truth = np.array([pair.wrong for pair in pairs])
    parts = [
        (_fused(rag, aligned), rag.truth, weights[rag.owner],
         [scored[at].response.source_id for at in rag.owner], "ragtruth"),
        (_fused(own, aligned), own.truth, _level(own.truth),
         [held[at].response.source_id for at in own.owner], "everyday"),
        (np.array([
            joined_row(p.features, p.words, aligned.logit(p.aligned), p.aligned, p.codes)
            for p in pairs
        ]), truth, _level(truth), [f"pair{at}" for at in range(len(pairs))], "pairs"),
    ]  # fmt: skip
    total = sum(len(part[1]) for part in parts)
    return Rows(
        rows=np.vstack([part[0] for part in parts]),
        truth=np.concatenate([part[1] for part in parts]),
        weights=np.concatenate([total * SHARES[p[4]] * p[2] / p[2].sum() for p in parts]),
        groups=np.concatenate([part[3] for part in parts]),
        part=np.concatenate([[part[4]] * len(part[1]) for part in parts]),
    )


def _fused(found: Table, aligned: LogitForest) -> Array:
    return np.array(
        [
            joined_row(read, lexical, aligned.logit(line), line, codes)
            for read, lexical, line, codes in zip(
                found.rows, found.lexical, found.aligned, found.codes, strict=True
            )
        ]
    )


def _level(truth: Array) -> Array:
    """Let right and wrong ones weigh alike."""
    return np.where(truth, 1 / max(truth.sum(), 1), 1 / max((~truth).sum(), 1))


def _operating_point(
    rag: Array, bad: Array, weights: Array, own: Array, own_bad: Array, close: Array
) -> float:
    """The limit with the best mean of RAGTruth's F1 and the four cells of the everyday corpus."""
    grid = np.unique(np.quantile(np.concatenate([rag, own]), np.linspace(0.02, 0.98, 193)))
    values = [
        metrics.f1(bad, rag >= at, weights)[2] + float(np.mean(_cells(own >= at, own_bad, close)))
        for at in grid
    ]
    return float(grid[int(np.argmax(values))])


def _cells(flagged: Array, bad: Array, close: Array) -> list[float]:
    """Share judged rightly: true close, true anew, false close, false anew."""
    return [
        round(float((flagged[(bad == b) & (close == c)] == b).mean()), 4)
        for b in (False, True)
        for c in (True, False)
    ]


def _claims(names: tuple[str, ...], data: Rows) -> tuple[dict[str, Any], Array]:
    """Fit trees and a line on most features, a line on few, and calibrate their mean log-odds."""
    wide = [at for at, name in enumerate(names) if name not in DROPPED]
    few = [at for at, name in enumerate(names) if name in PLAIN]
    parts = ((_boosted, wide), (_line, wide), (_line, few))
    logits = np.mean([_cross_fit(make, data, kept) for make, kept in parts], axis=0)
    slope, shift = _platt(logits, data.truth, data.weights)
    fitted = [_fit(make(), data.rows[:, kept], data.truth, data.weights) for make, kept in parts]
    trees = tree_lists(fitted[0], names, wide, share=1 / len(parts))
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
    some = data.rows[:50]
    mean = np.mean(
        [m.decision_function(some[:, kept]) for m, (_, kept) in zip(fitted, parts, strict=True)],
        axis=0,
    )
    told = [read_forest(model).logit(row) for row in some]
    assert np.allclose(told, slope * mean + shift, atol=2e-3), "written is not what was fitted"
    return model, _sigmoid(slope * logits + shift)


def _boosted() -> GradientBoostingClassifier:
    return GradientBoostingClassifier(
        n_estimators=140, max_depth=4, learning_rate=0.06, subsample=0.7, min_samples_leaf=40,
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
    data = Rows(rows, truth, weights, groups, np.full(len(truth), ""))
    logits = _cross_fit(_line, data, list(range(rows.shape[1])))
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


def _cross_fit(make: Any, data: Rows, kept: list[int]) -> Array:
    """Give every row the log-odds of a model that has not seen its source."""
    logits = np.zeros(len(data.rows))
    rows = data.rows[:, kept]
    for train, held in GroupKFold(FOLDS).split(rows, data.truth, data.groups):
        model = _fit(make(), rows[train], data.truth[train], data.weights[train])
        logits[held] = model.decision_function(rows[held])
    return logits


def _platt(logits: Array, truth: Array, weights: Array) -> tuple[float, float]:
    line = LogisticRegression(C=1e6).fit(logits[:, None], truth, sample_weight=weights)
    return float(line.coef_[0, 0]), float(line.intercept_[0])


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def tree_lists(
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
                    group = _pieces(claim, token if deep == 2 else None)
                    found += group or [(claim.start, claim.end)]
            counts.append(metrics.overlap([x[:2] for x in s.response.problems], found))
        value = metrics.span_f1(np.array(counts), weights)
        if value > best[1]:
            best = (token, value)
    return best


def _pieces(claim: ScoredClaim, threshold: float | None) -> list[tuple[int, int]]:
    text = claim.claim.statement
    if threshold is None:
        marks, words = worst_word(text, claim.raw), []
    else:
        marks = problems(text, token_scores(claim.raw), threshold=threshold)
        words = [piece[:2] for piece in claim.lexical_pieces]
    return [claim.claim.locate(a, b) for a, b in [*((p.start, p.end) for p in marks), *words]]


if __name__ == "__main__":
    main()
