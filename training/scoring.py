"""Scores of a RAGTruth slice along the run-time path, kept in parts to go on after a kill."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from firmground.claims.prose import prose_claims
from firmground.core.claim import Claim, Standing
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.verify import alignment as alignment_module
from firmground.verify import comparison as comparison_module
from firmground.verify import neural_features, neural_input, select, units
from firmground.verify.builtin import builtin_limits, neural_inputs
from firmground.verify.checks import CHECKS
from firmground.verify.comparison import comparison
from firmground.verify.judge import LexicalJudge
from firmground.verify.lexical import LexicalScorer
from firmground.verify.neural import NeuralScorer, RawScore, contradicted_share
from firmground.verify.risk import risk_features
from firmground.verify.scorer import Query, Score
from firmground.verify.trees import logit
from training.corpus import Response

PART = 30
_SHOWS = (neural_input, neural_features, select, units, alignment_module, comparison_module)


@dataclass(frozen=True, slots=True)
class ScoredClaim:
    """A claim of an answer with everything the scorers said of it."""

    start: int
    end: int
    claim: Claim
    """As the answer has it; `start` and `end` are its place there."""
    lexical: float
    lexical_pieces: tuple[tuple[int, int, float], ...]
    """Places in the statement that is judged, like the model's tokens."""
    vetoed: bool
    contrary: bool
    raw: RawScore
    aligned: tuple[float, ...]
    codes: tuple[str, ...]
    """What the checks noted."""


@dataclass(frozen=True, slots=True)
class ScoredResponse:
    """A response with the scores of its checkable claims, in order."""

    response: Response
    claims: tuple[ScoredClaim, ...]

    @property
    def truth(self) -> list[bool]:
        return [
            any(s < claim.end and claim.start < e for s, e, _ in self.response.problems)
            for claim in self.claims
        ]


class _Listener:
    """A scorer that only remembers what it was asked, to see what the judge asks."""

    name = "listener"

    def __init__(self) -> None:
        self.queries: tuple[Query, ...] = ()

    def score(self, queries: Sequence[Query]) -> tuple[Score, ...]:
        self.queries = tuple(queries)
        return tuple(Score(scorer=self.name, support=1.0) for _ in queries)


def inquiry_of(response: Response) -> Inquiry:
    """Cut a response into claims as a check does."""
    question = Question(text=response.query) if response.query.strip() else None
    claims = prose_claims(response.text, question)
    evidence = tuple(Evidence(text=text) for text in response.evidence or (response.source,))
    return Inquiry(question=question, answer=response.text, claims=claims, evidence=evidence)


def queries_of(inquiry: Inquiry) -> tuple[Query, ...]:
    """Give what the judge would ask its scorers about an answer."""
    listener = _Listener()
    LexicalJudge(scorers=(listener,), checks=CHECKS).examine(inquiry)
    return listener.queries


class _Teller:
    """A scorer that says what it was told to, to see what the judge makes of it."""

    name = "teller"

    def __init__(self, scores: Sequence[Score]) -> None:
        self._scores = tuple(scores)

    def score(self, queries: Sequence[Query]) -> tuple[Score, ...]:
        assert len(queries) == len(self._scores)
        return self._scores


def risk_row(scored: ScoredResponse, fails: Sequence[float], threshold: float) -> list[float]:
    """Give an answer's risk figures from what the judge makes of these claim risks."""
    scores = [
        Score(scorer="t", support=1 - r, contradiction=r * contradicted_share(c.raw))
        for r, c in zip(fails, scored.claims, strict=True)
    ]
    judge = LexicalJudge(
        scorers=(_Teller(scores),), checks=CHECKS, limits=builtin_limits(threshold)
    )
    found = judge.examine(inquiry_of(scored.response)).assessments
    told = [one for one in found if one.standing is not Standing.NOT_CHECKABLE]
    return risk_features(
        [1 - one.support for one in told],
        [any(note.standing is not None for note in one.notes) for one in told],
        [one.standing is Standing.CONTRADICTED for one in told],
    )


@dataclass(frozen=True, slots=True)
class Job:
    """What a process needs to score one part."""

    responses: tuple[Response, ...]
    directory: Path
    path: Path | None
    """Where the part is kept; None keeps nothing."""
    refresh: bool
    weights: str


Kept = tuple[tuple[ScoredClaim, ...], ...]


