"""The built-in neural verifier: for every claim and every token of it, does the evidence agree?

It runs int8 weights from inside the package on a CPU. Every window is run on its own,
without padding: dynamic quantisation scales by the whole input, so a claim batched with
others would get a score that depends on its neighbours. Several threads each take windows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmground.errors import FirmgroundError, InputError
from firmground.verify.forest import Forest, read_forest
from firmground.verify.neural_features import features
from firmground.verify.neural_input import InputBuilder, PreparedEvidence, Window
from firmground.verify.neural_spans import Problem, TokenScore, problems
from firmground.verify.risk import RiskWeights, read_risk_weights

if TYPE_CHECKING:
    import onnxruntime

MODEL_DIR = Path(__file__).parent / "model"


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
    problems: tuple[Problem, ...]
    shown: tuple[int, ...]
    features: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawScore:
    """The model's own outputs for one claim, before fusion and calibration."""

    windows: tuple[Window, ...]
    whole: tuple[tuple[float, float], ...]
    tokens: tuple[tuple[tuple[float, float, float], ...], ...]
    features: tuple[float, ...]


def available(directory: Path = MODEL_DIR) -> bool:
    """Say whether the weights are in place."""
    return all((directory / name).exists() for name in ("model.onnx", "tokenizer.json"))


@cache
def model_version(directory: Path = MODEL_DIR) -> str:
    """Name the shipped weights by their content."""
    whole = hashlib.sha256()
    for name in ("model.onnx", "tokenizer.json", "meta.json"):
        whole.update((directory / name).read_bytes())
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
            found.append(RawScore(windows=group, whole=whole, tokens=tokens, features=row))
        return tuple(found)

    @cached_property
    def meta(self) -> Meta:
        """Thresholds, fusion and calibration, checked to belong to the weights beside them."""
        return _read_meta(self._directory, self._meta_file)

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(
            str(self._directory / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _builder(self) -> InputBuilder:
        from tokenizers import Tokenizer

        return InputBuilder(Tokenizer.from_file(str(self._directory / "tokenizer.json")))

    def windows(self, items: Sequence[ScoredInput]) -> list[tuple[Window, ...]]:
        """Build the model's inputs for each claim."""
        caches: dict[int, dict[int, Any]] = {}
        return [
            self._builder.windows(
                item.claim, item.context, item.evidence, caches.setdefault(id(item.evidence), {})
            )
            for item in items
        ]

    def run(self, windows: Sequence[Window]) -> list[_Output]:
        """Run the model on inputs, in order."""
        session = self._session
        if self._threads == 1 or len(windows) < 2:
            return [_run(session, window) for window in windows]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(lambda window: _run(session, window), windows))

    def finish(self, claim: str, raw: RawScore) -> NeuralScore:
        """Turn raw outputs into calibrated probabilities and marked pieces."""
        meta = self.meta
        bad = meta.claim.probability(raw.features)
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

    def pieces(self, claim: str, raw: RawScore) -> tuple[Problem, ...]:
        """Mark the pieces of a claim whose tokens do not stand."""
        return problems(claim, token_scores(raw), threshold=self.meta.token_threshold)


def worst_word(claim: str, raw: RawScore) -> tuple[Problem, ...]:
    """Mark only what speaks loudest against a claim, and nothing if it has no tokens."""
    scores = token_scores(raw)
    peak = max((1 - token.supported for token in scores), default=1.0)
    return problems(claim, scores, threshold=peak, bridge=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What was fitted beside the weights: fusion, calibration, thresholds."""

    claim: Forest
    """From the model's features alone."""
    fused: Forest
    """With the log-odds of the lexical scorer as the last feature."""
    claim_threshold: float
    """From this risk on, a claim is flagged."""
    sure_threshold: float
    """From this risk on, every piece in doubt is marked; below it only the worst word is."""
    risk: RiskWeights
    """How fused claims add up to the risk of an answer."""
    token_threshold: float
    """From this probability on, a token does not stand."""
    version: str
    fitted: str = ""
    """Names the file this was read from by its content."""


_Output = tuple[tuple[float, float], tuple[tuple[float, float, float], ...]]


def _run(session: onnxruntime.InferenceSession, window: Window) -> _Output:
    import numpy

    reach = 1 + len(window.claim_offsets)
    feed = {
        "ids": numpy.array([window.ids], numpy.int64),
        "kinds": numpy.array([window.kinds], numpy.int64),
        "claim": numpy.zeros((1, reach), numpy.int64),
    }
    tokens, whole = session.run(None, feed)
    logs = [float(value) for value in whole]
    rows = tuple((float(a), float(b), float(c)) for a, b, c in tokens[1:reach])
    return (logs[1] - logs[0], logs[2] - logs[0]), rows


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


def _read_meta(directory: Path, path: Path) -> Meta:
    try:
        raw = path.read_bytes()
        found = json.loads(raw)
        meta = _meta(found, hashlib.sha256(raw).hexdigest()[:16])
        expected = dict(found["sha256"])
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InputError(f"{path}: holds no fusion for the built-in verifier") from None
    for name, digest in expected.items():
        if hashlib.sha256((directory / name).read_bytes()).hexdigest() != digest:
            raise FirmgroundError(f"{directory / name} is not the file that {path} was made for")
    return meta


def _meta(found: dict[str, Any], fitted: str) -> Meta:
    limits = found["thresholds"]
    return Meta(
        claim=read_forest(found["claim"]),
        fused=read_forest(found["fused"]),
        claim_threshold=float(limits["claim"]),
        sure_threshold=float(limits["sure"]),
        risk=read_risk_weights(found["risk"]),
        token_threshold=float(limits["token"]),
        version=found["sha256"]["model.onnx"][:16],
        fitted=fitted,
    )
