"""Turn shipped int8 weights back into a checkpoint to start from.

    python -m training.dequantise --name shipped

The result is `runs/shipped/final.pt` in the training directory; `training.train --start-from
shipped` goes on from it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from training.model import Verifier
from training.paths import MODEL_DIR, state_dir


def weights(path: Path) -> dict[str, Tensor]:
    """Read the graph that `training.export` wrote; products keep the order of the layers."""
    arrays = {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
    products = [name.removesuffix("_quantized") for name in arrays if name.startswith("onnx::")]
    products = [name for name in dict.fromkeys(products) if not name.endswith(("_scale", "_point"))]
    found = {
        name.removeprefix("model."): torch.from_numpy(array.copy())
        for name, array in arrays.items()
        if name.startswith("model.") and array.dtype == np.float32 and not name.endswith("_scale")
    }
    for table in ("word", "position", "kind"):
        found[f"{table}.weight"] = _plain(arrays, f"model.{table}.weight")
    for head in ("claim_head.0", "claim_head.2"):
        found[f"{head}.weight"] = _plain(arrays, f"model.{head}.weight").T.contiguous()
    layers = 1 + max(int(name.split(".")[1]) for name in found if name.startswith("layers."))
    order = [f"layers.{at}.{part}" for at in range(layers) for part in ("qkv", "out", "up", "down")]
    order.remove(f"layers.{layers - 1}.qkv")  # left in fp32: only the claim's tokens go through it
    for name, product in zip([*order, "token_head"], products, strict=True):
        found[f"{name}.weight"] = _plain(arrays, product).T.contiguous()
    return found


def _plain(arrays: dict[str, np.ndarray], name: str) -> Tensor:
    values = arrays[f"{name}_quantized"].astype(np.float32)
    zero = arrays[f"{name}_zero_point"].astype(np.float32)
    return torch.from_numpy((values - zero) * arrays[f"{name}_scale"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="shipped")
    parser.add_argument("--graph", type=Path, default=MODEL_DIR / "model.onnx")
    chosen = parser.parse_args()
    found = weights(chosen.graph)
    layers = 1 + max(int(name.split(".")[1]) for name in found if name.startswith("layers."))
    Verifier(layers=layers).load_state_dict(found)
    place = state_dir() / "runs" / chosen.name
    place.mkdir(parents=True, exist_ok=True)
    torch.save({"model": found}, place / "final.pt")
    print(place / "final.pt")


if __name__ == "__main__":
    main()
