"""How good is the built-in judge with its trained model? Figures beside the lexical judge's.

    make bench-quality      or      python -m benchmarks quality_neural [--answers N] [--svg FILE]

Along the run-time path (claims, judge, risk) on the development slice of RAGTruth: the 12 % of
sources that no weight, fusion or threshold has seen, weighed to the test split's mixture. Also a
cascade of both, the reliability of what they state, and what int8 costs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._data import Labelled, data_dir, dev_answers  # noqa: E402
from benchmarks._figures import (  # noqa: E402
    TEST_PRIOR,
    Row,
    answer_auc,
    calibration_error,
    claim_auc,
    interval,
    judged,
    prf,
    span_prf,
)
from benchmarks._reliability import Curve, reliability_svg  # noqa: E402
from firmground.core.ports import Judge  # noqa: E402
from firmground.verify.builtin import (  # noqa: E402
    BuiltinScorer,
    builtin_judge,
    builtin_limits,
    builtin_risk,
)
from firmground.verify.cascade import Band, Cascade  # noqa: E402
from firmground.verify.judge import LexicalJudge  # noqa: E402
from firmground.verify.neural import MODEL_DIR, NeuralScorer, available  # noqa: E402
from firmground.verify.neural_meta import WEIGHT_FILES  # noqa: E402
from firmground.verify.risk import RiskWeights, flag_from  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=600, help="about so many (0: all)")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--svg", type=Path, help="draw the reliability curve here")
    parser.add_argument("--fp32", type=Path, help="directory of the fp32 model (training.export)")
    parser.add_argument("--band", default="0.2-0.9", help="where lexical counts as unsure")
    chosen, _ = parser.parse_known_args()
    base = data_dir()
    if base is None or not available():
        what = "data in ../shared/data (or FIRMGROUND_DATA)" if base is None else "weights"
        print(f"quality_neural: no {what}; nothing measured")
        return
    low, high = (float(end) for end in chosen.band.split("-"))
    builtin = builtin_judge()
    band = Band(low=low, high=high)
    judges: dict[str, tuple[Judge, RiskWeights | None]] = {
        "lexical": (LexicalJudge(), None),
        "builtin": (builtin, builtin_risk()),
        f"cascade {band}: lexical, then builtin": (
            Cascade(first=LexicalJudge(), second=builtin, band=band), builtin_risk(),
        ),
    }  # fmt: skip
    figures: dict[str, Any] = {}
    answers = dev_answers(base, chosen.answers)
    for name, (judge, weights) in judges.items():
        rows = [judged(one, judge, weights) for one in answers]
        figures[name] = report(name, rows, weights.flag_from if weights else flag_from())
        if chosen.svg and name == "builtin":
            chosen.svg.write_text(picture(figures), encoding="utf-8")
            print(f"reliability drawn in {chosen.svg}")
    int8_cost(answers[:120], chosen.fp32)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1))


def picture(figures: dict[str, Any]) -> str:
    """Draw claims and answers of the lexical and the built-in judge."""
    colours = {"lexical": "#c60", "builtin": "#06c"}
    claims = [Curve(name=n, colour=c, pairs=figures[n]["claims"]) for n, c in colours.items()]
    answers = [
        Curve(name=n, colour=c, pairs=[(risk, bad) for _, risk, bad in figures[n]["answers"]])
        for n, c in colours.items()
    ]
    return reliability_svg([("Claims", claims), ("Answers (the slice's own prior)", answers)])


def int8_cost(answers: Sequence[Labelled], place: Path | None) -> None:
    """Print what int8 costs against the fp32 weights, which are not in the repository."""
    place = place or _exported()
    if place is None:
        print(
            "\nint8 against fp32: the fp32 model behind the shipped one is not at hand; "
            "python -m training.export writes one, --fp32 names one"
        )
        return
    found = {}
    for name, folder in (("int8", MODEL_DIR), ("fp32", place)):
        neural = NeuralScorer(folder, meta_file=None if folder == MODEL_DIR else _unbound(place))
        judge = LexicalJudge(
            scorers=(BuiltinScorer(neural=neural),),
            limits=builtin_limits(NeuralScorer().meta.claim_threshold),
        )
        rows = [judged(one, judge, builtin_risk()) for one in answers]
        limit = builtin_risk().flag_from
        found[name] = prf(rows, lambda row, at=limit: row.risk >= at)[2], claim_auc(rows)  # type: ignore[misc]
    print(f"\nint8 against fp32 on {len(answers)} answers:")
    for name, (f, area) in found.items():
        print(f"  {name}  answer F1 {f:.4f}  claim AUC {area:.4f}")
    print(f"  int8 - fp32: {100 * (found['int8'][0] - found['fp32'][0]):+.2f} F1 points")


def _exported() -> Path | None:
    """The fp32 model that `training.export` turned into the shipped one, if it is still there."""
    state = os.environ.get("FIRMGROUND_TRAINING_DIR", "/root/firmground-training")
    shipped = hashlib.sha256((MODEL_DIR / "model.onnx").read_bytes()).hexdigest()
    for note in sorted(Path(state).glob("export/*/int8.sha256")):
        if note.read_text("utf-8").strip() == shipped and (note.parent / "model.onnx").is_file():
            return note.parent
    return None


def _unbound(place: Path) -> Path:
    """The shipped fusion, without the digests that bind it to the int8 file."""
    found = json.loads((MODEL_DIR / "meta.json").read_text())
    found["sha256"] = {
        name: hashlib.sha256((place / name).read_bytes()).hexdigest() for name in WEIGHT_FILES
    }
    path = Path(tempfile.mkdtemp()) / "meta.json"
    path.write_text(json.dumps(found))
    return path


def report(name: str, rows: Sequence[Row], limit: float) -> dict[str, Any]:
    """Print one judge's figures, per task and over all, with intervals over sources."""
    total = sum(len(row.claims) for row in rows)
    print(f"\n{name}: {len(rows)} answers, {total} claims; flagged from risk {limit:.3f}")
    print(f"{'':9} F1 [95 %]                P     R   always  AUC   claim AUC  span F1 [95 %]")
    parts = {"overall": list(rows)} | {t: [r for r in rows if r.task == t] for t in TEST_PRIOR}
    figures: dict[str, Any] = {}
    for task, part in parts.items():
        p, r, f = prf(part, lambda row: row.risk >= limit)
        low, high = interval(part, lambda rs: prf(rs, lambda row: row.risk >= limit)[2])
        always, span = prf(part, lambda _: True)[2], span_prf(part)[2]
        s_low, s_high = interval(part, lambda rs: span_prf(rs)[2])
        figures[task] = {
            "f1": f, "interval": (low, high), "p": p, "r": r, "always": always,
            "auc": answer_auc(part), "claim_auc": claim_auc(part), "span_f1": span,
            "span_interval": (s_low, s_high),
        }  # fmt: skip
        print(
            f"{task:9} {f:.3f} [{low:.3f}, {high:.3f}]  {p:.3f} {r:.3f}  {always:.3f}  "
            f"{answer_auc(part):.3f}  {claim_auc(part):.3f}      "
            f"{span:.3f} [{s_low:.3f}, {s_high:.3f}]"
        )
    spent = sorted(row.seconds for row in rows)
    figures["claims"] = [claim for row in rows for claim in row.claims]
    figures["answers"] = [(row.task, row.risk, row.hallucinated) for row in rows]
    figures["ece"], figures["median_ms"] = calibration_error(rows), 1e3 * spent[len(spent) // 2]
    print(f"calibration error of claims {figures['ece']:.4f}; ", end="")
    print(f"CPU per answer: median {figures['median_ms']:.0f} ms, {sum(spent):.1f} s in all")
    passed = sum(row.passed for row in rows)
    if passed:
        print(f"{passed} of {total} claims ({passed / total:.1%}) went on to the second judge")
    return figures


if __name__ == "__main__":
    main()
