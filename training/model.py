"""The verifier: a MiniLM encoder whose token kinds say what exact matching knows."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from firmground.verify.neural_input import TokenKind

CLASSES = 3


class Layer(nn.Module):
    """One transformer layer in BERT's order (normalise after)."""

    def __init__(self, width: int, inner: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)
        self.drop = nn.Dropout(0.0)

    def forward(self, x: Tensor, mask: Tensor | None, head: Tensor | None = None) -> Tensor:
        """Attend over all of `x`; if `head` (its first tokens) is given, only those go on."""
        if head is None:
            head = x
            q, k, v = (self._split(part) for part in self.qkv(x).chunk(3, -1))
        else:
            width = x.shape[2]
            weight, bias = self.qkv.weight, self.qkv.bias
            q = self._split(functional.linear(head, weight[:width], bias[:width]))
            both = functional.linear(x, weight[width:], bias[width:])
            k, v = (self._split(part) for part in both.chunk(2, -1))
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        mixed = mixed.transpose(1, 2).flatten(2)
        x = self.norm1(head + self.drop(self.out(mixed)))
        return self.norm2(x + self.drop(self.down(functional.gelu(self.up(x)))))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Verifier(nn.Module):
    """Gives class logits for each token of the claim, and for the whole from the first token."""

    def __init__(
        self,
        *,
        vocabulary: int = 30522,
        width: int = 384,
        inner: int = 1536,
        heads: int = 12,
        layers: int = 6,
    ) -> None:
        super().__init__()
        self.word = nn.Embedding(vocabulary, width)
        self.position = nn.Embedding(512, width)
        self.kind = nn.Embedding(len(TokenKind), width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(width, inner, heads) for _ in range(layers))
        self.token_head = nn.Linear(width, CLASSES)
        self.claim_head = nn.Sequential(
            nn.Linear(width, width), nn.Tanh(), nn.Linear(width, CLASSES)
        )

    def set_dropout(self, share: float) -> None:
        """Drop this share of what each sub-layer adds while training."""
        for layer in self.layers:
            layer.drop.p = share

    def forward(
        self, ids: Tensor, kinds: Tensor, mask: Tensor | None, claim: Tensor
    ) -> tuple[Tensor, Tensor]:
        """`claim` tells by its width how many first tokens hold the longest claim of the batch."""
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.word(ids) + self.position(positions) + self.kind(kinds))
        attend = None if mask is None else mask[:, None, None, :]
        for layer in self.layers[:-1]:
            x = layer(x, attend)
        x = self.layers[-1](x, attend, x[:, : claim.shape[1]])
        return self.token_head(x), self.claim_head(x[:, 0])


def from_base(directory: Path) -> Verifier:
    """Build a verifier on the published MiniLM weights; only the heads start from noise."""
    config = json.loads((directory / "config.json").read_text())
    found = load_file(directory / "model.safetensors")
    found = {name.removeprefix("bert."): tensor for name, tensor in found.items()}
    model = Verifier(
        vocabulary=config["vocab_size"], width=config["hidden_size"],
        inner=config["intermediate_size"],
        heads=config["num_attention_heads"], layers=config["num_hidden_layers"],
    )  # fmt: skip
    _fill(model, found)
    return model


def _fill(model: Verifier, found: dict[str, Tensor]) -> None:
    with torch.no_grad():
        model.word.weight.copy_(found["embeddings.word_embeddings.weight"])
        model.position.weight.copy_(found["embeddings.position_embeddings.weight"])
        types = found["embeddings.token_type_embeddings.weight"]
        for kind in TokenKind:
            model.kind.weight[kind] = types[0 if kind <= TokenKind.EVIDENCE_SHARED else 1]
        _copy(model.norm, found, "embeddings.LayerNorm")
        for at, layer in enumerate(model.layers):
            assert isinstance(layer, Layer)
            _copy_layer(layer, found, f"encoder.layer.{at}")


def from_onnx(path: Path) -> Verifier:
    """Build a verifier on a BERT encoder that was exported to fp32 ONNX (gte-small, MiniLM).

    An export keeps the names of tables, norms and biases; products are named by number and stand
    in the order of the layers: query, key, value, output, up, down.
    """
    import onnx
    from onnx import numpy_helper

    arrays = {
        one.name: torch.from_numpy(numpy_helper.to_array(one).copy())
        for one in onnx.load(path).graph.initializer
    }
    products = iter([tensor for name, tensor in arrays.items() if name.startswith("onnx::MatMul")])
    layers = 1 + max(int(n.split(".")[2]) for n in arrays if n.startswith("encoder.layer."))
    for at in range(layers):
        for part in (
            "attention.self.query", "attention.self.key", "attention.self.value",
            "attention.output.dense", "intermediate.dense", "output.dense",
        ):  # fmt: skip
            arrays[f"encoder.layer.{at}.{part}.weight"] = next(products).T
    words, width = arrays["embeddings.word_embeddings.weight"].shape
    inner = arrays["encoder.layer.0.intermediate.dense.bias"].shape[0]
    model = Verifier(vocabulary=words, width=width, inner=inner, heads=width // 32, layers=layers)
    _fill(model, arrays)
    return model


def _copy_layer(layer: Layer, found: dict[str, Tensor], at: str) -> None:
    for part in ("weight", "bias"):
        stacked = [
            found[f"{at}.attention.self.{name}.{part}"] for name in ("query", "key", "value")
        ]
        getattr(layer.qkv, part).copy_(torch.cat(stacked))
    _copy(layer.out, found, f"{at}.attention.output.dense")
    _copy(layer.norm1, found, f"{at}.attention.output.LayerNorm")
    _copy(layer.up, found, f"{at}.intermediate.dense")
    _copy(layer.down, found, f"{at}.output.dense")
    _copy(layer.norm2, found, f"{at}.output.LayerNorm")


def _copy(module: nn.Module, found: dict[str, Tensor], at: str) -> None:
    module.weight.copy_(found[f"{at}.weight"])  # type: ignore[operator]
    module.bias.copy_(found[f"{at}.bias"])  # type: ignore[operator]
