"""The built-in judge: choose passages, run the checks, score, resolve. No LLM, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from firmground.core.claim import Assessment, CheckNote, Claim, ClaimKind, Problem
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import SuspiciousText
from firmground.core.marker import blank_markers
from firmground.core.ports import Inquiry
from firmground.errors import InputError
from firmground.verify.checks import STRICT_CHECKS, Check, CheckCase
from firmground.verify.checks.case import search_text
from firmground.verify.dated import dated
from firmground.verify.features import ClaimPosition
from firmground.verify.languages import in_language
from firmground.verify.lexical import LexicalScorer
from firmground.verify.opposite import weighed
from firmground.verify.reading import EvidenceIndex, read, tokens
from firmground.verify.resolve import (
    StandingLimits,
    is_source,
    not_checkable,
    resolve,
    unclear,
    without_evidence,
)
from firmground.verify.scorer import Query, Score, Scorer, fuse
from firmground.verify.silence import assess_silence
from firmground.verify.suspicious import suspicious_texts

CHOSEN = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalExamination:
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
    """The weight of each scorer; None weighs them equally."""
    checks: tuple[Check, ...] = STRICT_CHECKS
    limits: StandingLimits = field(default_factory=StandingLimits)
    chosen: int = CHOSEN
    """How many passages are chosen for each claim."""

    def __post_init__(self) -> None:
        if not self.scorers:
            raise InputError("a judge needs at least one scorer")
        if self.chosen < 1:
            raise InputError(f"judge.chosen must be at least 1, got {self.chosen}")

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        """Return one assessment for each claim, in order."""
        return self.examine(inquiry).assessments

    def examine(self, inquiry: Inquiry) -> LexicalExamination:
        """Assess every claim, and say what could not be read and what looks like a trick."""
        reading = read(inquiry.evidence)
        return LexicalExamination(
            assessments=self._assessed(inquiry, reading),
            unread=reading.unread,
            suspicious=suspicious_texts(inquiry),
        )

    def _assessed(self, inquiry: Inquiry, reading: EvidenceIndex) -> tuple[Assessment, ...]:
        if not reading.passages:
            return tuple(
                without_evidence(claim) if claim.checkable else not_checkable(claim)
                for claim in inquiry.claims
            )
        sources = {
            at: span
            for at, claim in enumerate(inquiry.claims)
            if claim.kind is ClaimKind.SOURCE and (span := _named_source(claim, inquiry.evidence))
        }
        checkable = [
            at
            for at, claim in enumerate(inquiry.claims)
            if claim.checkable and not claim.unclear and at not in sources
        ]
        judged = self._judged(inquiry, reading, checkable)
        found = {at: _in_answer(one, inquiry.claims[at]) for at, one in judged.items()}
        found |= {at: is_source(inquiry.claims[at], span) for at, span in sources.items()}
        return tuple(
            found[at] if at in found else _unjudged(claim)
            for at, claim in enumerate(inquiry.claims)
        )

    def _judged(
        self, inquiry: Inquiry, reading: EvidenceIndex, places: Sequence[int]
    ) -> dict[int, Assessment]:
        """Judge claims, and with each yes or no what the other reply would have stated."""
        queries = [self._query(inquiry, reading, at) for at in places]
        opposed = [
            self._query(inquiry, reading, at, inquiry.claims[at].opposite)
            for at in places
            if inquiry.claims[at].opposite
        ]
        asked = [*queries, *opposed]
        scores = self._scores(asked)
        found = [self._resolved(q, score) for q, score in zip(asked, scores, strict=True)]
        judged = dict(zip(places, found, strict=False))
        for query, other in zip(opposed, found[len(queries) :], strict=True):
            at = query.place.position
            instead = (
                judged[n]
                for n in places
                if inquiry.claims[n].statement == inquiry.claims[at].instead
            )
            judged[at] = weighed(judged[at], other, next(instead, None))
        return judged

    def _resolved(self, query: Query, score: Score) -> Assessment:
        if query.case.unmentioned:
            return assess_silence(query.case)
        return in_language(query.case, resolve(query.case, query.notes, score, self.limits))

    def _query(
        self, inquiry: Inquiry, reading: EvidenceIndex, at: int, statement: str = ""
    ) -> Query:
        stated = inquiry.claims[at]
        stated = replace(stated, statement=statement) if statement else stated
        claim = read_claim(stated)
        passages = reading.select(search_text(claim), limit=self.chosen)
        completed = dated(claim.text, passages)
        if completed != claim.text:
            claim = replace(claim, text=completed, statement=completed, start=0, end=len(completed))
        case = CheckCase(
            claim=claim,
            passages=passages,
            reading=reading,
            question=inquiry.question.text if inquiry.question else "",
        )
        return Query(
            case=case,
            claim=stated,
            notes=self._notes(case),
            place=_place(inquiry.answer, inquiry.claims, at),
        )

    def _notes(self, case: CheckCase) -> tuple[CheckNote, ...]:
        return tuple(note for check in self.checks for note in check(case))

    def _scores(self, queries: Sequence[Query]) -> list[Score]:
        each = [scorer.score(queries) for scorer in self.scorers]
        return [fuse(scores, self.weights) for scores in zip(*each, strict=True)]


def _named_source(claim: Claim, evidence: Sequence[Evidence]) -> EvidenceSpan | None:
    """The evidence whose id, title or origin has all words of a citation; None for any other."""
    said = {word.text.casefold() for word in tokens(claim.statement)}
    for piece in evidence:
        own = {word.text.casefold() for word in tokens(f"{piece.id} {piece.title} {piece.origin}")}
        if said and said <= own:
            return EvidenceSpan(evidence_id=piece.id, start=0, end=len(piece.text))
    return None


def _unjudged(claim: Claim) -> Assessment:
    return unclear(claim) if claim.checkable else not_checkable(claim)


def read_claim(claim: Claim) -> Claim:
    """The claim as the checks read it: its statement alone, without the numbers of citations."""
    text = blank_markers(claim.statement)
    return replace(claim, text=text, statement=text, start=0, end=len(text))


def _in_answer(judged: Assessment, claim: Claim) -> Assessment:
    """The assessment of a statement as one of the claim: offsets are places in the answer."""
    problems = tuple(
        dict.fromkeys(
            Problem(start=start, end=end, standing=p.standing)
            for p in judged.problems
            for start, end in (claim.locate(p.start, p.end),)
        )
    )
    whole = [p for p in problems if (p.start, p.end) == (claim.start, claim.end)]
    return replace(
        judged,
        claim=claim,
        problems=tuple(whole[:1]) or problems,
        notes=tuple(_note_in_answer(note, claim) for note in judged.notes),
    )


def _note_in_answer(note: CheckNote, claim: Claim) -> CheckNote:
    if note.start is None or note.end is None:
        return note
    start, end = claim.locate(note.start, note.end)
    return replace(note, start=start, end=end)


def _place(answer: str, claims: Sequence[Claim], at: int) -> ClaimPosition:
    return ClaimPosition(
        position=at,
        claims=len(claims),
        answer_words=len(tokens(answer)),
        before=claims[at - 1].text if at else "",
    )
