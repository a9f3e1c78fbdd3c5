"""Answers per second of the built-in verifier, beside torch encoders of other sizes, in one run.

    make bench-quality      or      python -m benchmarks speed_neural [--speed-answers N]

The others get random weights, because speed does not depend on them. Each is timed on the same
windows as the built-in, and, as token classifiers are used in practice, on one pass over the
whole source and answer. One thread each, CPU seconds. `make bench-quality` brings torch; without
it those rows are left out.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks._data import data_dir, dev_answers  # noqa: E402
from firmground.claims.prose import prose_claims  # noqa: E402
from firmground.core.evidence import Evidence  # noqa: E402
from firmground.core.ports import Inquiry  # noqa: E402
from firmground.core.question import Question  # noqa: E402
from firmground.verify.builtin import BuiltinScorer, builtin_limits, builtin_risk  # noqa: E402
from firmground.verify.judge import LexicalJudge  # noqa: E402
from firmground.verify.neural import MODEL_DIR, NeuralScorer, available  # noqa: E402
from firmground.verify.neural_input import InputWindow  # noqa: E402
from firmground.verify.risk import RiskWeights  # noqa: E402
from firmground.verify.support import measure_support  # noqa: E402

SHAPES = {
    "17 M encoder (256 x 7)": (256, 7, 4, 384),
    "68 M encoder (512 x 19)": (512, 19, 8, 768),
    "ModernBERT-base-sized (768 x 22)": (768, 22, 12, 1152),
}


class Timed(NeuralScorer):
    """The shipped scorer, counting the CPU time inside onnxruntime and the windows it ran."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = 0.0
        self.seen: list[int] = []

    def run(self, windows: Sequence[InputWindow]) -> list[Any]:
        started = time.process_time()
        found = super().run(windows)
        self.inside += time.process_time() - started
        self.seen += [len(window.ids) for window in windows]
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed-answers", type=int, default=24)
    chosen, _ = parser.parse_known_args()
    base = data_dir()
    if base is None or not available():
        what = "data in ../shared/data (or FIRMGROUND_DATA)" if base is None else "weights"
        print(f"speed_neural: no {what}; nothing measured")
        return
    asked = inquiries(base, chosen.speed_answers)
    lexical, timed = LexicalJudge(), Timed()
    builtin = LexicalJudge(
        scorers=(BuiltinScorer(neural=timed),),
        limits=builtin_limits(timed.meta.claim_threshold),
    )
    for judge in (lexical, builtin):
        whole(judge, asked[:1], builtin_risk())
    timed.inside, timed.seen = 0.0, []
    rows = {"lexical, whole check": spent(lambda: whole(lexical, asked, None))}
    rows["built-in, whole check"] = spent(lambda: whole(builtin, asked, builtin_risk()))
    share = timed.inside / rows["built-in, whole check"]
    count = len(asked)
    print(
        f"{count} answers of the development slice, {len(timed.seen)} windows, "
        f"one thread, CPU seconds"
    )
    for name, seconds in rows.items():
        print(f"  {name:66}{count / seconds:8.2f} answers/s")
    print(f"  {'built-in, inside onnxruntime only':66}{count / timed.inside:8.2f} answers/s")
    if find_spec("torch") is None:
        print(
            "  17 M, 68 M and ModernBERT-base-sized encoders: timed only where torch is installed"
        )
    else:
        encoders(timed.seen, lengths(asked), count)
    print(
        f"share of the built-in check spent inside onnxruntime: {share:.2f} (wanted: 0.70 or more)"
    )


def inquiries(base: Path, count: int) -> list[tuple[Question | None, str, Evidence]]:
    """Draw answers of the development slice, always the same ones."""
    picked = dev_answers(base)
    drawn = random.Random(6).sample(picked, min(count, len(picked)))
    found = []
    for row, source in drawn:
        question = Question(text=source["query"]) if source["query"].strip() else None
        found.append((question, row["response"], Evidence(text=source["source_text"])))
    return found


def whole(
    judge: LexicalJudge,
    asked: Sequence[tuple[Question | None, str, Evidence]],
    weights: RiskWeights | None,
) -> None:
    """Cut, check, score and sum up, as a check does."""
    for question, answer, evidence in asked:
        claims = prose_claims(answer, question)
        inquiry = Inquiry(question=question, answer=answer, claims=claims, evidence=(evidence,))
        found = judge.examine(inquiry).assessments
        measure_support(answer, found, evidence_ids={evidence.id}, risk_weights=weights)


def lengths(asked: Sequence[tuple[Question | None, str, Evidence]]) -> list[int]:
    """Count the tokens of each source and answer together."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(MODEL_DIR / "tokenizer.json"))
    return [len(tokenizer.encode(evidence.text, answer).ids) for _, answer, evidence in asked]


def encoders(windows: Sequence[int], wholes: Sequence[int], count: int) -> None:
    """Time encoders in the shape of ModernBERT: attention, then a gated inner layer."""
    import torch
    from torch import nn

    class Layer(nn.Module):  # type: ignore[misc]
        def __init__(self, width: int, heads: int, inner: int) -> None:
            super().__init__()
            self.heads = heads
            self.norms = nn.ModuleList(nn.LayerNorm(width, bias=False) for _ in range(2))
            self.mixed = nn.Linear(width, 3 * width, bias=False)
            self.out = nn.Linear(width, width, bias=False)
            self.up = nn.Linear(width, 2 * inner, bias=False)
            self.down = nn.Linear(inner, width, bias=False)

        def forward(self, x: Any) -> Any:
            parts = self.mixed(self.norms[0](x)).chunk(3, -1)
            q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in parts)
            seen = nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
            x = x + self.out(seen)
            value, gate = self.up(self.norms[1](x)).chunk(2, -1)
            return x + self.down(nn.functional.gelu(value) * gate)

    torch.set_num_threads(1)
    for name, (width, layers, heads, inner) in SHAPES.items():
        model = nn.Sequential(*(Layer(width, heads, inner) for _ in range(layers))).eval()

        def timed(sizes: Sequence[int], model: Any = model, width: int = width) -> float:
            with torch.inference_mode():
                return spent(lambda: [model(torch.zeros(1, n, width)) for n in sizes])

        timed(windows[:2])
        print(
            f"  {name + ' under torch, the same windows':66}{count / timed(windows):8.2f} answers/s"
        )
        print(
            f"  {name + ' under torch, source and answer at once':66}"
            f"{count / timed(wholes):8.2f} answers/s",
            flush=True,
        )


def spent(work: Callable[[], object]) -> float:
    """CPU seconds of some work."""
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
