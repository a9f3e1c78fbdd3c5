"""Scores of a RAGTruth slice along the run-time path, kept in parts to go on after a kill."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from firmground.claims.prose import prose_claims
from firmground.core.claim import Standing
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.verify.builtin import builtin_limits, neural_inputs
from firmground.verify.judge import LexicalJudge
from firmground.verify.lexical import LexicalScorer
from firmground.verify.neural import NeuralScorer, RawScore, contradicted_share
from firmground.verify.risk import risk_features
from firmground.verify.scorer import Query, Score
from training.corpus import Response

PART = 30


@dataclass(frozen=True, slots=True)
class ScoredClaim:
    """A claim of an answer with everything the scorers said of it."""

    start: int
    end: int
    lexical: float
    lexical_pieces: tuple[tuple[int, int, float], ...]
    vetoed: bool
    contrary: bool
    raw: RawScore


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
    evidence = (Evidence(text=response.source),)
    return Inquiry(question=question, answer=response.text, claims=claims, evidence=evidence)


def queries_of(response: Response) -> tuple[Query, ...]:
    """Give what the judge would ask its scorers about a response."""
    listener = _Listener()
    LexicalJudge(scorers=(listener,)).examine(inquiry_of(response))
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
    judge = LexicalJudge(scorers=(_Teller(scores),), limits=builtin_limits(threshold))
    found = judge.examine(inquiry_of(scored.response)).assessments
    told = [one for one in found if one.standing is not Standing.NOT_CHECKABLE]
    return risk_features(
        [1 - one.support for one in told],
        [any(note.standing is not None for note in one.notes) for one in told],
        [one.standing is Standing.CONTRADICTED for one in told],
    )


def score_all(
    responses: Sequence[Response],
    scorer: NeuralScorer,
    cache: Path | None = None,
    *,
    first: int = 0,
) -> list[ScoredResponse]:
    """Score responses; with a cache directory, finished parts are read instead of redone.

    `first` is the place of the first response among all, which names its part.
    """
    found: list[ScoredResponse] = []
    for start in range(0, len(responses), PART):
        part = responses[start : start + PART]
        path = cache / f"part-{first + start:06d}.pickle" if cache else None
        if path is not None and path.exists():
            claims = pickle.loads(path.read_bytes())
        else:
            claims = [_score(response, scorer) for response in part]
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                partial = path.with_suffix(".partial")
                partial.write_bytes(pickle.dumps(claims))
                partial.replace(path)
        found += [ScoredResponse(r, c) for r, c in zip(part, claims, strict=True)]
    return found


def refresh(responses: Sequence[Response], scorer: NeuralScorer, path: Path) -> None:
    """Redo a part's checks and lexical scores, and the model's only where claims have changed."""
    old = pickle.loads(path.read_bytes())
    fresh = []
    for response, before in zip(responses, old, strict=True):
        queries = queries_of(response)
        spans = [(query.case.claim.start, query.case.claim.end) for query in queries]
        same = spans == [(claim.start, claim.end) for claim in before]
        raws = [c.raw for c in before] if same else scorer.raw(neural_inputs(queries))
        lexical = LexicalScorer().score(queries)
        fresh.append(tuple(_claim(q, p, r) for q, p, r in zip(queries, lexical, raws, strict=True)))
    partial = path.with_suffix(".partial")
    partial.write_bytes(pickle.dumps(fresh))
    partial.replace(path)


def _score(response: Response, scorer: NeuralScorer) -> tuple[ScoredClaim, ...]:
    queries = queries_of(response)
    lexical = LexicalScorer().score(queries)
    raws = scorer.raw(neural_inputs(queries))
    return tuple(
        _claim(query, plain, raw) for query, plain, raw in zip(queries, lexical, raws, strict=True)
    )


def _claim(query: Query, plain: Score, raw: RawScore) -> ScoredClaim:
    against = [n.standing for n in query.notes if n.standing is not None and not n.standing.stands]
    return ScoredClaim(
        start=query.case.claim.start,
        end=query.case.claim.end,
        lexical=plain.support,
        lexical_pieces=plain.pieces,
        vetoed=bool(against),
        contrary=Standing.CONTRADICTED in against,
        raw=raw,
    )


def table(
    scored: Sequence[ScoredResponse],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Give the claims' features, lexical supports, owners and labels as arrays."""
    claims = [
        (at, c, t) for at, s in enumerate(scored) for c, t in zip(s.claims, s.truth, strict=True)
    ]
    return (
        np.array([c.raw.features for _, c, _ in claims]),
        np.array([c.lexical for _, c, _ in claims]),
        np.array([at for at, _, _ in claims]),
        np.array([t for _, _, t in claims]),
    )
