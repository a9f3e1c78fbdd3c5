"""The built-in judge: choose passages, run the checks, score, resolve. No LLM, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from firmground.core.claim import Assessment, CheckNote, Claim
from firmground.core.finding import SuspiciousText
from firmground.core.marker import blank_markers
from firmground.core.ports import Inquiry
from firmground.errors import InputError
from firmground.verify.checks import CHECKS, Case, Check
from firmground.verify.checks.case import search_text
from firmground.verify.features import Place
from firmground.verify.languages import in_language
from firmground.verify.lexical import LexicalScorer
from firmground.verify.reading import Reading, read, tokens
from firmground.verify.resolve import Limits, not_checkable, resolve, without_evidence
from firmground.verify.scorer import Query, Score, Scorer, fuse
from firmground.verify.suspicious import suspicious_texts

_CHOSEN = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """Everything the judge found out about one answer."""

    assessments: tuple[Assessment, ...]
    unread: tuple[str, ...]
    """Ids of evidence in which nothing could be read."""
    suspicious: tuple[SuspiciousText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalJudge:
    """Assesses claims by deterministic checks and one or more scorers."""

    scorers: tuple[Scorer, ...] = (LexicalScorer(),)
    weights: tuple[float, ...] | None = None
    """How much each scorer's word counts; None counts them alike."""
    checks: tuple[Check, ...] = CHECKS
    limits: Limits = field(default_factory=Limits)
    chosen: int = _CHOSEN
    """How many passages are chosen for each claim."""

    def __post_init__(self) -> None:
        if not self.scorers:
            raise InputError("a judge needs at least one scorer")
        if self.chosen < 1:
            raise InputError(f"judge.chosen must be at least 1, got {self.chosen}")

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return one assessment for each claim, in order."""
        return self.examine(inquiry).assessments

    def examine(self, inquiry: Inquiry) -> Examination:
        """Assess every claim, and say what could not be read and what looks like a trick."""
        reading = read(inquiry.evidence)
        return Examination(
            assessments=self._assessed(inquiry, reading),
            unread=reading.unread,
            suspicious=suspicious_texts(inquiry),
        )

    def _assessed(self, inquiry: Inquiry, reading: Reading) -> tuple[Assessment, ...]:
        checkable = [at for at, claim in enumerate(inquiry.claims) if claim.checkable]
        if not reading.passages:
            return tuple(
                without_evidence(claim) if claim.checkable else not_checkable(claim)
                for claim in inquiry.claims
            )
        queries = [self._query(inquiry, reading, at) for at in checkable]
        scores = self._scores(queries)
        found = {
            at: replace(
                in_language(query.case, resolve(query.case, query.notes, score, self.limits)),
                claim=inquiry.claims[at],
            )
            for at, query, score in zip(checkable, queries, scores, strict=True)
        }
        return tuple(
            found[at] if at in found else not_checkable(claim)
            for at, claim in enumerate(inquiry.claims)
        )

    def _query(self, inquiry: Inquiry, reading: Reading, at: int) -> Query:
        claim = _read(inquiry.claims[at])
        case = Case(
            claim=claim,
            passages=reading.select(search_text(claim), limit=self.chosen),
            reading=reading,
            question=inquiry.question.text if inquiry.question else "",
        )
        return Query(
            case=case, notes=self._notes(case), place=_place(inquiry.answer, inquiry.claims, at)
        )

    def _notes(self, case: Case) -> tuple[CheckNote, ...]:
        return tuple(note for check in self.checks for note in check(case))

    def _scores(self, queries: Sequence[Query]) -> list[Score]:
        each = [scorer.score(queries) for scorer in self.scorers]
        return [fuse(scores, self.weights) for scores in zip(*each, strict=True)]


def _read(claim: Claim) -> Claim:
    """The claim as the checks read it: the number of a citation is no fact, and no offset moves."""
    return replace(claim, text=blank_markers(claim.text))


def _place(answer: str, claims: Sequence[Claim], at: int) -> Place:
    return Place(
        position=at,
        claims=len(claims),
        answer_words=len(tokens(answer)),
        before=claims[at - 1].text if at else "",
    )
