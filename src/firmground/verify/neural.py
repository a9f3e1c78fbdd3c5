"""The built-in neural verifier: for every claim and every token of it, does the evidence agree?

It runs int8 weights from inside the package on a CPU. Every window is run on its own,
without padding: dynamic quantisation scales by the whole input, so a claim batched with
others would get a score that depends on its neighbours. Several threads each take windows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmground.errors import InputError, ModelError
from firmground.verify.neural_features import features
from firmground.verify.neural_input import InputBuilder, InputWindow, PreparedEvidence
from firmground.verify.neural_meta import WEIGHT_FILES, Meta, file_bytes, read_meta
from firmground.verify.neural_spans import ScoredSpan, TokenScore, problems
from firmground.verify.wordpiece import WordPieceTokenizer

if TYPE_CHECKING:
    import onnxruntime

MODEL_DIR = Path(__file__).parent / "model"
_ASKS, _GIVES = {"ids", "kinds", "claim"}, ["tokens", "whole"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredInput:
    """A claim, the text just before it in the answer, and the evidence it must stand on."""

    claim: str
    evidence: PreparedEvidence
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuralScore:
    """What the model says of one claim; the three probabilities are calibrated and sum to 1.

    `problems` are exact pieces of the claim, `shown` the evidence units that were read,
    `features` the values the fusion weighed, in the order of `neural_features.FEATURES`.
    """

    supported: float
    ungrounded: float
    contradicted: float
    problems: tuple[ScoredSpan, ...]
    shown: tuple[int, ...]
    features: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawScore:
    """The model's own outputs for one claim, before fusion and calibration."""

    windows: tuple[InputWindow, ...]
    whole: tuple[tuple[float, float], ...]
    tokens: tuple[tuple[tuple[float, float, float], ...], ...]
    features: tuple[float, ...]
    parts: tuple[tuple[float, ...], ...] = ()
    """The features of each part of a claim that was read in several inputs."""


def available(directory: Path = MODEL_DIR) -> bool:
    """Say whether the weights are in place."""
    return all((directory / name).exists() for name in WEIGHT_FILES)


@cache
def model_version(directory: Path = MODEL_DIR) -> str:
    """Name the shipped weights by their content."""
    whole = hashlib.sha256()
    for name in (*WEIGHT_FILES, "meta.json"):
        whole.update(file_bytes(directory / name))
    return whole.hexdigest()[:16]


class NeuralScorer:
    """Scores claims; loads its weights on first use, once, and holds at most `threads` threads."""

    def __init__(
        self, directory: Path = MODEL_DIR, *, threads: int = 1, meta_file: Path | None = None
    ) -> None:
        """``meta_file`` replaces the fusion and the limits that came with the weights."""
        if threads < 1:
            raise ValueError(f"threads must be at least 1, got {threads}")
        self._directory = directory
        self._meta_file = meta_file or directory / "meta.json"
        self._threads = threads

    def score(self, items: Sequence[ScoredInput]) -> tuple[NeuralScore, ...]:
        """Score claims in the order given."""
        return tuple(
            self.finish(item.claim, raw) for item, raw in zip(items, self.raw(items), strict=True)
        )

    def raw(self, items: Sequence[ScoredInput]) -> tuple[RawScore, ...]:
        """Give the model's outputs without fusion, as fitting the fusion needs them."""
        windows = self.windows(items)
        flat = [window for group in windows for window in group]
        outputs = iter(self.run(flat))
        found = []
        for item, group in zip(items, windows, strict=True):
            pairs = [next(outputs) for _ in group]
            whole = tuple(pair[0] for pair in pairs)
            tokens = tuple(pair[1] for pair in pairs)
            row = features(item.claim, group, whole, tokens, item.evidence)
            parts = _part_features(item, group, pairs) if len(group) > 1 else ()
            found.append(
                RawScore(windows=group, whole=whole, tokens=tokens, features=row, parts=parts)
            )
        return tuple(found)

    @cached_property
    def meta(self) -> Meta:
        """Thresholds, fusion and calibration, checked to belong to the weights beside them."""
        return read_meta(self._directory, self._meta_file)

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        path = self._directory / "model.onnx"
        try:
            session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # noqa: BLE001 - onnxruntime has no error type of its own here
            raise InputError(f"{path}: cannot be loaded: {error}") from None
        asks = {one.name for one in session.get_inputs()}
        gives = [one.name for one in session.get_outputs()]
        if asks != _ASKS or gives != _GIVES:
            raise InputError(
                f"{path}: asks for {', '.join(sorted(asks))} and gives {', '.join(gives)}; "
                f"this is not a graph of the built-in verifier"
            )
        return session

    @cached_property
    def _builder(self) -> InputBuilder:
        path = self._directory / "tokenizer.json"
        try:
            return InputBuilder(WordPieceTokenizer(path))
        except (ValueError, IndexError) as error:  # a vocabulary without the marks it needs
            raise InputError(f"{path}: cannot be used: {error}") from None

    def windows(self, items: Sequence[ScoredInput]) -> list[tuple[InputWindow, ...]]:
        """Build the model's inputs for each claim."""
        caches: dict[int, dict[int, Any]] = {}
        return [
            self._builder.windows(
                item.claim, item.context, item.evidence, caches.setdefault(id(item.evidence), {})
            )
            for item in items
        ]

    def run(self, windows: Sequence[InputWindow]) -> list[_Output]:
        """Run the model on inputs, in order."""
        session = self._session
        if self._threads == 1 or len(windows) < 2:
            return [_run(session, window) for window in windows]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(lambda window: _run(session, window), windows))

    def finish(self, claim: str, raw: RawScore) -> NeuralScore:
        """Turn raw outputs into calibrated probabilities and marked pieces."""
        meta = self.meta
        bad = max(meta.claim.probability(raw.features), worst_part(meta, raw))
        share = contradicted_share(raw)
        pieces = self.pieces(claim, raw)
        return NeuralScore(
            supported=1 - bad,
            ungrounded=bad * (1 - share),
            contradicted=bad * share,
            problems=pieces if bad >= meta.claim_threshold else (),
            shown=tuple(dict.fromkeys(at for window in raw.windows for at in window.shown)),
            features=raw.features,
        )

    def pieces(self, claim: str, raw: RawScore) -> tuple[ScoredSpan, ...]:
        """Mark the pieces of a claim whose tokens do not stand."""
        return problems(claim, token_scores(raw), threshold=self.meta.token_threshold)


