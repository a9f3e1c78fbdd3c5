"""Answers per second of the built-in verifier beside torch encoders: `python -m training.speed`.

The others get random weights, because speed does not depend on them. Each is timed on the
same windows as the built-in, and, the way token classifiers are used in practice, on one
pass over the whole source and answer. One thread each, CPU seconds, in one run.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import torch
from torch import nn

from firmground.claims.prose import prose_claims
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.verify.builtin import builtin_judge, neural_inputs
from firmground.verify.judge import LexicalJudge
from firmground.verify.neural import NeuralScorer
from training import corpus
from training.prep import tokenizer
from training.scoring import queries_of

SHAPES = {
    "17 M (256 x 7)": (256, 7, 4, 384),
    "68 M (512 x 19)": (512, 19, 8, 768),
    "ModernBERT-base (768 x 22)": (768, 22, 12, 1152),
}
ANSWERS = 12


class Gated(nn.Module):
    """One layer in the shape of a ModernBERT encoder: attention, then a gated inner layer."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width, bias=False), nn.LayerNorm(width, bias=False)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 2 * inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = self.qkv(self.norm1(x)).chunk(3, -1)
        q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in parts)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        x = x + self.out(mixed)
        value, gate = self.up(self.norm2(x)).chunk(2, -1)
        return x + self.down(nn.functional.gelu(value) * gate)


def main() -> None:
    torch.set_num_threads(1)
    responses = random.Random(6).sample(list(corpus.responses("dev")), ANSWERS)
    scorer = NeuralScorer()
    judges = {"lexical check, whole": LexicalJudge(), "built-in check, whole": builtin_judge()}
    inquiries = [_inquiry(response) for response in responses]
    judges["built-in check, whole"].examine(inquiries[0])
    rates = {
        name: _rate(lambda j=judge: [j.examine(one) for one in inquiries])
        for name, judge in judges.items()
    }
    ready = [neural_inputs(queries_of(response)) for response in responses]
    scorer.raw(ready[0][:1])
    windows = [[w for group in scorer.windows(items) for w in group] for items in ready]
    rates["built-in, onnxruntime only"] = _rate(lambda: [scorer.run(group) for group in windows])
    count = tokenizer()
    wholes = [len(count.encode(r.source + r.text).ids) for r in responses]
    for name, shape in SHAPES.items():
        width, layers, heads, inner = shape
        model = nn.Sequential(*(Gated(width, heads, inner) for _ in range(layers))).eval()
        rates[f"{name}, same windows"] = _rate(
            lambda m=model, w=width: [_pass(m, w, len(x.ids)) for g in windows for x in g]
        )
        rates[f"{name}, source and answer at once"] = _rate(
            lambda m=model, w=width: [_pass(m, w, n) for n in wholes]
        )
    for name, rate in rates.items():
        print(f"{name:55}{rate:8.2f} answers/s")
    share = rates["built-in check, whole"] / rates["built-in, onnxruntime only"]
    print(f"share of the whole spent inside onnxruntime: {share:.2f}")


def _inquiry(response: corpus.Response) -> Inquiry:
    question = Question(text=response.query)
    return Inquiry(
        question=question,
        answer=response.text,
        claims=prose_claims(response.text, question),
        evidence=(Evidence(text=response.source),),
    )


def _pass(model: nn.Module, width: int, length: int) -> None:
    with torch.inference_mode():
        model(torch.zeros(1, length, width))


def _rate(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return ANSWERS / (time.process_time() - start)


if __name__ == "__main__":
    main()
