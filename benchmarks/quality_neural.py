"""Quality of the built-in neural verifier on data it was not fitted to.

    python benchmarks/quality_neural.py [--responses N] [--pairs N] [--json out.json]

Reads the development slice of RAGTruth's training data (12 % of sources, by a fixed hash,
never used for weights, fusion or thresholds) and the pair sets that were not trained on.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / part) for part in ("", "src")]

import numpy as np  # noqa: E402
from training import corpus, metrics  # noqa: E402
from training.scoring import ScoredResponse, score_all  # noqa: E402

from firmground.verify.neural import MODEL_DIR, NeuralScore, NeuralScorer, ScoredInput  # noqa: E402
from firmground.verify.neural_features import FEATURES  # noqa: E402
from firmground.verify.neural_input import prepare  # noqa: E402

UNSEEN = (
    "fever_symmetric", "negnli", "q2", "convfever", "begin", "faithdial_audit", "citint", "conjnli",
    "cad_nli", "docnli_fever", "docnli_mnli",
)  # fmt: skip
Array = np.ndarray


def main(arguments: Sequence[str] = ()) -> None:
    chosen = _arguments(arguments)
    scorer = NeuralScorer(chosen.directory)
    try:
        responses = list(corpus.responses("dev"))
    except FileNotFoundError as absent:
        raise SystemExit(f"quality_neural: {absent}") from absent
    responses = corpus.sample(responses, chosen.responses)
    cache = Path(chosen.cache) if chosen.cache else None
    report = ragtruth(score_all(responses, scorer, cache), scorer)
    report["pairs"] = {} if chosen.pairs == 0 else pairs(scorer, chosen.pairs)
    if chosen.json:
        Path(chosen.json).write_text(json.dumps(report, indent=1))
    _print(report)


def ragtruth(scored: list[ScoredResponse], scorer: NeuralScorer) -> dict[str, Any]:
    """Measure answers, claims and spans, re-weighted to the test split's rates."""
    finished = [_finish(s, scorer) for s in scored]
    risk = np.array([scorer.answer_risk(scores) for scores in finished])
    bad = np.array([s.response.hallucinated for s in scored])
    tasks = np.array([s.response.task for s in scored])
    groups = [s.response.source_id for s in scored]
    weights = metrics.prior_weights(list(tasks), bad)
    flagged = risk >= scorer.meta.answer_threshold
    counts = np.array([_overlap(s, f) for s, f in zip(scored, finished, strict=True)])
    report: dict[str, Any] = {
        "responses": len(scored), "claims": sum(len(f) for f in finished), "tasks": {},
        "claim": _claims(scored, finished, weights, tasks, scorer),
        "ece_answer": metrics.calibration_error(bad, risk, weights),
    }  # fmt: skip
    for name in ("all", *corpus.TEST_RATES):
        part = np.flatnonzero((tasks == name) | (name == "all"))
        report["tasks"][name] = _answers(part, bad, flagged, risk, weights, counts, groups)
    return report


def _answers(
    part: Array,
    bad: Array,
    flagged: Array,
    risk: Array,
    weights: Array,
    counts: Array,
    groups: list[str],
) -> dict[str, Any]:
    names = [groups[i] for i in part]

    def example(rows: Array) -> float:
        at = part[rows]
        return metrics.f1(bad[at], flagged[at], weights[at])[2]

    def span(rows: Array) -> float:
        at = part[rows]
        return metrics.span_f1(counts[at], weights[at])

    every = np.arange(len(part))
    precision, recall, value = metrics.f1(bad[part], flagged[part], weights[part])
    always = metrics.f1(bad[part], np.ones(len(part), bool), weights[part])[2]
    return {
        "precision": precision, "recall": recall, "f1": value,
        "f1_interval": metrics.bootstrap(names, example),
        "always_flag": always, "auc": metrics.auc(bad[part], risk[part], weights[part]),
        "best_f1": metrics.best_threshold(bad[part], risk[part], weights[part])[1],
        "span_f1": span(every), "span_interval": metrics.bootstrap(names, span),
    }  # fmt: skip


def _claims(
    scored: list[ScoredResponse],
    finished: list[tuple[NeuralScore, ...]],
    weights: Array,
    tasks: Array,
    scorer: NeuralScorer,
) -> dict[str, Any]:
    owner = np.array([at for at, f in enumerate(finished) for _ in f])
    risk = np.array([1 - x.supported for f in finished for x in f])
    labels = np.array([x.label for s in scored for x in s.response.sentences])
    lexical = np.array([-x.features[FEATURES.index("coverage")] for f in finished for x in f])
    against = np.array([x.contradicted > x.ungrounded for f in finished for x in f])
    truth, w = labels > 0, weights[owner]
    found: dict[str, Any] = {
        "auc": metrics.auc(truth, risk), "auc_word_coverage": metrics.auc(truth, lexical),
        "f1": metrics.f1(truth, risk >= scorer.meta.claim_threshold, w)[2],
        "ece": metrics.calibration_error(truth, risk, w),
        "kind_accuracy": metrics.balanced_accuracy(labels[truth] == 2, against[truth]),
    }  # fmt: skip
    for name in corpus.TEST_RATES:
        part = tasks[owner] == name
        found[f"auc_{name}"] = metrics.auc(truth[part], risk[part])
    return found


