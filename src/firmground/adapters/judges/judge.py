"""A model of the user's behind the port ``Judge``: it scores, deterministic checks overrule it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firmground.adapters.judges.opinion import ModelOpinion, ModelTrouble, OpinionReader
from firmground.core.claim import Assessment, CheckNote, EvidenceType, Problem, Standing
from firmground.core.ports import Inquiry
from firmground.verify.judge import LexicalExamination, LexicalJudge
from firmground.verify.resolve import NOT_SCORED, StandingLimits
from firmground.verify.scorer import Query, Score

_DIGITS = 6
_BY_SCORE = frozenset(("not_supported", "nothing_related", "scored_contradicted"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelJudge:
    """Assesses claims by the deterministic checks and one model's figures."""

    reader: OpinionReader
    grounded_from: float = 0.5
    """Support from which a claim that no check objects to stands."""

    @property
    def name(self) -> str:
        """Recorded in every run; changes whenever the judge could judge otherwise."""
        return f"{self.reader.name} {self.reader.version} from {self.grounded_from}"

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return one assessment for each claim, in order."""
        return self.examine(inquiry).assessments

    def examine(self, inquiry: Inquiry) -> LexicalExamination:
        """Assess every claim; one the model could not be asked about is unverifiable."""
        asking = _RecordingScorer(self.reader, inquiry)
        limits = StandingLimits(grounded_from=self.grounded_from, found_from=0.0)
        found = LexicalJudge(scorers=(asking,), limits=limits).examine(inquiry)
        told = iter(asking.told)
        return replace(
            found,
            assessments=tuple(
                self._finished(one, next(told))
                if asking.told and one.claim.checkable and one.code not in NOT_SCORED
                else one
                for one in found.assessments
            ),
        )

    def _finished(self, one: Assessment, told: ModelOpinion | ModelTrouble) -> Assessment:
        if isinstance(told, ModelTrouble):
            return self._unasked(one, told)
        noted = replace(one, notes=(*one.notes, *self._notes(told)))
        if one.code in _BY_SCORE and told.support >= self.grounded_from and told.evidence:
            # The model read support in words the claim does not share.
            return replace(
                noted,
                standing=Standing.GROUNDED,
                confidence=round(told.support, _DIGITS),
                reason=f"{self.reader.name} reads it in the evidence, in other words",
                code="model_supported",
                evidence_type=EvidenceType.INFERENCE,
                evidence=told.evidence,
                problems=(),
            )
        return noted

    def _unasked(self, one: Assessment, told: ModelTrouble) -> Assessment:
        note = CheckNote(
            check=f"judge:{self.reader.name}",
            code="judge_failed",
            standing=Standing.UNVERIFIABLE,
            reason=f"{self.reader.name} could not be asked: {told.reason}",
        )
        if not one.standing.stands and one.code not in _BY_SCORE:
            return replace(one, notes=(*one.notes, note))
        claim = one.claim
        return replace(
            one,
            standing=Standing.UNVERIFIABLE,
            confidence=1.0,
            support=0.0,
            reason=note.reason,
            code=note.code,
            evidence_type=None,
            evidence=(),
            problems=(Problem(start=claim.start, end=claim.end, standing=Standing.UNVERIFIABLE),),
            notes=(*one.notes, note),
        )

    def _notes(self, told: ModelOpinion) -> tuple[CheckNote, ...]:
        check = f"judge:{self.reader.name}"
        windows = "one window" if told.windows == 1 else f"{told.windows} windows"
        said = f"supported {told.support:.3f}"
        if told.contradiction is not None:
            said += f", contradicted {told.contradiction:.3f}"
        notes = [
            CheckNote(
                check=check, code="model_score", standing=None, reason=f"{said}, in {windows}"
            )
        ]
        if told.unread:
            reason = f"{told.unread} further windows of evidence were not read"
            notes.append(
                CheckNote(check=check, code="evidence_not_read", standing=None, reason=reason)
            )
        return tuple(notes)


class _RecordingScorer:
    """A scorer for one inquiry that keeps what the model said, and what it could not."""

    def __init__(self, reader: OpinionReader, inquiry: Inquiry) -> None:
        self.name = reader.name
        self.told: tuple[ModelOpinion | ModelTrouble, ...] = ()
        self._reader = reader
        self._inquiry = inquiry

    def score(self, queries: Sequence[Query]) -> tuple[Score, ...]:
        """Return one score for each query, in order; where there is none, no support."""
        self.told = self._reader.read(self._inquiry, queries)
        return tuple(self._score(one) for one in self.told)

    def _score(self, told: ModelOpinion | ModelTrouble) -> Score:
        if isinstance(told, ModelTrouble):
            return Score(scorer=self.name, support=0.0)
        return Score(
            scorer=self.name,
            support=round(told.support, _DIGITS),
            contradiction=told.contradiction,
            pieces=tuple((a, b, round(p, _DIGITS)) for a, b, p in told.pieces),
        )
