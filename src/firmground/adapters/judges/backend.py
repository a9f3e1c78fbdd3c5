"""The seam under every model judge: tokens in, raw figures out. One input at a time.

Inputs are never padded together, so a claim's score does not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from firmground.adapters.extras import need
from firmground.adapters.judges.location import ModelLocation
from firmground.errors import InputError, ModelError

if TYPE_CHECKING:
    import onnxruntime

Figures = Sequence[Any]
"""One list of class figures, or one such list for each token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInput:
    """One input of a model."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    """Which of two texts each token belongs to, as models with segments count."""


class Backend(Protocol):
    """Runs a model on one input."""

    @property
    def tokenizer(self) -> Any:
        """A ``tokenizers.Tokenizer``, without truncation and padding."""
        ...

    def run(self, tokens: ModelInput) -> Figures:
        """Return the raw figures, or raise ``ModelError``."""
        ...


class OnnxBackend:
    """Runs an exported graph by onnxruntime; loaded on first use, one thread."""

    def __init__(self, place: ModelLocation) -> None:
        if place.onnx is None:
            raise InputError(f"{place.directory}: holds no exported graph to run")
        self._place = place
        self._file = place.onnx

    @cached_property
    def tokenizer(self) -> Any:
        """The tokenizer that lies beside the graph."""
        return read_tokenizer(self._place)

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            return onnxruntime.InferenceSession(
                str(self._file), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # noqa: BLE001 - onnxruntime has no error type of its own here
            raise InputError(f"{self._file}: cannot be loaded: {error}") from None

    def run(self, tokens: ModelInput) -> Figures:
        """Feed the inputs that the graph asks for, by name."""
        import numpy

        ids = numpy.array([tokens.ids], numpy.int64)
        known = {
            "input_ids": ids,
            "attention_mask": numpy.ones_like(ids),
            "token_type_ids": numpy.array([tokens.types], numpy.int64),
            "decoder_input_ids": numpy.array([[decoder_start(self._place)]], numpy.int64),
        }
        asked = [one.name for one in self._session.get_inputs()]
        unknown = sorted(set(asked) - set(known))
        if unknown:
            raise InputError(f"{self._file}: asks for unknown inputs: {', '.join(unknown)}")
        try:
            found = self._session.run(None, {name: known[name] for name in asked})[0][0]
        except Exception as error:  # noqa: BLE001 - a graph of the user's may fail in any way
            raise ModelError(f"{self._file.name}: {error}") from None
        return listed(found, self._file.name)


def listed(found: Any, name: str) -> Figures:
    """Return an output as a list; a single number is not one figure for each class."""
    figures = found.tolist()
    if not isinstance(figures, list):
        raise ModelError(f"{name}: gave one number where a list was expected")
    return figures


def decoder_start(place: ModelLocation) -> int:
    """Give the token that an encoder-decoder begins to write with."""
    found = place.config.get("decoder_start_token_id", 0)
    return found if isinstance(found, int) else 0


def read_tokenizer(place: ModelLocation) -> Any:
    """Read tokenizer.json; whatever it says about truncation is not done."""
    path = place.directory / "tokenizer.json"
    if not path.is_file():
        raise InputError(f"{path}: no such file; save the model with its fast tokenizer")
    tokenizers = need(
        "tokenizers", package="tokenizers", extra="judges", purpose="models of your own as judges"
    )
    try:
        return whole(tokenizers.Tokenizer.from_file(str(path)))
    except Exception as error:  # noqa: BLE001 - tokenizers raises bare exceptions
        raise InputError(f"{path}: is not a tokenizer: {error}") from None


def whole(tokenizer: Any) -> Any:
    """Switch truncation and padding off: what does not fit is cut by us, in words."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
