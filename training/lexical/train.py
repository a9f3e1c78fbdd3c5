"""Trains the lexical scorer from measured claims and writes the weights the package ships.

    python -m training.lexical.measure --output scratch/ragtruth.npz
    python -m training.lexical.train --figures scratch/ragtruth.npz \
        --output src/firmground/verify/weights/lexical.json

Same figures, same seed, same file. Needs numpy and lightgbm (training/lexical/requirements.txt).
"""

# ruff: noqa: E501 - printed lines
from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from firmground.verify.resolve import CONTRADICTED_CAP, VETOED_CAP
from firmground.verify.risk import risk_features
from training.lexical.data import fold_of
from training.lexical.fit import (
    CLAIM,
    CLAIM_ROUNDS,
    PIECE,
    PIECE_ROUNDS,
    auc,
    best_threshold,
    boosted,
    export,
    f1,
    logistic,
    out_of_fold,
    prior_weights,
)

FOLDS = 5
# Word weights smaller than this are left out of the file.
WORD_FROM = 0.03


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", type=Path, required=True)
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    d = dict(np.load(args.figures))
    claims, x = d["claims"], d["features"].astype(np.float64)
    owner, y = claims[:, 0], claims[:, 3].astype(bool)
    split = d["split"][owner]
    fold = np.array([fold_of(s, FOLDS) for s in d["source"]])[owner]
    train, dev = split == "train", split == "dev"

    wording, table = fit_words(d["words"], y, train, fold)
    x = np.column_stack([x, wording])
    names = [*(str(n) for n in d["names"]), "wording"]
    margin = np.zeros(len(y))
    margin[train] = out_of_fold(x[train], y[train], None, fold[train], CLAIM, CLAIM_ROUNDS)
    model = boosted(x[train], y[train], None, CLAIM, CLAIM_ROUNDS)
    margin[~train] = model.predict(x[~train], raw_score=True)
    slope, intercept = logistic(
        margin[train][:, None], y[train].astype(float), np.ones(train.sum())
    )
    fails = 1 / (1 + np.exp(-(slope * margin + intercept)))
    print(
        f"claim AUC: out of fold {auc(fails[train], y[train]):.4f}, dev {auc(fails[dev], y[dev]):.4f}"
    )
    for task in sorted(set(d["task"])):
        here = dev & (d["task"][owner] == task)
        print(f"  {task}: dev AUC {auc(fails[here], y[here]):.4f}, base rate {y[here].mean():.3f}")

    vetoed = np.array(["!" in c for c in d["codes"]])
    contrary = np.array([_contrary(c) for c in d["codes"]])
    risk = fit_risk(d, owner, fails, vetoed, contrary)
    piece = fit_pieces(d, fails, split, fold)
    weights = {
        "claim": export(model, names, (slope, intercept)),
        "words": table,
        "piece": piece,
        "piece_from": piece.pop("piece_from"),
        "risk": risk,
    }
    text = json.dumps(weights, separators=(",", ":"))
    weights["version"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    gain = sorted(zip(model.feature_importance("gain"), names, strict=True), reverse=True)
    print("top:", ", ".join(f"{n} {g:.0f}" for g, n in gain[:25]))
    if args.output:
        args.output.parent.mkdir(parents=True, exist_ok=True)
        args.output.write_text(json.dumps(weights, separators=(",", ":")) + "\n")
        print(
            f"{args.output}: {args.output.stat().st_size / 1000:.0f} kB, version {weights['version']}"
        )


def fit_words(
    words: np.ndarray, y: np.ndarray, train: np.ndarray, fold: np.ndarray
) -> tuple[np.ndarray, dict[str, float]]:
    """Weigh single words by ridge logistic regression; training rows get out-of-fold sums."""
    seen = Counter(key for at in np.flatnonzero(train) for key in words[at].split())
    vocabulary = {key: i for i, key in enumerate(sorted(k for k, n in seen.items() if n >= 25))}
    places = [[vocabulary[k] for k in line.split() if k in vocabulary] for line in words]
    ends = np.cumsum([0, *map(len, places)])
    flat = np.array([i for row in places for i in row], dtype=np.int32)
    table = csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(y), len(vocabulary)))

    def coefficients(rows: np.ndarray) -> np.ndarray:
        model = LogisticRegression(C=0.05, max_iter=300).fit(table[rows], y[rows])
        rounded = np.round(model.coef_[0], 2)
        return np.where(np.abs(rounded) >= WORD_FROM, rounded, 0.0)

    sums = np.zeros(len(y))
    for one in np.unique(fold):
        held = train & (fold == one)
        sums[held] = table[held] @ coefficients(train & (fold != one))
    final = coefficients(train)
    sums[~train] = table[~train] @ final
    kept = {k: float(final[i]) for k, i in vocabulary.items() if final[i]}
    return sums, kept


CONTRARY = (
    "number_differs! date_differs! hours_differ! time_differs! negation_added! negation_dropped! "
    "name_differs! identifier_differs! roles_swapped! opposite! field_differs! quote_denied! "
    "rank_differs! weekday_differs! open_days_differ! sources_against! frequency_differs! "
    "kind_differs! ordinal_differs! change_reversed! code_differs! row_differs!"
).split()


