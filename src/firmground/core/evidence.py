"""Evidence: what an answer may stand on."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from firmground.errors import InputError, did_you_mean


class EvidenceKind(StrEnum):
    """What sort of thing the evidence is, which decides how it is read."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    PDF = "pdf"
    RECORD = "record"
    TABLE = "table"
    TOOL = "tool"
    HOOK = "hook"


class Trust(IntEnum):
    """How far the source deserves belief, from the least to the most.

    >>> Trust.parse("vouched") > Trust.RETRIEVED
    True
    """

    UNTRUSTED = 0
    """Anyone could have written it: user uploads, open web, model output."""
    RETRIEVED = 1
    """From a maintained corpus; no person vouched for this piece."""
    VOUCHED = 2
    """A person or organization is accountable for this piece."""
    MEASURED = 3
    """The reply of a tool or hook that queried an external system."""

    @property
    def label(self) -> str:
        """The lower-case name used in files and output."""
        return self.name.lower()

    @classmethod
    def parse(cls, value: str) -> Trust:
        """Read a label; an unknown one is an error that lists the known ones."""
        try:
            return cls[value.upper()]
        except KeyError:
            known = ", ".join(t.label for t in cls)
            near = did_you_mean(value.lower(), (t.label for t in cls))
            raise InputError(f"trust {value!r} is unknown{near}; use one of {known}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One piece of evidence, named by its content.

    Offsets that firmground reports are positions in ``text``; ``in_original`` carries them back
    into the original, through ``origin_start`` when ``text`` is a verbatim part of it and through
    ``origin_runs`` when it was extracted from markup.

    >>> Evidence(text="It opened in 1932.", origin="log.txt", trust=Trust.VOUCHED).trust.label
    'vouched'
    """

    text: str
    id: str = ""
    """Empty: named by content, ``e`` and the SHA-256 of the text in hexadecimal."""
    kind: EvidenceKind = EvidenceKind.TEXT
    role: str = "source"
    """The part it plays: ``source``, ``background``, ``tool``, or a role of the caller's own."""
    trust: Trust = Trust.RETRIEVED
    origin: str = ""
    """Path, address or tool call it came from."""
    title: str = ""
    score: float | None = None
    """The retriever's score, if there was one; never part of a verdict."""
    retrieved_at: str | None = None
    """When it was fetched, RFC 3339; needed by freshness rules."""
    origin_start: int | None = 0
    """Where ``text`` begins in the original; None when it is not a verbatim part."""
    origin_runs: tuple[tuple[int, int, int, int], ...] = ()
    """Ordered ``(start, end, origin_start, origin_end)``: this piece of ``text`` came from that
    piece of the original; pieces of equal length were copied character by character."""
    page: int | None = None
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        if self.page is not None and self.page < 1:
            raise InputError(f"evidence.page counts from 1, got {self.page}")
        raw = self.text.encode("utf-8", "surrogatepass")
        object.__setattr__(self, "digest", hashlib.sha256(raw).hexdigest())
        if not self.id:
            object.__setattr__(self, "id", "e" + self.digest)

    def in_original(self, start: int, end: int) -> tuple[int, int] | None:
        """Where ``text[start:end]`` lies in the original; None when that is not known."""
        if not 0 <= start <= end <= len(self.text):
            raise InputError(f"[{start}:{end}] lies outside evidence {self.id}")
        if self.origin_start is not None:
            return self.origin_start + start, self.origin_start + end
        if not self.origin_runs or start == end:
            return None
        return self._origin_of(start)[0], self._origin_of(end - 1)[1]

    def _origin_of(self, position: int) -> tuple[int, int]:
        place = bisect_right(self.origin_runs, position, key=lambda run: run[0]) - 1
        begin, end, there, there_end = self.origin_runs[place]
        if end - begin != there_end - there:
            return there, there_end
        return there + position - begin, there + position - begin + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSpan:
    """An exact piece of one evidence text: ``evidence.text[start:end]``.

    >>> EvidenceSpan(evidence_id="e1", start=13, end=17).end
    17
    """

    evidence_id: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise InputError(f"evidence span needs 0 <= start <= end, got {self.start}, {self.end}")