def pairs(scorer: NeuralScorer, count: int) -> dict[str, Any]:
    """Measure balanced accuracy on sets that were not trained on."""
    found: dict[str, Any] = {}
    for name in UNSEEN:
        rows = list(corpus.pairs(name))
        random.Random(4).shuffle(rows)
        rows = rows[:count]
        items = [ScoredInput(claim=row[1], evidence=prepare([row[0]])[0]) for row in rows]
        scores = scorer.score(items)
        truth = np.array([row[2] > 0 for row in rows])
        risk = np.array([1 - score.supported for score in scores])
        plain = np.array([-score.features[FEATURES.index("coverage")] for score in scores])
        found[name] = {
            "rows": len(rows), "auc": metrics.auc(truth, risk),
            "auc_word_coverage": metrics.auc(truth, plain),
            "balanced": metrics.balanced_accuracy(truth, risk >= scorer.meta.claim_threshold),
            "tuned": _tuned(truth, risk), "tuned_word_coverage": _tuned(truth, plain),
        }  # fmt: skip
    return found


def _tuned(truth: Array, scores: Array) -> float:
    """Give balanced accuracy with the threshold chosen on the other half, both ways."""
    values = []
    for half in (0, 1):
        fit, held = np.arange(len(truth)) % 2 == half, np.arange(len(truth)) % 2 != half
        cuts = np.unique(np.quantile(scores[fit], np.linspace(0.01, 0.99, 99)))
        best = max(cuts, key=lambda cut: metrics.balanced_accuracy(truth[fit], scores[fit] >= cut))
        values.append(metrics.balanced_accuracy(truth[held], scores[held] >= best))
    return float(np.mean(values))


def _finish(scored: ScoredResponse, scorer: NeuralScorer) -> tuple[NeuralScore, ...]:
    text = scored.response.text
    return tuple(
        scorer.finish(text[sentence.start : sentence.end], raw)
        for sentence, raw in zip(scored.response.sentences, scored.raw, strict=True)
    )


def _overlap(scored: ScoredResponse, finished: tuple[NeuralScore, ...]) -> tuple[int, int, int]:
    found = [
        (sentence.start + problem.start, sentence.start + problem.end)
        for sentence, score in zip(scored.response.sentences, finished, strict=True)
        for problem in score.problems
    ]
    return metrics.overlap([x[:2] for x in scored.response.problems], found)


def _print(report: dict[str, Any]) -> None:
    print(f"RAGTruth development slice: {report['responses']} answers, {report['claims']} claims,")
    print(
        "re-weighted to the test split (QA 17.8 %, Data2txt 64.3 %, Summary 22.7 % hallucinated)\n"
    )
    print(
        f"{'task':10}{'P':>7}{'R':>7}{'F1':>7}  {'95 %':15}{'always':>7}{'AUC':>7}"
        f"{'span F1':>9}  95 %"
    )
    for name, row in report["tasks"].items():
        low, high = row["f1_interval"]
        span_low, span_high = row["span_interval"]
        print(
            f"{name:10}{row['precision']:7.3f}{row['recall']:7.3f}{row['f1']:7.3f}  "
            f"{low:.3f}–{high:.3f}    {row['always_flag']:7.3f}{row['auc']:7.3f}"
            f"{row['span_f1']:9.3f}  {span_low:.3f}–{span_high:.3f}"
        )
    print(
        "\nclaims: " + ", ".join(f"{name} {value:.3f}" for name, value in report["claim"].items())
    )
    print(f"calibration error of answers: {report['ece_answer']:.3f}")
    if report["pairs"]:
        print(
            "\npair sets not trained on (balanced accuracy; tuned = threshold from the other half)"
        )
        print(f"{'set':18}{'rows':>6}{'AUC':>7}{'words':>7}{'fixed':>7}{'tuned':>7}{'words':>7}")
        for name, row in report["pairs"].items():
            print(
                f"{name:18}{row['rows']:6}{row['auc']:7.3f}{row['auc_word_coverage']:7.3f}"
                f"{row['balanced']:7.3f}{row['tuned']:7.3f}{row['tuned_word_coverage']:7.3f}"
            )


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--responses", type=int, default=0, help="how many answers (0: all)")
    parser.add_argument(
        "--pairs", type=int, default=500, help="how many rows of each pair set (0: none)"
    )
    parser.add_argument("--directory", type=Path, default=MODEL_DIR)
    parser.add_argument("--cache", default="", help="keep raw scores here")
    parser.add_argument("--json", default="")
    return parser.parse_args(list(arguments))


if __name__ == "__main__":
    main(sys.argv[1:])
