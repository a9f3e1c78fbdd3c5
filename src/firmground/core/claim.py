"""Claims of an answer and their assessments."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firmground.core.evidence import EvidenceSpan
from firmground.errors import InputError


class ClaimKind(StrEnum):
    """How the claim was cut out of the answer."""

    SENTENCE = "sentence"
    CLAUSE = "clause"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    QUOTE = "quote"
    POINTER = "pointer"
    JSON = "json"
    SOURCE = "source"
    """The name of a source in a citation mark."""


class NotCheckable(StrEnum):
    """Why a piece of the answer asserts nothing that evidence could support."""

    LEAD_IN = "lead_in"
    QUESTION = "question"
    GREETING = "greeting"
    REFUSAL = "refusal"
    INSTRUCTION = "instruction"
    HEADING = "heading"
    EMPTY = "empty"
    MARKED = "marked"
    """The answer itself says that it is not supported, in words firmground put there."""


class Standing(StrEnum):
    """Where one claim stands on the evidence.

    >>> Standing.GROUNDED.stands, Standing.CONTRADICTED.stands
    (True, False)
    """

    GROUNDED = "grounded"
    """The evidence says so."""
    COMPLEMENTARY = "complementary"
    """True to the evidence and not in conflict with it, but not what was asked of it."""
    UNGROUNDED = "ungrounded"
    """The evidence was looked at and is silent."""
    CONTRADICTED = "contradicted"
    """The evidence says otherwise."""
    UNVERIFIABLE = "unverifiable"
    """It could not be checked; never the same as fine."""
    NOT_CHECKABLE = "not_checkable"
    """It asserts nothing: a greeting, a question, a refusal."""

    @property
    def stands(self) -> bool:
        """True for the standings under which an answer may go out."""
        return self in (Standing.GROUNDED, Standing.COMPLEMENTARY, Standing.NOT_CHECKABLE)


class EvidenceType(StrEnum):
    """What kind of support was found, resolved from the match and never declared."""

    TOOL_MATCH = "tool_match"
    SPECIFIC_DATA = "specific_data"
    SIGNAL_MATCH = "signal_match"
    COMPLEMENTARY_FINDING = "complementary_finding"
    SYNTHESIS = "synthesis"
    NEG_EVIDENCE = "neg_evidence"
    INFERENCE = "inference"
    DOMAIN = "domain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One assertion, and exactly where in the answer it is made.

    ``answer[start:end] == text`` always holds.

    >>> claim = Claim(text="It opened in 1932.", start=0, end=18)
    >>> claim.checkable
    True
    """

    text: str
    start: int
    end: int
    kind: ClaimKind = ClaimKind.SENTENCE
    not_checkable: NotCheckable | None = None
    context: str = ""
    """What a pronoun or a clipped list item refers to; words of the answer or the question."""
    cited: tuple[str, ...] = ()
    """Evidence ids or pointers the claim itself names."""
    statement: str = ""
    """What is judged: the text made self-contained. Empty stands for ``text``."""
    unclear: bool = False
    """True when it is unclear what is stated; never judged grounded."""
    opposite: str = ""
    """What the other reply to a yes/no question would have stated; empty for other claims."""
    instead: str = ""
    """For a no: the statement of a later claim that puts something else in the asked place."""

    def __post_init__(self) -> None:
        if not self.statement:
            object.__setattr__(self, "statement", self.text)
        if self.start < 0 or self.end - self.start != len(self.text):
            raise InputError(
                f"claim span [{self.start}:{self.end}] does not fit its {len(self.text)} characters"
            )
        if not self.text:
            raise InputError("claim.text is empty")

    @property
    def checkable(self) -> bool:
        """True when evidence could support the claim."""
        return self.not_checkable is None

    def locate(self, start: int, end: int) -> tuple[int, int]:
        """Where ``statement[start:end]`` is in the answer; the whole claim if it is reworded.

        Words keep their distance from the start of the text, or from its end when words before them
        were cut off or replaced.
        """
        piece = self.statement[start:end]
        for at in (start, start + len(self.text) - len(self.statement)):
            if piece and at >= 0 and self.text.startswith(piece, at):
                return self.start + at, self.start + at + len(piece)
        return self.start, self.end


