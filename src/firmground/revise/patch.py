"""A change to an answer, said in offsets, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from firmground.errors import InputError


class PatchKind(StrEnum):
    """What a patch does to the piece it covers."""

    CORRECT = "correct"
    """Put in what the evidence says."""
    DROP = "drop"
    """Take the claim out."""
    HEDGE = "hedge"
    """Leave the claim and say behind it that it does not stand."""
    UNQUOTE = "unquote"
    """Remove the quotation marks around words that are in no source."""
    REWRITE = "rewrite"
    """Put in what a model wrote from the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """Replace ``answer[start:end]`` and nothing else."""

    start: int
    end: int
    replacement: str
    kind: PatchKind
    reason: str
    claim: int | None = None
    """Position of the claim in the assessments."""

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise InputError(f"a patch needs 0 <= start <= end, got {self.start}, {self.end}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """An answer before and after, with every change between them."""

    before: str
    after: str
    patches: tuple[Patch, ...]

    @property
    def diff(self) -> tuple[str, ...]:
        """One line a patch, for a person or a log."""
        return tuple(
            f"{p.start}:{p.end} {p.kind} {self.before[p.start : p.end]!r} -> {p.replacement!r} "
            f"({p.reason})"
            for p in self.patches
        )

    def marks(self, before: Sequence[int] = ()) -> tuple[int, ...]:
        """Where marks of ours stand afterwards: those that were there already, and new ones."""
        moved = [at for one in before if (at := self.position(one)) is not None]
        shift = 0
        for patch in self.patches:
            if patch.kind is PatchKind.HEDGE:
                moved.append(patch.start + shift)
            shift += len(patch.replacement) - (patch.end - patch.start)
        return tuple(sorted(set(moved)))

    def position(self, offset: int) -> int | None:
        """Where a character of the old answer stands in the new one; None if it was replaced."""
        moved = offset
        for patch in self.patches:
            if patch.start <= offset < patch.end:
                return None
            if patch.end <= offset:
                moved += len(patch.replacement) - (patch.end - patch.start)
        return moved


def apply(answer: str, patches: Sequence[Patch]) -> Revision:
    """Make all changes at once; patches that overlap or leave the answer are refused."""
    ordered = sorted(patches, key=lambda p: (p.start, p.end))
    pieces: list[str] = []
    at = 0
    for patch in ordered:
        if patch.start < at:
            raise InputError(f"two patches overlap at {patch.start}")
        if patch.end > len(answer):
            raise InputError(f"a patch ends at {patch.end}, the answer at {len(answer)}")
        pieces += [answer[at : patch.start], patch.replacement]
        at = patch.end
    after = "".join([*pieces, answer[at:]])
    return Revision(before=answer, after=after, patches=tuple(ordered))
