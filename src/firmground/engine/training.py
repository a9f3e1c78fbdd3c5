"""Fits the built-in verifier to your own labelled answers, without torch.

The weights stay; what is refitted is the calibration of the fusion, the limit below which a claim
falls, and how claims add up to the risk of an answer.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firmground.adapters.labelled_rows import LabelledAnswer
from firmground.calibrate import LabelledScore, calibration_error, reliability
from firmground.calibrate.refit import LogitLine, best_limit, f1, fit_line, log_loss
from firmground.claims import prose_claims
from firmground.core.claim import Assessment, Standing
from firmground.core.ports import Inquiry
from firmground.errors import InputError
from firmground.verify.builtin import BuiltinScorer, builtin_limits
from firmground.verify.checks import CHECKS
from firmground.verify.judge import LexicalJudge
from firmground.verify.neural import MODEL_DIR, NeuralScorer, available
from firmground.verify.neural_meta import Meta
from firmground.verify.resolve import resolve
from firmground.verify.risk import risk_features
from firmground.verify.scorer import Query, Score
from firmground.verify.trees import logit

FOLDS = 5
LEAST = 20
"""So many claims that stand, and that do not, and so many answers, a fit needs."""
_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One labelled answer with what the scorer and the checks said of its claims."""

    queries: tuple[Query, ...]
    scores: tuple[Score, ...]
    wrong: tuple[bool, ...]
    """For each claim, whether a labelled piece lies in it."""
    bad: bool
    source: str
    """Names the evidence; rows that share it never lie in two folds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What was found: two lines and two limits."""

    claims: LogitLine
    claim_limit: float
    answers: LogitLine
    flag_from: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How good the probabilities are, on rows the fit has not seen."""

    claim_error: float
    """Mean gap between stated and observed, over claims."""
    claim_loss: float
    claim_f1: float
    answer_error: float
    answer_f1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A fit, with figures before and after over rows it has not seen."""

    fit: Fit
    before: Figures
    after: Figures
    answers: int
    claims: int
    wrong_claims: int

    @property
    def better(self) -> bool:
        """True when held-out claims cost less than with the shipped calibration."""
        return self.after.claim_loss < self.before.claim_loss


class _ScoreRecorder:
    """The built-in scorer, remembering what it was asked and said."""

    def __init__(self, inner: BuiltinScorer) -> None:
        self.name = inner.name
        self.queries: tuple[Query, ...] = ()
        self.scores: tuple[Score, ...] = ()
        self._inner = inner

    def score(self, queries: Sequence[Query]) -> tuple[Score, ...]:
        """Return one score for each query, in order."""
        self.queries, self.scores = tuple(queries), self._inner.score(queries)
        return self.scores


def distinct(rows: Iterable[LabelledAnswer]) -> list[LabelledAnswer]:
    """Leave out rows that say again, word for word and label for label, what a row before said."""
    found = {(row.request.answer, source_of(row), row.spans): row for row in reversed(list(rows))}
    return sorted(found.values(), key=lambda row: row.line)


def source_of(row: LabelledAnswer) -> str:
    """Name the evidence of a row by its content, in whatever order it was given."""
    return " ".join(sorted({piece.id for piece in row.request.evidence}))


def score_rows(rows: Iterable[LabelledAnswer], weights: Path = MODEL_DIR) -> list[Scored]:
    """Cut and score labelled answers as a check would."""
    if not available(weights):
        raise InputError(f"{weights}: holds no model.onnx and tokenizer.json")
    scorer = BuiltinScorer(neural=NeuralScorer(weights))
    return [_scored(row, scorer) for row in rows]


def train(scored: Sequence[Scored], weights: Path = MODEL_DIR) -> Trained:
    """Fit on all rows; the figures come from folds that the fit has not seen."""
    wrong = [w for one in scored for w in one.wrong]
    for count, what in (
        (sum(wrong), "claims with a labelled piece"),
        (len(wrong) - sum(wrong), "claims without one"),
        (len(scored), "answers"),
    ):
        if count < LEAST:
            raise InputError(f"a fit needs at least {LEAST} {what}; these rows have {count}")
    fold_of = _folds(scored)
    meta = NeuralScorer(weights).meta
    shipped = Fit(
        claims=LogitLine(),
        claim_limit=meta.claim_threshold,
        answers=LogitLine(),
        flag_from=meta.risk.flag_from,
    )
    held: list[tuple[Scored, Fit]] = []
    for fold in range(FOLDS):
        found = _fit([one for one in scored if fold_of[one.source] != fold], meta)
        held += [(one, found) for one in scored if fold_of[one.source] == fold]
    return Trained(
        fit=_fit(scored, meta),
        before=_figures([(one, shipped) for one in scored], meta),
        after=_figures(held, meta),
        answers=len(scored),
        claims=len(wrong),
        wrong_claims=sum(wrong),
    )