def worst_word(claim: str, raw: RawScore) -> tuple[ScoredSpan, ...]:
    """Mark only what speaks loudest against a claim, and nothing if it has no tokens."""
    scores = token_scores(raw)
    peak = max((1 - token.supported for token in scores), default=1.0)
    return problems(claim, scores, threshold=peak, bridge=0)


_Output = tuple[tuple[float, float], tuple[tuple[float, float, float], ...]]


def _run(session: onnxruntime.InferenceSession, window: InputWindow) -> _Output:
    import numpy

    reach = 1 + len(window.claim_offsets)
    feed = {
        "ids": numpy.array([window.ids], numpy.int64),
        "kinds": numpy.array([window.kinds], numpy.int64),
        "claim": numpy.zeros((1, reach), numpy.int64),
    }
    try:
        tokens, whole = session.run(None, feed)
    except Exception as error:  # noqa: BLE001 - a graph of the user's may fail in any way
        raise ModelError(f"the built-in verifier could not be run: {error}") from None
    sound = tokens.shape == (reach, 3) and whole.shape == (3,)
    if not sound or not (numpy.isfinite(tokens).all() and numpy.isfinite(whole).all()):
        raise ModelError("the built-in verifier gave no finite figure for each token and class")
    logs = [float(value) for value in whole]
    rows = tuple((float(a), float(b), float(c)) for a, b, c in tokens[1:reach])
    return (logs[1] - logs[0], logs[2] - logs[0]), rows


def _part_features(
    item: ScoredInput, windows: Sequence[InputWindow], outputs: Sequence[_Output]
) -> tuple[tuple[float, ...], ...]:
    return tuple(
        features(_text(item.claim, window), (window,), (whole,), (tokens,), item.evidence)
        for window, (whole, tokens) in zip(windows, outputs, strict=True)
    )


def _text(claim: str, window: InputWindow) -> str:
    places = window.claim_offsets
    return claim[places[0][0] : places[-1][1]] if places else claim


def worst_part(meta: Meta, raw: RawScore) -> float:
    """Give the risk of the worst part of a claim read in several inputs, else none.

    Over a whole long claim every figure is thinned out by what is right in it.
    """
    return max((meta.claim.probability(row) for row in raw.parts), default=0.0)


def contradicted_share(raw: RawScore) -> float:
    """Split a claim's risk between contradicted and ungrounded as head and tokens together do."""
    from math import exp

    silent = max(exp(min(row[0], 30)) for row in raw.whole)
    against = max(exp(min(row[1], 30)) for row in raw.whole)
    tokens = [token for row in raw.tokens for token in row]
    silent_mass = sum(token[1] for token in tokens)
    against_mass = sum(token[2] for token in tokens)
    head = against / (against + silent) if against + silent else 0.5
    body = against_mass / (against_mass + silent_mass) if against_mass + silent_mass else head
    return (head + body) / 2


def token_scores(raw: RawScore) -> list[TokenScore]:
    """Put each claim token's probabilities beside where it lies in the claim."""
    return [
        TokenScore(start=start, end=end, supported=row[0], ungrounded=row[1], contradicted=row[2])
        for window, rows in zip(raw.windows, raw.tokens, strict=True)
        for (start, end), row in zip(window.claim_offsets, rows, strict=True)
    ]
