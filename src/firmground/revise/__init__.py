"""How is it mended? Patches by offsets: only what was flagged, the rest untouched to the byte."""

from __future__ import annotations

from firmground.revise.mechanical import Unsupported, mend
from firmground.revise.patch import Patch, PatchKind, Revision, apply

__all__ = ["Patch", "PatchKind", "Revision", "Unsupported", "apply", "mend"]