def _contrary(codes: str) -> bool:
    return any(code in CONTRARY for code in codes.split())


def fit_risk(
    d: dict, owner: np.ndarray, fails: np.ndarray, vetoed: np.ndarray, contrary: np.ndarray
) -> dict:
    """Fit the probability that at least one claim does not stand, from the claims' supports."""
    fails = np.where(vetoed, np.maximum(fails, 1 - VETOED_CAP), fails)
    fails = np.where(contrary, np.maximum(fails, 1 - CONTRADICTED_CAP), fails)
    count = len(d["task"])
    rows: list[list[float]] = [[] for _ in range(count)]
    flags: list[list[bool]] = [[] for _ in range(count)]
    against: list[list[bool]] = [[] for _ in range(count)]
    for at, p, v, c in zip(owner, fails, vetoed, contrary, strict=True):
        rows[at].append(float(p))
        flags[at].append(bool(v))
        against[at].append(bool(c))
    z = np.array([risk_features(r, f, c) for r, f, c in zip(rows, flags, against, strict=True)])
    label = d["hallucinated"].astype(bool)
    weight = prior_weights(d["task"], label)
    train, dev = d["split"] == "train", d["split"] == "dev"
    centre, scale = z[train].mean(0), z[train].std(0) + 1e-9
    beta = logistic(
        (z[train] - centre) / scale, label[train].astype(float), weight[train], ridge=1.0
    )
    raw = beta[:-1] / scale
    bias = beta[-1] - (raw * centre).sum()
    worst = np.array([max(row, default=0.0) for row in rows])
    model = 1 / (1 + np.exp(-(z @ raw + bias)))
    for name, score in (
        ("as fitted", model),
        ("at least the worst claim", np.maximum(model, worst)),
    ):
        limit = best_threshold(score[train], label[train], weight[train])
        w = prior_weights(d["task"][dev], label[dev])
        print(
            f"  risk {name}: dev F1 {f1(score[dev] >= limit, label[dev], w)[2]:.4f} at {limit:.3f}"
        )
    risk = np.maximum(model, worst)
    limit = best_threshold(risk[train], label[train], weight[train])
    for name, part in (("out of fold", train), ("dev", dev)):
        w = prior_weights(d["task"][part], label[part])
        p, r, f = f1(risk[part] >= limit, label[part], w)
        always = f1(np.ones(part.sum(), bool), label[part], w)[2]
        print(f"answers, {name}: P {p:.3f} R {r:.3f} F1 {f:.4f} at {limit:.3f} (always-flag {always:.3f}),"
              f" AUC {auc(risk[part], label[part], w):.4f}")  # fmt: skip
        for task in sorted(set(d["task"])):
            here = part & (d["task"] == task)
            w = prior_weights(d["task"][here], label[here])
            p, r, f = f1(risk[here] >= limit, label[here], w)
            print(
                f"    {task}: P {p:.3f} R {r:.3f} F1 {f:.4f} AUC {auc(risk[here], label[here], w):.4f}"
            )
    return {
        "coefficients": [round(float(c), 6) for c in raw],
        "intercept": round(float(bias), 6),
        "flag_from": round(limit, 4),
    }


def fit_pieces(d: dict, fails: np.ndarray, split: np.ndarray, fold: np.ndarray) -> dict:
    """Fit the probability that one word of a claim lies in a labelled span."""
    rows, x = d["piece_rows"], d["pieces"].astype(np.float64)
    x = np.column_stack([x, fails[rows[:, 0]]])
    y = rows[:, 3].astype(bool)
    bad = d["claims"][rows[:, 0], 3].astype(bool)
    weight = np.where(bad, 1.0, 5.0)
    train, dev = split[rows[:, 0]] == "train", split[rows[:, 0]] == "dev"
    folds = fold[rows[:, 0]]
    margin = np.zeros(len(y))
    first = folds[train] % 2
    margin[train] = out_of_fold(x[train], y[train], weight[train], first, PIECE, PIECE_ROUNDS)
    model = boosted(x[train], y[train], weight[train], PIECE, PIECE_ROUNDS)
    margin[dev] = model.predict(x[dev], raw_score=True)
    slope, intercept = logistic(margin[train][:, None], y[train].astype(float), weight[train])
    p = 1 / (1 + np.exp(-(slope * margin + intercept)))
    size = (rows[:, 2] - rows[:, 1]).astype(float) * weight
    limit = best_threshold(p[train], y[train], size[train])
    print(f"words: dev AUC {auc(p[dev], y[dev], weight[dev]):.4f}; characters, dev: "
          f"P/R/F1 {' / '.join(f'{v:.3f}' for v in f1(p[dev] >= limit, y[dev], size[dev]))} at {limit:.3f}")  # fmt: skip
    names = [*(str(n) for n in d["piece_names"]), "claim_fails"]
    return {**export(model, names, (slope, intercept)), "piece_from": round(limit, 4)}


if __name__ == "__main__":
    main()
