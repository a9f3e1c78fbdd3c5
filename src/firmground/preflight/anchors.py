"""Anchors of a question in reality: tickets, named sources, available tools, attachments."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TICKET = re.compile(
    r"\b[A-Z][A-Z0-9]{1,9}-\d{2,}\b"
    r"|#[a-z]{2,}-\d{2,}\b"
    r"|\b(?:ticket|incident|monitor|issue|PR|pid|build|trace|key\s+id|commit)\s+"
    r"#?(?=\w{0,40}\d)[\w-]{3,60}"
    r"|\b(?=[0-9a-f]{0,39}[a-f])(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40}\b"
)
_SOURCE = re.compile(
    r"\b(?:according\s+to|as\s+reported\s+(?:by|in)|linked\s+in|attached|page\s+says)\b"
    r"|\b(?:https?|s3|gs|file)://[^\s<>\"]{4,}"
    r"|(?<!\w)(?:/[\w.-]{1,64}){2,}"
    r"|\b[\w-]{1,40}/[\w./-]{1,200}\.\w{1,5}\b"
    r"|\b[a-z]{1,24}(?:-[a-z0-9]{1,24}){0,4}-\d{1,4}\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchors:
    """Which ties are there."""

    tickets: tuple[tuple[int, int], ...] = ()
    sources: tuple[tuple[int, int], ...] = ()
    tools: int = 0
    evidence: int = 0

    @property
    def share(self) -> float:
        """The share of a suspicion that remains in view of the anchors; 1 is all of it."""
        left = 1.0
        left *= 0.35 if self.evidence else 1.0
        left *= 0.45 if self.tickets else 1.0
        left *= 0.55 if self.sources else 1.0
        left *= 0.80 if self.tools else 1.0
        return left

    @property
    def names(self) -> tuple[str, ...]:
        """The ties by name, for the reasons."""
        present = (
            ("attached evidence", bool(self.evidence)),
            ("a ticket or commit id", bool(self.tickets)),
            ("a named source", bool(self.sources)),
            ("available tools", bool(self.tools)),
        )
        return tuple(name for name, there in present if there)


def find_anchors(text: str, *, tools: int, evidence: int) -> Anchors:
    """Look for the ties; spans are exact pieces of the text."""
    return Anchors(
        tickets=tuple(match.span() for match in _TICKET.finditer(text)),
        sources=tuple(match.span() for match in _SOURCE.finditer(text)),
        tools=tools,
        evidence=evidence,
    )
