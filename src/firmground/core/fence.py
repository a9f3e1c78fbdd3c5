"""Fences: marks around data in a prompt that the data cannot contain.

The mark is a digest over everything that is fenced together. A text that closes its own fence would
have to contain a digest of itself, which is infeasible, and yet the same data always give the same
prompt: calls can be cached and replayed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from firmground.errors import InputError

_MARK_CHARACTERS = 16


def mark_for(texts: Sequence[str]) -> str:
    """A mark that occurs in none of the texts."""
    joined = hashlib.sha256(b"fg1/fence")
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        joined.update(len(raw).to_bytes(8, "big") + raw)
    mark = joined.hexdigest()[:_MARK_CHARACTERS]
    if any(mark in text for text in texts):
        raise InputError("a text contains the mark that was to fence it")
    return mark


def fence(label: str, text: str, mark: str) -> str:
    """Put one text between marks, under a label of ours."""
    return f"[{label} {mark}]\n{text}\n[/{label} {mark}]"
