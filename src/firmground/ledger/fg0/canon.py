"""The parent's idea of canonical JSON, faults included: what it hashed must come out again."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from firmground.errors import CanonError


def canonical_json(value: Any) -> str:
    """Sorted keys, no white space, no escapes beyond ASCII controls.

    Floats and NaN are written as Python writes them and number keys turn into strings, which
    other languages do differently; fg1 allows none of these.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise CanonError(f"the value cannot be written as JSON: {error}") from None


def sha256_hex(text: str) -> str:
    """SHA-256 of the text in UTF-8, lone surrogates passed through."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