def score_all(
    responses: Sequence[Response],
    directory: Path,
    cache: Path | None = None,
    *,
    refresh: bool = False,
    workers: int = 1,
) -> list[ScoredResponse]:
    """Score responses, in parts side by side; with a cache, finished parts are read.

    A part made by other weights, or shown otherwise, is scored again. `refresh` redoes checks and
    lexical scores, and the model's where claims were cut otherwise; it is needed when anything else
    has changed.
    """
    weights = _version(directory)
    jobs = [
        Job(
            tuple(responses[start : start + PART]),
            directory,
            cache / f"part-{start:06d}.pickle" if cache else None,
            refresh,
            weights,
        )
        for start in range(0, len(responses), PART)
    ]
    if workers > 1 and cache is not None:
        # The children fill the cache; what is kept already is read here, once.
        left = [job for job in jobs if refresh or _kept(job) is None]
        if left:
            with multiprocessing.get_context("spawn").Pool(min(workers, len(left))) as pool:
                for at, size in enumerate(pool.imap_unordered(fill, left), 1):
                    print(f"{at} of {len(left)} parts, {size} answers", file=sys.stderr, flush=True)
        jobs = [replace(job, refresh=False) for job in jobs]
    return _joined(jobs, map(score_part, jobs))


def _version(directory: Path) -> str:
    """Name the weights and the code that says what they are shown and what is made of it."""
    files = (directory / "model.onnx", *(Path(str(module.__file__)) for module in _SHOWS))
    whole = b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files)
    return hashlib.sha256(whole).hexdigest()[:16]


def _joined(jobs: Sequence[Job], parts: Iterable[Kept]) -> list[ScoredResponse]:
    return [
        ScoredResponse(response, claims)
        for job, part in zip(jobs, parts, strict=True)
        for response, claims in zip(job.responses, part, strict=True)
    ]


def fill(job: Job) -> int:
    """Score a part into the cache; only its size travels back."""
    return len(score_part(job))


def score_part(job: Job) -> Kept:
    """Score one part, or read it where it is kept and still true."""
    old = _kept(job)
    if old is not None and not job.refresh:
        return old
    before: Sequence[tuple[ScoredClaim, ...] | None] = old or [None] * len(job.responses)
    scorer = _scorer(job.directory)
    fresh = tuple(
        _score(response, scorer, known)
        for response, known in zip(job.responses, before, strict=True)
    )
    if job.path is not None:
        job.path.parent.mkdir(parents=True, exist_ok=True)
        partial = job.path.with_suffix(f".{os.getpid()}.partial")
        partial.write_bytes(pickle.dumps({"weights": job.weights, "claims": fresh}))
        partial.replace(job.path)
    return fresh


def _kept(job: Job) -> Kept | None:
    if job.path is None or not job.path.exists():
        return None
    found = pickle.loads(job.path.read_bytes())
    sound = isinstance(found, dict) and found["weights"] == job.weights
    return found["claims"] if sound and len(found["claims"]) == len(job.responses) else None


@lru_cache(maxsize=2)
def _scorer(directory: Path) -> NeuralScorer:
    return NeuralScorer(directory)


def _score(
    response: Response, scorer: NeuralScorer, before: tuple[ScoredClaim, ...] | None
) -> tuple[ScoredClaim, ...]:
    inquiry = inquiry_of(response)
    queries = queries_of(inquiry)
    lexical = LexicalScorer().score(queries)
    sizes = [len(query.case.claim.text) for query in queries]
    if before is not None and sizes == [_size(claim) for claim in before]:
        raws = [claim.raw for claim in before]
    else:
        raws = list(scorer.raw(neural_inputs(queries)))
    return tuple(
        _claim(query, inquiry.claims[query.place.position], plain, raw)
        for query, plain, raw in zip(queries, lexical, raws, strict=True)
    )


def _size(claim: ScoredClaim) -> int:
    """How long the statement was that the model read."""
    return len(claim.claim.statement) if hasattr(claim, "claim") else claim.end - claim.start


def _claim(query: Query, claim: Claim, plain: Score, raw: RawScore) -> ScoredClaim:
    against = [n.standing for n in query.notes if n.standing is not None and not n.standing.stands]
    return ScoredClaim(
        start=claim.start,
        end=claim.end,
        claim=claim,
        lexical=plain.support,
        lexical_pieces=plain.pieces,
        vetoed=bool(against),
        contrary=Standing.CONTRADICTED in against,
        raw=raw,
        aligned=comparison(query.case),
        codes=tuple(note.code for note in query.notes),
    )


def table(scored: Sequence[ScoredResponse]) -> Table:
    """Give the claims of answers as arrays."""
    claims = [
        (at, c, t) for at, s in enumerate(scored) for c, t in zip(s.claims, s.truth, strict=True)
    ]
    return Table(
        rows=np.array([c.raw.features for _, c, _ in claims]),
        lexical=np.array([logit(1 - c.lexical) for _, c, _ in claims]),
        aligned=np.array([c.aligned for _, c, _ in claims]),
        codes=[c.codes for _, c, _ in claims],
        owner=np.array([at for at, _, _ in claims]),
        truth=np.array([t for _, _, t in claims]),
    )


@dataclass(frozen=True, slots=True)
class Table:
    """Claims as arrays: the model's figures, the words' log-odds, how they line up, labels."""

    rows: np.ndarray
    lexical: np.ndarray
    aligned: np.ndarray
    codes: list[tuple[str, ...]]
    owner: np.ndarray
    truth: np.ndarray