CHECKER_FAILED = frozenset(
    {"judge_failed", "judge_abstained", "canary_failed", "canary_unreadable"}
)
"""Reason codes of claims that were not checked: the checker failed or abstained."""
GAP, CONTRADICTION = "judge_gap", "judge_contradiction"
"""Codes of notes in which a judge says what evidence is missing, or what conflicts with what."""
OVER_REACH = frozenset(
    "cause_not_stated certainty_raised quantifier_raised narrower_in_source possibility_as_fact "
    "allegation_as_fact plan_as_fact question_as_fact quotation_as_fact over_reach".split()
)
"""Reason codes of claims whose facts are in the evidence, but not the cause, certainty or scope
added to them. A judge of your own may use ``over_reach``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An exact piece of the answer inside a claim that does not stand."""

    start: int
    end: int
    standing: Standing

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InputError(f"problem span needs 0 <= start < end, got {self.start}, {self.end}")
        if self.standing.stands:
            raise InputError(f"a problem cannot be {self.standing}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckNote:
    """What one check said about one claim."""

    check: str
    """Name of the check: ``numbers``, ``dates``, ``negation``, ``scorer``…"""
    code: str
    """Stable reason code, documented: ``number_differs``, ``name_absent``…"""
    standing: Standing | None
    """What this check alone would conclude; None when it only remarks."""
    reason: str
    """One sentence for a person: ``says 42 %, source says 24 %``."""
    start: int | None = None
    """Exact piece of the answer it speaks about, if any."""
    end: int | None = None
    evidence: tuple[EvidenceSpan, ...] = ()
    veto: bool = True
    """Whether its objection alone brings a claim down; False lets the scorer weigh it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Where one claim stands, on what exactly, and why.

    >>> claim = Claim(text="It is blue.", start=0, end=11)
    >>> found = Assessment(
    ...     claim=claim, standing=Standing.UNGROUNDED, confidence=0.9, support=0.1, reason="silent"
    ... )
    >>> found.standing.stands
    False
    """

    claim: Claim
    standing: Standing
    confidence: float
    """Confidence of the judge in ``standing``: 0 none, 1 certain."""
    support: float
    """Probability that the claim stands on the evidence: 0 does not, 1 does."""
    reason: str
    code: str = ""
    """Stable reason code of the note that decided."""
    evidence_type: EvidenceType | str | None = None
    """Type of support; a text for a type of your own taxonomy."""
    evidence: tuple[EvidenceSpan, ...] = ()
    """What the claim rests on, or conflicts with when it is contradicted."""
    problems: tuple[Problem, ...] = ()
    notes: tuple[CheckNote, ...] = ()
    critical: bool = False
    """Carries a number, dose, amount of money, name or identifier."""

    def __post_init__(self) -> None:
        for name, value in (("confidence", self.confidence), ("support", self.support)):
            if not 0.0 <= value <= 1.0:  # also refuses NaN
                raise InputError(f"assessment.{name} must lie in [0, 1], got {value}")
        for problem in self.problems:
            if problem.start < self.claim.start or problem.end > self.claim.end:
                raise InputError(
                    f"problem [{problem.start}:{problem.end}] lies outside its claim "
                    f"[{self.claim.start}:{self.claim.end}]"
                )
        if self.standing is Standing.GROUNDED and not self.evidence:
            raise InputError("a grounded claim needs the evidence it stands on")

    @property
    def checker_failed(self) -> bool:
        """True when the claim fell only because its checker failed."""
        return not self.standing.stands and self.code in CHECKER_FAILED

    @property
    def over_reaches(self) -> bool:
        """True when the evidence has the facts of the claim and the claim says more than them."""
        return self.standing is Standing.UNGROUNDED and self.code in OVER_REACH
