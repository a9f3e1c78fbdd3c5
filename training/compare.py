"""What int8 costs: the same answers by both weights, `python -m training.compare --limit 240`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from firmground.verify.builtin import joined_row
from firmground.verify.neural import NeuralScorer
from firmground.verify.trees import logit as log_odds
from training import corpus, metrics
from training.paths import INT8, MODEL_DIR, digest, state_dir
from training.scoring import ScoredResponse, risk_row, score_all


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=240)
    parser.add_argument("--name", default="main")
    parser.add_argument("--directory", type=Path, default=MODEL_DIR, help="the int8 weights")
    chosen = parser.parse_args()
    places = {"int8": chosen.directory, "fp32": state_dir() / "export" / chosen.name}
    require_twins(places["int8"], places["fp32"])
    responses = corpus.sample(list(corpus.responses("dev")), chosen.limit)
    for name, place in places.items():
        cache = state_dir() / "scores" / f"compare-{name}" / str(chosen.limit)
        scored = score_all(responses, place, cache, workers=os.cpu_count() or 1)
        figures = measure(scored, chosen.directory)
        print(name, ", ".join(f"{key} {value:.4f}" for key, value in figures.items()))


def require_twins(int8: Path, fp32: Path) -> None:
    """Refuse to compare int8 weights with fp32 ones of another run."""
    noted = fp32 / INT8
    if not (fp32 / "model.onnx").exists():
        raise SystemExit(f"{fp32 / 'model.onnx'}: no such file; run training.export --name first")
    if not noted.exists():
        print(f"{noted}: no such file; whether both are of one run is not known")
    elif noted.read_text().strip() != digest(int8 / "model.onnx"):
        raise SystemExit(f"{int8 / 'model.onnx'} was not made of {fp32 / 'model.onnx'}")


def measure(scored: list[ScoredResponse], directory: Path) -> dict[str, float]:
    """Give answer F1 and AUC and claim AUC with the fusion and thresholds of a directory."""
    meta = NeuralScorer(directory).meta
    scored = [s for s in scored if s.claims]
    bad = np.array([s.response.hallucinated for s in scored])
    weights = metrics.prior_weights([s.response.task for s in scored], bad)
    risks, claims, truth = [], [], []
    for s in scored:
        fails = [
            meta.fused.probability(
                joined_row(
                    c.raw.features,
                    log_odds(1 - c.lexical),
                    meta.aligned.logit(c.aligned),
                    c.aligned,
                    c.codes,
                )
            )
            for c in s.claims
        ]
        claims += fails
        truth += s.truth
        row = risk_row(s, fails, meta.claim_threshold)
        logit = meta.risk.intercept + float(np.dot(meta.risk.coefficients, row))
        risks.append(1 / (1 + np.exp(-logit)))
    risk = np.array(risks)
    return {
        "f1": metrics.f1(bad, risk >= meta.risk.flag_from, weights)[2],
        "answer_auc": metrics.auc(bad, risk, weights),
        "claim_auc": metrics.auc(np.array(truth), np.array(claims)),
    }


if __name__ == "__main__":
    main()
