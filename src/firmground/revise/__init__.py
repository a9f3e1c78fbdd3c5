"""Repairs answers by patches with offsets: only flagged pieces change, byte for byte."""

from __future__ import annotations

from firmground.revise.mechanical import Unsupported, repair_answer
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
    "mostly",
    "put_in",
    "read_replacements",
    "repair_answer",
]
