"""Is it worth running several windows at once? `python -m training.batching --name more+third`.

Takes held windows of one length, so that nothing is padded, and runs the int8 model on one, four,
eight and sixteen at a time: what each window costs, and how far its scores move.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnxruntime
import torch
from torch import Tensor, nn

from training.export import load, quantise
from training.model import Verifier
from training.paths import state_dir
from training.store import Examples

SIZES = (1, 4, 8, 16)
ROUNDS = 5


class Several(nn.Module):
    """The verifier for inputs of one length, the whole claim's log-probabilities only."""

    def __init__(self, model: Verifier) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, kinds: Tensor) -> Tensor:
        whole: Tensor = self.model(ids, kinds, None, ids[:, :8])[1].log_softmax(-1)
        return whole


def session(model: Verifier, place: Path) -> onnxruntime.InferenceSession:
    """Write the model with a free batch size, turn it to int8 and load it on one thread."""
    sample = (torch.randint(5, 2000, (2, 60)), torch.zeros(2, 60, dtype=torch.int64))
    axes = {0: "batch", 1: "length"}
    torch.onnx.export(
        Several(model).eval(), sample, str(place / "whole.onnx"), dynamo=False, opset_version=17,
        input_names=["ids", "kinds"], output_names=["whole"],
        dynamic_axes={"ids": axes, "kinds": axes, "whole": {0: "batch"}},
    )  # fmt: skip
    quantise(place / "whole.onnx", place / "int8.onnx")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        str(place / "int8.onnx"), options, providers=["CPUExecutionProvider"]
    )


def windows(held: Examples, length: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the first windows of exactly this length."""
    chosen = np.flatnonzero(held.lengths == length)[:count]
    cut = [slice(held.starts[at], held.starts[at + 1]) for at in chosen]
    return (
        np.stack([held.ids[part] for part in cut]).astype(np.int64),
        np.stack([held.kinds[part] for part in cut]).astype(np.int64),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="main", help="a run, or one+other: the mean of both")
    parser.add_argument("--windows", type=int, default=64)
    chosen = parser.parse_args()
    held = Examples(state_dir() / "fuse.npz")
    length = int(np.bincount(held.lengths).argmax())
    ids, kinds = windows(held, length, chosen.windows)
    with TemporaryDirectory() as place:
        model = session(load(chosen.name), Path(place))
    seconds = {size: float("inf") for size in SIZES}
    scores = {}
    for _ in range(ROUNDS):
        for size in SIZES:
            began = time.process_time()
            scores[size] = _run(model, ids, kinds, size)
            seconds[size] = min(seconds[size], time.process_time() - began)
    print(f"{len(ids)} windows of {length} tokens, best of {ROUNDS} rounds, one thread")
    for size in SIZES:
        moved = np.abs(np.exp(scores[size]) - np.exp(scores[1])).max(1)
        print(
            f"{size:3d} at once: {seconds[size] / seconds[1]:.2f} of the time of one by one; "
            f"largest change of a probability {moved.max():.3f}, mean {moved.mean():.4f}"
        )


def _run(
    model: onnxruntime.InferenceSession, ids: np.ndarray, kinds: np.ndarray, size: int
) -> np.ndarray:
    return np.concatenate(
        [
            model.run(None, {"ids": ids[at : at + size], "kinds": kinds[at : at + size]})[0]
            for at in range(0, len(ids), size)
        ]
    )


if __name__ == "__main__":
    main()
