"""How is it mended? Patches by offsets: only what was flagged, the rest untouched to the byte."""

from __future__ import annotations

from firmground.revise.mechanical import Unsupported, mend
from firmground.revise.patch import Patch, PatchKind, Revision, apply
from firmground.revise.spans import (
    Flagged,
    Replacements,
    flagged,
    mostly,
    put_in,
    read_replacements,
)

__all__ = [
    "Flagged",
    "Patch",
    "PatchKind",
    "Replacements",
    "Revision",
    "Unsupported",
    "apply",
    "flagged",
    "mend",
    "mostly",
    "put_in",
    "read_replacements",
]
