"""Models in the transformers format, run by torch. Code that comes with a model is never run."""

from __future__ import annotations

import inspect
from functools import cached_property
from typing import Any

from firmground.adapters.extras import need
from firmground.adapters.judges.backend import (
    Figures,
    ModelInput,
    decoder_start,
    listed,
    read_tokenizer,
    whole,
)
from firmground.adapters.judges.location import ModelLocation
from firmground.errors import InputError, ModelError

_HHEM = "HHEMv2"


class TorchBackend:
    """Runs a model from a local directory; loaded on first use, in evaluation mode."""

    def __init__(self, place: ModelLocation, *, extra: str, tokens: bool = False) -> None:
        """``tokens``: the model labels tokens; ``extra`` is named when torch is missing."""
        self._place = place
        self._tokens = tokens
        purpose = f"the judge {extra}"
        self._torch = need("torch", package="torch", extra=extra, purpose=purpose)
        self._library = need("transformers", package="transformers", extra=extra, purpose=purpose)

    @cached_property
    def tokenizer(self) -> Any:
        """Its fast tokenizer, from tokenizer.json or made by transformers."""
        if (self._place.directory / "tokenizer.json").is_file():
            return read_tokenizer(self._place)
        try:
            made = self._library.AutoTokenizer.from_pretrained(
                str(self._place.directory), local_files_only=True, trust_remote_code=False
            )
            return whole(made.backend_tokenizer)
        except Exception as error:  # noqa: BLE001 - transformers raises what its parts raise
            raise InputError(f"{self._place.directory}: has no fast tokenizer: {error}") from None

    @cached_property
    def _model(self) -> Any:
        try:
            return self._load().eval()
        except Exception as error:  # noqa: BLE001 - transformers raises what its parts raise
            raise InputError(f"{self._place.directory}: cannot be loaded: {error}") from None

    def _load(self) -> Any:
        config = self._place.config
        if config.get("model_type") == _HHEM:
            return hhem_model(self._library, self._place)
        kind = (
            "AutoModelForTokenClassification"
            if self._tokens
            else "AutoModelForSeq2SeqLM"
            if self._writes
            else "AutoModelForSequenceClassification"
        )
        return getattr(self._library, kind).from_pretrained(
            str(self._place.directory), local_files_only=True, trust_remote_code=False
        )

    @property
    def _writes(self) -> bool:
        shapes = self._place.config.get("architectures") or ()
        return any(str(shape).endswith("ForConditionalGeneration") for shape in shapes)

    def run(self, tokens: ModelInput) -> Figures:
        """Run one input without gradients."""
        torch = self._torch
        model = self._model
        feed = {"input_ids": torch.tensor([tokens.ids])}
        feed["attention_mask"] = torch.ones_like(feed["input_ids"])
        taken = inspect.signature(model.forward).parameters
        if "token_type_ids" in taken and getattr(model.config, "type_vocab_size", 0) > 1:
            feed["token_type_ids"] = torch.tensor([tokens.types])
        if self._writes:
            feed["decoder_input_ids"] = torch.tensor([[decoder_start(self._place)]])
        try:
            with torch.inference_mode():
                found = model(**feed).logits[0]
        except Exception as error:  # noqa: BLE001 - a model of the user's may fail in any way
            raise ModelError(f"{self._place.directory.name}: {error}") from None
        return listed(found.float(), self._place.directory.name)


def hhem_model(library: Any, place: ModelLocation) -> Any:
    """Build HHEM 2.1 from its weights alone: a T5 encoder with a head, sizes read off the tables.

    The published model brings its own Python code; this does the same sums without running it.
    """
    safetensors = need(
        "safetensors.torch", package="safetensors", extra="hhem", purpose="the judge hhem"
    )
    path = place.directory / "model.safetensors"
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    found = {
        name.removeprefix("t5."): table for name, table in safetensors.load_file(str(path)).items()
    }
    stem = "transformer.encoder"
    tied = ("transformer.shared.weight", f"{stem}.embed_tokens.weight")
    shared = next(found[name] for name in tied if name in found)
    found.update(dict.fromkeys(tied, shared))
    query = found[f"{stem}.block.0.layer.0.SelfAttention.q.weight"]
    bias = found[f"{stem}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    gated = f"{stem}.block.0.layer.1.DenseReluDense.wi_0.weight"
    plain = f"{stem}.block.0.layer.1.DenseReluDense.wi.weight"
    inner = found[gated if gated in found else plain]
    layers = 1 + max(int(n.split(".")[3]) for n in found if n.startswith(f"{stem}.block."))
    config = library.T5Config(
        vocab_size=shared.shape[0],
        d_model=shared.shape[1],
        d_kv=query.shape[0] // bias.shape[1],
        d_ff=inner.shape[0],
        num_layers=layers,
        num_heads=bias.shape[1],
        relative_attention_num_buckets=bias.shape[0],
        feed_forward_proj="gated-gelu" if gated in found else "relu",
        num_labels=found["classifier.weight"].shape[0],
    )
    model = library.T5ForTokenClassification(config)
    model.load_state_dict(found)
    return model
