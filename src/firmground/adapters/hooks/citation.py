"""Hook that checks whether every citation in the answer refers to evidence that was given."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmground.adapters.hooks._common import VERSION, listed, not_applicable, skipped
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, HookReply
from firmground.core.ports import HookCase
from firmground.hooks.reply import beside

_MARK = re.compile(r"\[((?:[Ee]?\d{1,4})(?:\s*[,;]\s*[Ee]?\d{1,4})*|e[0-9a-f]{64})\]")
_LINK = re.compile(r"\bhttps?://[^\s<>\"'\])}]{3,2000}")
_TRAILING = ".,;:!?"
_MOST_DETAILS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationHook:
    """Resolves ``[1]``, ``[E1]``, evidence ids and addresses against the evidence of the case."""

    name: str = "citation"
    required: bool = True
    """True: an answer without a single citation is refused; False: it was not checked."""
    version: str = VERSION

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Say which citations lead nowhere."""
        if case.answer is None:
            return skipped(self.name, "there is no answer to look through")
        return await beside(self._check, case)

    def _check(self, case: HookCase) -> HookReply | Fault:
        cited = citations(case)
        if not cited and not self.required:
            return not_applicable(self.name, "the answer cites nothing")
        known = _names(case.evidence)
        lost = [mark for mark in cited if not _resolves(mark, known, len(case.evidence))]
        passed = bool(cited) and not lost
        return HookReply(
            source=self.name,
            passed=passed,
            message=f"{len(lost)} of {len(cited)} citations lead nowhere"
            if cited
            else "the answer cites nothing",
            details=tuple(("unresolved", mark) for mark in lost[:_MOST_DETAILS]),
            guidance="" if passed else _guidance(lost, len(case.evidence)),
            version=self.version,
        )


def citations(case: HookCase) -> tuple[str, ...]:
    """What the answer cites, each once, in the order it is cited."""
    answer = case.answer or ""
    found: dict[str, None] = {}
    for match in _MARK.finditer(answer):
        for part in re.split(r"[,;]", match.group(1)):
            found[part.strip()] = None
    for match in _LINK.finditer(answer):
        found[match.group().rstrip(_TRAILING)] = None
    for claim in case.claims:
        for mark in claim.cited:
            found[mark] = None
    return tuple(found)


def _names(evidence: tuple[Evidence, ...]) -> frozenset[str]:
    """Everything a piece of evidence may be called by, besides its number."""
    return frozenset(e.id for e in evidence) | {e.origin.rstrip("/") for e in evidence}


def _resolves(mark: str, known: frozenset[str], count: int) -> bool:
    if mark.startswith(("http://", "https://")):
        return mark.rstrip("/") in known
    number = mark.lstrip("Ee")
    if number.isdecimal() and len(number) <= 4:
        return 1 <= int(number) <= count
    return mark in known


def _guidance(lost: list[str], count: int) -> str:
    if not lost:
        return f"Cite the evidence the answer rests on, [1] to [{count}]."
    return f"Remove or correct {listed(lost)}; there are {count} pieces of evidence."
