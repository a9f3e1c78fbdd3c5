"""Limits on reading, labels for sources, and the result of loading evidence."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmground.core.evidence import Evidence, EvidenceKind, Trust
from firmground.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """The most that one source may bring; beyond it stands an error, never a silent cut."""

    max_bytes: int = 16 << 20
    """Of one file, reply or standard input."""
    max_total_bytes: int = 64 << 20
    """Of one folder."""
    max_files: int = 2_000
    max_pieces: int = 100_000
    max_pages: int = 2_000
    max_depth: int = 32
    """Of nested JSON."""
    page_seconds: int = 10
    """For reading one page of a PDF, and for opening it."""
    pdf_seconds: int = 120
    """For reading all pages of a PDF."""
    max_page_size: int = 1 << 20
    """Characters of one page of a PDF."""
    max_memory: int = 1 << 30
    """Bytes of memory for reading a PDF."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) < 1:
                raise InputError(f"limits.{name} must be at least 1, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLabel:
    """What the caller says about a source; None leaves it to the format."""

    kind: EvidenceKind | None = None
    role: str | None = None
    trust: Trust | None = None
    retrieved_at: str | None = None
    encoding: str = "utf-8"
    limits: ReadLimits = field(default_factory=ReadLimits)

    def trust_for(self, kind: EvidenceKind) -> Trust:
        """The trust the caller gave, or what the kind deserves by itself."""
        return default_trust(kind) if self.trust is None else self.trust

    def role_for(self, kind: EvidenceKind) -> str:
        """The role the caller gave, or the one the kind plays by itself."""
        return self.role or default_role(kind)


def default_trust(kind: EvidenceKind) -> Trust:
    """What a tool or hook measured counts as measured; all else as retrieved."""
    return Trust.MEASURED if kind in (EvidenceKind.TOOL, EvidenceKind.HOOK) else Trust.RETRIEVED


def default_role(kind: EvidenceKind) -> str:
    """A tool's reply plays the tool; all else is a source."""
    return "tool" if kind in (EvidenceKind.TOOL, EvidenceKind.HOOK) else "source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """Decoded text on its way to becoming evidence."""

    text: str
    origin: str
    kind: EvidenceKind
    label: SourceLabel
    suffix: str = ""
    begin: int = 0
    """Where ``text`` begins in the decoded original."""

    def piece(self, text: str | None = None, *, start: int = 0) -> Evidence:
        """Make evidence of a verbatim part that begins at ``start`` of ``text``."""
        return Evidence(
            text=self.text if text is None else text,
            kind=self.kind,
            role=self.label.role_for(self.kind),
            trust=self.label.trust_for(self.kind),
            origin=self.origin,
            retrieved_at=self.label.retrieved_at,
            origin_start=self.begin + start,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something that was handed in and not read, and why."""

    origin: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The pieces that were read, in order, and what was not."""

    evidence: tuple[Evidence, ...]
    skipped: tuple[Skipped, ...] = ()
