"""Canary test of a judge: content-free claims that no evidence could ground."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.adapters.llm_judge.output import JudgeOutput
from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.core.question import Question

NOTHINGS = (":", "Thought process:", "Let's solve this step by step.", ".", "Solution", "答案：")
_SOURCE = "The ferry to the island leaves at 7:40 and takes 25 minutes."


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryReport:
    """What a judge made of claims that say nothing."""

    shown: int
    accepted: tuple[str, ...]
    """Those it called grounded or complementary."""
    readable: bool
    fault: str = ""
    """Why it could not be asked at all, when that is so."""

    @property
    def canary_intact(self) -> bool:
        """True when the judge replied readably and accepted none of the canary claims."""
        return self.readable and not self.accepted

    @property
    def told(self) -> str:
        """The result of the canary test in one sentence."""
        if self.accepted:
            said = ", ".join(repr(text) for text in self.accepted)
            return f"the judge accepts claims that say nothing: {said}"
        return self.fault or (
            "" if self.readable else "the judge's reply to the canary could not be read"
        )


def canary_inquiry() -> Inquiry:
    """A question, a source, and an answer made of nothings."""
    answer, claims = "", []
    for text in NOTHINGS:
        claims.append(Claim(text=text, start=len(answer), end=len(answer) + len(text)))
        answer += text + "\n"
    return Inquiry(
        question=Question(text="When does the ferry leave?"),
        answer=answer,
        claims=tuple(claims),
        evidence=(Evidence(text=_SOURCE),),
    )


def read_canary(output: JudgeOutput | None, *, fault: str = "") -> CanaryReport:
    """Count what was accepted; an unreadable reply or an abstention on all accepts nothing."""
    if output is None:
        return CanaryReport(shown=len(NOTHINGS), accepted=(), readable=False, fault=fault)
    numbers = {f"C{i}": text for i, text in enumerate(NOTHINGS, start=1)}
    accepted = {
        numbers[claim.id]
        for standing, claim in output.placed()
        if standing.stands and claim.id in numbers
    }
    ordered = tuple(text for text in NOTHINGS if text in accepted)
    return CanaryReport(shown=len(NOTHINGS), accepted=ordered, readable=True)