def _folds(scored: Sequence[Scored]) -> dict[str, int]:
    """Deal sources out to the folds, the largest first, each to the fold that has least."""
    sizes = Counter(one.source for one in scored)
    if len(sizes) < FOLDS:
        raise InputError(
            f"a fit needs rows about at least {FOLDS} different pieces of evidence, for figures "
            f"of evidence it has not seen; these rows have {len(sizes)}"
        )
    filled = [0] * FOLDS
    found: dict[str, int] = {}
    for source, size in sizes.most_common():
        fold = filled.index(min(filled))
        found[source] = fold
        filled[fold] += size
    return found


def own_meta(trained: Trained, weights: Path = MODEL_DIR) -> bytes:
    """Write the shipped fusion with the new calibration, limits and risk."""
    raw = (weights / "meta.json").read_bytes()
    found: dict[str, Any] = json.loads(raw)
    line, risk = trained.fit.claims, found["risk"]
    for forest in (found["claim"], found["fused"]):  # the first has the word on parts of claims
        forest["slope"], forest["shift"] = line.slope * forest["slope"], line.at(forest["shift"])
    over = trained.fit.answers
    risk["coefficients"] = [round(over.slope * c, _DIGITS) for c in risk["coefficients"]]
    risk["intercept"] = round(over.at(risk["intercept"]), _DIGITS)
    risk["flag_from"] = round(trained.fit.flag_from, _DIGITS)
    limit = round(trained.fit.claim_limit, _DIGITS)
    found["thresholds"].update(claim=limit, sure=limit)
    found["fitted_from"] = {
        "meta": hashlib.sha256(raw).hexdigest(),
        "answers": trained.answers,
        "claims": trained.claims,
        "wrong_claims": trained.wrong_claims,
    }
    return json.dumps(found, separators=(",", ":")).encode()


def _scored(row: LabelledAnswer, scorer: BuiltinScorer) -> Scored:
    request = row.request
    kept = _ScoreRecorder(scorer)
    claims = prose_claims(request.answer, request.question)
    LexicalJudge(scorers=(kept,), checks=CHECKS).examine(
        Inquiry(
            question=request.question,
            answer=request.answer,
            claims=claims,
            evidence=request.evidence,
        )
    )
    judged = [claims[query.place.position] for query in kept.queries]
    spots = [(claim.start, claim.end) for claim in judged]
    wrong = tuple(any(s < end and start < e for s, e in row.spans) for start, end in spots)
    return Scored(
        queries=kept.queries,
        scores=kept.scores,
        wrong=wrong,
        bad=bool(row.spans),
        source=source_of(row),
    )


def _fit(scored: Sequence[Scored], meta: Meta) -> Fit:
    logits = [logit(1 - s.support) for one in scored for s in one.scores]
    wrong = [w for one in scored for w in one.wrong]
    claims = fit_line(logits, wrong)
    limit, _ = best_limit([claims.probability(x) for x in logits], wrong)
    limit = min(max(limit, 0.01), 0.99)
    answered = [one for one in scored if one.scores]
    risks = [_risk_logit(one, claims, limit, meta) for one in answered]
    bad = [one.bad for one in answered]
    answers = fit_line(risks, bad)
    flag, _ = best_limit([answers.probability(x) for x in risks], bad)
    return Fit(claims=claims, claim_limit=limit, answers=answers, flag_from=flag)


def _risk_logit(one: Scored, line: LogitLine, limit: float, meta: Meta) -> float:
    """Give an answer's log-odds of failing, from what the judge makes of the bent claims."""
    limits = builtin_limits(limit)
    found: list[Assessment] = []
    for query, score in zip(one.queries, one.scores, strict=True):
        fails = line.probability(logit(1 - score.support))
        old = 1 - score.support
        against = (score.contradiction or 0.0) * (fails / old if old else 1.0)
        bent = replace(score, support=1 - fails, contradiction=min(against, 1.0))
        found.append(resolve(query.case, query.notes, bent, limits))
    row = risk_features(
        [1 - a.support for a in found],
        [any(note.standing is not None for note in a.notes) for a in found],
        [a.standing is Standing.CONTRADICTED for a in found],
    )
    weights = meta.risk
    return weights.intercept + sum(c * x for c, x in zip(weights.coefficients, row, strict=True))


def _figures(held: Sequence[tuple[Scored, Fit]], meta: Meta) -> Figures:
    told = [
        (fit.claims.probability(logit(1 - s.support)), wrong, fit.claim_limit)
        for one, fit in held
        for s, wrong in zip(one.scores, one.wrong, strict=True)
    ]
    fails, wrong = [p for p, _, _ in told], [w for _, w, _ in told]
    answers = [
        (fit.answers.probability(_risk_logit(one, fit.claims, fit.claim_limit, meta)), one.bad, fit)
        for one, fit in held
        if one.scores
    ]
    bad = [b for _, b, _ in answers]
    return Figures(
        claim_error=_error(fails, wrong),
        claim_loss=log_loss(fails, wrong),
        claim_f1=f1([p >= limit for p, _, limit in told], wrong),
        answer_error=_error([p for p, _, _ in answers], bad),
        answer_f1=f1([p >= fit.flag_from for p, _, fit in answers], bad),
    )


def _error(told: Sequence[float], wrong: Sequence[bool]) -> float:
    rows = [LabelledScore(risk=p, wrong=w) for p, w in zip(told, wrong, strict=True)]
    return calibration_error(reliability(rows))
