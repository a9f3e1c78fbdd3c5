"""Reads files, folders, values and URLs into ``Evidence``."""

from __future__ import annotations

from firmground.adapters.evidence.fetch import fetch_url
from firmground.adapters.evidence.limits import Loaded, ReadLimits, Skipped
from firmground.adapters.evidence.load import load_bytes, load_path, load_source, load_text
from firmground.adapters.evidence.values import evidence_from_value

__all__ = [
    "Loaded",
    "ReadLimits",
    "Skipped",
    "evidence_from_value",
    "fetch_url",
    "load_bytes",
    "load_path",
    "load_source",
    "load_text",
]
