"""What may an answer stand on? Reads files, folders, values and addresses into ``Evidence``."""

from __future__ import annotations

from firmground.adapters.evidence.fetch import fetch_url
from firmground.adapters.evidence.limits import Limits, Loaded, Skipped
from firmground.adapters.evidence.load import load_bytes, load_path, load_source, load_text
from firmground.adapters.evidence.values import evidence_from_value

__all__ = [
    "Limits",
    "Loaded",
    "Skipped",
    "evidence_from_value",
    "fetch_url",
    "load_bytes",
    "load_path",
    "load_source",
    "load_text",
]
