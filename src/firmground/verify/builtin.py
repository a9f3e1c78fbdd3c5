"""The built-in scorer: the neural verifier and the lexical figures, fused and calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from firmground.verify.checks import CHECKS, Check
from firmground.verify.comparison import comparison
from firmground.verify.judge import LexicalJudge
from firmground.verify.lexical import LexicalScorer
from firmground.verify.neural import (
    NeuralScorer,
    RawScore,
    ScoredInput,
    contradicted_share,
    worst_part,
    worst_word,
)
from firmground.verify.neural_input import PreparedEvidence, prepare_units
from firmground.verify.neural_meta import NOTED, Meta
from firmground.verify.neural_spans import ScoredSpan
from firmground.verify.reading import EvidenceIndex
from firmground.verify.resolve import StandingLimits
from firmground.verify.risk import RiskWeights
from firmground.verify.scorer import Query, Score
from firmground.verify.trees import logit
from firmground.verify.units import EvidenceUnit

_DIGITS = 6
Piece = tuple[int, int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltinScorer:
    """Scores claims by the trained model and the lexical scorer together."""

    neural: NeuralScorer = field(default_factory=NeuralScorer)
    lexical: LexicalScorer = field(default_factory=LexicalScorer)
    name: str = "builtin"

    def score(self, queries: Sequence[Query]) -> tuple[Score, ...]:
        """Return each claim's calibrated support and the exact pieces that weigh against it."""
        words = self.lexical.score(queries)
        raws = self.neural.raw(neural_inputs(queries))
        return tuple(
            self._fused(query, plain, raw)
            for query, plain, raw in zip(queries, words, raws, strict=True)
        )

    def _fused(self, query: Query, plain: Score, raw: RawScore) -> Score:
        meta = self.neural.meta
        fused = meta.fused.probability(fused_row(meta, query, raw, plain.support))
        fails = max(fused, worst_part(meta, raw))
        return Score(
            scorer=self.name,
            support=round(1 - fails, _DIGITS),
            contradiction=round(fails * contradicted_share(raw), _DIGITS),
            pieces=self._pieces(query, plain, raw, fails),
        )

    def _pieces(self, query: Query, plain: Score, raw: RawScore, fails: float) -> tuple[Piece, ...]:
        meta, claim = self.neural.meta, query.case.claim
        if fails < meta.claim_threshold:
            return ()
        if fails < meta.sure_threshold:
            return _placed(claim.start, worst_word(claim.text, raw))
        return joined((*_placed(claim.start, self.neural.pieces(claim.text, raw)), *plain.pieces))


def builtin_judge(*, threads: int = 1) -> LexicalJudge:
    """Give the judge that uses the trained model, its thresholds as training found them."""
    return judge_over(NeuralScorer(threads=threads))


def judge_over(neural: NeuralScorer, checks: tuple[Check, ...] = CHECKS) -> LexicalJudge:
    """Give the judge over one set of weights: checks are weighed, only the earned ones veto."""
    return LexicalJudge(
        scorers=(BuiltinScorer(neural=neural),),
        checks=checks,
        limits=builtin_limits(neural.meta.claim_threshold),
    )


def builtin_limits(claim_threshold: float) -> StandingLimits:
    """Let the fused score decide alone: how much of a claim was found is one of its features."""
    return StandingLimits(grounded_from=1 - claim_threshold, found_from=0.0)


def builtin_risk() -> RiskWeights:
    """Give the weights by which answers judged by `builtin_judge` get their risk."""
    return NeuralScorer().meta.risk


def joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Sort spans and merge those that overlap, with the higher confidence."""
    found: list[Piece] = []
    for start, end, sure in sorted(pieces):
        if found and start < found[-1][1]:
            first, last, other = found.pop()
            found.append((first, max(last, end), max(sure, other)))
        else:
            found.append((start, end, sure))
    return tuple(found)


def fused_row(meta: Meta, query: Query, raw: RawScore, lexical_support: float) -> tuple[float, ...]:
    """Give what the fusion weighs: the model's figures, the words', and how the texts line up."""
    lined_up = comparison(query.case)
    return joined_row(
        raw.features,
        logit(1 - lexical_support),
        meta.aligned.logit(lined_up),
        lined_up,
        [note.code for note in query.notes],
    )


def joined_row(
    read: Sequence[float],
    lexical: float,
    aligned: float,
    lined_up: Sequence[float],
    codes: Sequence[str],
) -> tuple[float, ...]:
    """Put the parts of a fused row in the order of FUSED_FEATURES."""
    noted = [float(sum(code in group for code in codes)) for group in NOTED.values()]
    return (*read, lexical, aligned, *lined_up, *noted)


def neural_inputs(queries: Sequence[Query]) -> list[ScoredInput]:
    """Hand queries to the model, each reading of the evidence prepared once."""
    ready: dict[int, PreparedEvidence] = {}
    found = []
    for query in queries:
        reading = query.case.reading
        if id(reading) not in ready:
            ready[id(reading)] = _prepared(reading)
        found.append(
            ScoredInput(
                claim=query.case.claim.text,
                evidence=ready[id(reading)],
                context=query.place.before,
            )
        )
    return found


def _prepared(reading: EvidenceIndex) -> PreparedEvidence:
    body = tuple(
        EvidenceUnit(text=p.text, start=p.start, end=p.end, path=p.path, about=p.about)
        for p in reading.passages
    )
    return prepare_units(body, reading.index)


def _placed(at: int, pieces: Sequence[ScoredSpan]) -> tuple[Piece, ...]:
    return tuple((at + one.start, at + one.end, round(one.probability, _DIGITS)) for one in pieces)
