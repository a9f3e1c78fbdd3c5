"""Write the trained verifier as int8 ONNX with its tokenizer: `python -m training.export`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from training.model import Verifier, from_base
from training.paths import INT8, MODEL_DIR, base_model_dir, digest, state_dir


class Single(nn.Module):
    """The verifier for one input without padding; gives log-odds-ready outputs."""

    def __init__(self, model: Verifier) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, kinds: Tensor, claim: Tensor) -> tuple[Tensor, Tensor]:
        tokens, whole = self.model(ids, kinds, None, claim)
        return tokens[0].softmax(-1), whole[0].log_softmax(-1)


def load(name: str) -> Verifier:
    """Load a run's final weights, or its last checkpoint; `one+other` is the mean of two runs."""
    found = [_weights(part) for part in name.split("+")]
    model = from_base(base_model_dir())
    model.load_state_dict({key: sum(one[key] for one in found) / len(found) for key in found[0]})
    return model.eval()


def _weights(name: str) -> dict[str, Tensor]:
    place = state_dir() / "runs" / name
    found = place / "final.pt" if (place / "final.pt").exists() else place / "checkpoint.pt"
    weights: dict[str, Tensor] = torch.load(found, weights_only=False)["model"]
    return weights


def export(model: Verifier, path: Path) -> None:
    """Write the model as fp32 ONNX."""
    wrapper = Single(model).eval()
    sample = (
        torch.randint(5, 2000, (1, 60)),
        torch.zeros(1, 60, dtype=torch.int64),
        torch.zeros(1, 20, dtype=torch.int64),
    )
    torch.onnx.export(
        wrapper, sample, str(path), dynamo=False, opset_version=17,
        input_names=["ids", "kinds", "claim"], output_names=["tokens", "whole"],
        dynamic_axes={
            "ids": {1: "length"}, "kinds": {1: "length"}, "claim": {1: "reach"},
            "tokens": {0: "reach"},
        },
    )  # fmt: skip


def quantise(source: Path, target: Path) -> None:
    """Turn the weights of every product and table to int8."""
    quantize_dynamic(
        source, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT, "MatMulConstBOnly": True},
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="main", help="a run, or one+other: the mean of both")
    parser.add_argument("--target", type=Path, default=MODEL_DIR)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    whole = state_dir() / "export" / chosen.name
    whole.mkdir(parents=True, exist_ok=True)
    chosen.target.mkdir(parents=True, exist_ok=True)
    export(load(chosen.name), whole / "model.onnx")
    quantise(whole / "model.onnx", chosen.target / "model.onnx")
    (whole / INT8).write_text(digest(chosen.target / "model.onnx"))
    _tokenizer(whole, chosen.target)
    for path in (whole / "model.onnx", chosen.target / "model.onnx"):
        print(path, f"{path.stat().st_size / 1e6:.1f} MB")


def _tokenizer(*targets: Path) -> None:
    found = json.loads((base_model_dir() / "tokenizer.json").read_text())
    found["truncation"] = found["padding"] = None
    for target in targets:
        (target / "tokenizer.json").write_text(
            json.dumps(found, ensure_ascii=False, separators=(",", ":"))
        )


if __name__ == "__main__":
    main()
