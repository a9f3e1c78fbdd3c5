"""A model judge from its name and the place of its model."""

from __future__ import annotations

from firmground.adapters.judges.backend import Backend, OnnxBackend
from firmground.adapters.judges.forms import FORMS, longest_input
from firmground.adapters.judges.judge import ModelJudge
from firmground.adapters.judges.labels import token_classes
from firmground.adapters.judges.lettuce import TokenReader
from firmground.adapters.judges.location import ModelLocation, find_place
from firmground.adapters.judges.opinion import OpinionReader
from firmground.adapters.judges.pairs import PairReader
from firmground.adapters.judges.torch_backend import TorchBackend
from firmground.errors import InputError

MODEL_JUDGES = ("factcg", "hhem", "lettucedetect", "minicheck", "nli")
_LONGEST_LABELLED = 4096


def model_judge(kind: str, where: str, *, grounded_from: float = 0.5) -> ModelJudge:
    """Return a judge over a model of the user's; nothing heavy is loaded before it is needed."""
    if kind not in MODEL_JUDGES:
        raise InputError(f"judge {kind!r} is unknown; there are {', '.join(MODEL_JUDGES)}")
    if not where:
        raise InputError(f"judge {kind}: needs a model, as {kind}:/path/to/model")
    if not 0.0 < grounded_from < 1.0:
        raise InputError(f"judge {kind}: the limit must lie between 0 and 1, got {grounded_from}")
    place = find_place(where)
    return ModelJudge(reader=_reader(kind, place), grounded_from=grounded_from)


def _reader(kind: str, place: ModelLocation) -> OpinionReader:
    if kind == "lettucedetect":
        return TokenReader(
            _backend(kind, place, tokens=True),
            token_classes(place),
            name=kind,
            version=place.digest,
            longest=longest_input(place, _LONGEST_LABELLED),
        )
    form = FORMS[kind](place)
    return PairReader(_backend(kind, place), form, name=kind, version=place.digest)


def _backend(kind: str, place: ModelLocation, *, tokens: bool = False) -> Backend:
    if place.onnx is not None:
        return OnnxBackend(place)
    return TorchBackend(place, extra=kind, tokens=tokens)
