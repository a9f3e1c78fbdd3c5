"""Hold-back streaming: text is released only after the unit it belongs to was checked.

A unit is a sentence, a list item, a table row or a whole code block. A unit is checked as soon as
the next one has begun, with everything before it as context, so that pronouns and table headers
are read as in the finished answer. A line that leads into what follows, such as a heading, belongs
to the next unit. A unit that does not stand is checked again as the text goes on, and it and
everything after it is held, at the latest until the whole answer was checked with hooks and
models: so an answer that stands is released whole, and nothing is released before its check.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from inspect import isawaitable

from firmground.claims import prose_claims
from firmground.core.claim import Assessment, Claim, NotCheckable
from firmground.core.decision import Decision, Objection
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.core.segment import sentences
from firmground.decide import Policy, decide
from firmground.decide.rules import NoClaims
from firmground.pipeline.claim_result import ClaimResult, claim_result
from firmground.pipeline.request import LONGEST_ANSWER

_FENCES = ("```", "~~~")
_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]+\*\*\Z")
_GROWTH = 16
"""Text that is held is cut again after it has grown by one part in so many: linear cost."""
_MOST_RETRIES = 3
"""A unit that failed so often is held until the whole answer was checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReleased:
    """A unit of the answer that may be shown: no rule objects to its claims.

    >>> TextReleased(text="It opened in 1932. ", start=0, end=19).text
    'It opened in 1932. '
    """

    text: str
    start: int
    end: int
    claims: tuple[ClaimResult, ...] = ()
    waived: tuple[Objection, ...] = ()
    """Objections that the policy waives; the unit is released, and it does not stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWithheld:
    """A unit of the answer that must not be shown, and why.

    >>> TextWithheld(text="It is blue.", start=0, end=11, claims=(), objections=()).end
    11
    """

    text: str
    start: int
    end: int
    claims: tuple[ClaimResult, ...]
    objections: tuple[Objection, ...]


Assess = Callable[[Inquiry], Awaitable[tuple[Assessment, ...]]]


@dataclass(slots=True, kw_only=True)
class HoldBack:
    """The text of one answer as it arrives, and how much of it was checked."""

    evidence: tuple[Evidence, ...]
    question: Question | None
    policy: Policy
    assess: Assess
    """Assesses claims; those that were assessed before are given as context only."""
    text: str = ""
    checked: int = 0
    """Everything before this offset was released."""
    _seen: int = 0
    """How long the text was when it was last cut into units."""
    _tried: int = 0
    """Units up to this offset were checked, though perhaps not released."""
    _failures: int = 0
    """How often in a row the first held unit did not stand."""
    _texts: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._texts = {piece.id: piece.text for piece in self.evidence}

    async def add(self, delta: str) -> list[TextReleased]:
        """Take in a piece of text; return the units that may be shown now."""
        self.text = (self.text + delta)[: LONGEST_ANSWER + 1]
        held = len(self.text) - self.checked
        if self._failures >= _MOST_RETRIES or len(self.text) - self._seen < held // _GROWTH:
            return []
        self._seen = len(self.text)
        units = complete_units(self.text, self.checked)
        if not units or units[-1][1] <= self._tried:
            return []
        self._tried = units[-1][1]
        released: list[TextReleased] = []
        for event in await self._checked(units):
            if isinstance(event, TextWithheld):
                self._failures += 1
                break
            released.append(event)
            self.checked, self._failures = event.end, 0
        return released

    def settle(self, findings: Findings, decision: Decision) -> list[TextReleased | TextWithheld]:
        """Decide about the text that is still held, by what was found out about the whole text."""
        rules = _claim_rules(self.policy)
        others = tuple(one for one in decision.objections if one.rule not in rules)
        units = all_units(self.text, self.checked)
        self.checked = len(self.text)
        events = [self._event(start, end, findings.assessments) for start, end in units]
        if decision.released:
            return [_released(event) for event in events]
        return [_withheld(event, others) if others else event for event in events]

    async def _checked(self, units: list[tuple[int, int]]) -> list[TextReleased | TextWithheld]:
        begin, end = units[0][0], units[-1][1]
        prefix = self.text[:end]
        claims = prose_claims(prefix, self.question)
        asked = tuple(_as_context(one) if one.end <= begin else one for one in claims)
        inquiry = Inquiry(
            question=self.question, answer=prefix, claims=asked, evidence=self.evidence
        )
        found = tuple(one for one in await self.assess(inquiry) if one.claim.end > begin)
        return [self._event(start, stop, found) for start, stop in units]

    def _event(
        self, start: int, end: int, found: tuple[Assessment, ...]
    ) -> TextReleased | TextWithheld:
        mine = tuple(one for one in found if one.claim.start < end and one.claim.end > start)
        decision = decide(Findings(assessments=mine), self.policy, only=_claim_rules(self.policy))
        claims = tuple(claim_result(one, self._texts) for one in mine)
        text = self.text[start:end]
        if decision.released:
            return TextReleased(
                text=text, start=start, end=end, claims=claims, waived=decision.waived
            )
        return TextWithheld(
            text=text, start=start, end=end, claims=claims, objections=decision.objections
        )


def _released(event: TextReleased | TextWithheld) -> TextReleased:
    if isinstance(event, TextReleased):
        return event
    return TextReleased(text=event.text, start=event.start, end=event.end, claims=event.claims)


def _withheld(
    event: TextReleased | TextWithheld, objections: tuple[Objection, ...]
) -> TextWithheld:
    told = (*(event.objections if isinstance(event, TextWithheld) else ()), *objections)
    return TextWithheld(
        text=event.text, start=event.start, end=event.end, claims=event.claims, objections=told
    )


def _claim_rules(policy: Policy) -> frozenset[str]:
    """The rules that look at single claims; the others need the whole answer."""
    return frozenset(
        rule.name
        for rule in policy.rules
        if rule.reads == ("assessments",) and rule.name != NoClaims.name
    )


def _as_context(claim: Claim) -> Claim:
    return replace(claim, not_checkable=claim.not_checkable or NotCheckable.EMPTY)


def complete_units(text: str, begin: int) -> list[tuple[int, int]]:
    """Units after ``begin`` that are surely complete: a whole word of the next one is there."""
    units = all_units(text, begin)
    while units and len(text[units[-1][1] :].split(maxsplit=1)) < 2:
        units.pop()
    return units


def all_units(text: str, begin: int) -> list[tuple[int, int]]:
    """Cut the text after ``begin`` into units that cover it without gaps.

    The blanks after a unit belong to it. Nothing is cut inside a code block, closed or not, and
    nothing behind a line that leads into the next one.
    """
    rest = text[begin:]
    blocks = _code_blocks(rest)
    starts = [span.start for span in sentences(rest)][1:]
    cuts = {at for at in starts if not any(start < at < end for start, end in blocks)}
    cuts = {at for at in cuts if not _leads_on(rest, at)}
    cuts |= {end for _, end in blocks if end < len(rest)}
    ends = [*sorted(cuts), len(rest)] if rest else []
    return [(begin + a, begin + b) for a, b in zip([0, *ends], ends, strict=False) if a < b]


def _leads_on(text: str, at: int) -> bool:
    """True when the line that ends here can only be judged with the one behind it."""
    begin, line = _line_before(text, at)
    plain = line.strip("*_ ")
    if not plain or plain.endswith((":", "：")) or _HEADING.match(line):
        return True
    if not line.startswith("|"):
        return False
    is_first_row = not _line_before(text, begin)[1].startswith("|")
    return is_first_row or not set(line) - set("|-: ")


def _line_before(text: str, at: int) -> tuple[int, str]:
    """Where the last line before an offset begins, and the line without blanks around it."""
    while at > 0 and text[at - 1].isspace():
        at -= 1
    begin = text.rfind("\n", 0, at) + 1
    return begin, text[begin:at].strip()


def _code_blocks(text: str) -> list[tuple[int, int]]:
    """Where fenced code begins and ends; a block that is not closed ends with the text."""
    found: list[tuple[int, int]] = []
    opened, start, position = "", 0, 0
    for line in text.splitlines(keepends=True):
        mark = line.lstrip()[:3]
        if mark in _FENCES and (not opened or mark == opened):
            if opened:
                found.append((start, position + len(line)))
            opened, start = ("", 0) if opened else (mark, position)
        position += len(line)
    return [*found, (start, len(text))] if opened else found


async def deltas_of(given: AsyncIterable[str] | Iterable[str]) -> AsyncIterator[str]:
    """Pieces of text from an iterable of either kind."""
    if isinstance(given, AsyncIterable):
        async for piece in given:
            yield piece
        return
    for piece in given:
        yield await piece if isawaitable(piece) else piece
