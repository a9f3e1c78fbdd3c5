"""Regular expressions that are compiled when first used, so that importing costs nothing."""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _Lazy:
    """Stands in for a pattern; the first use compiles it and puts its own methods here."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        made = re.compile(self.pattern, self.flags)
        for method in _METHODS:
            setattr(self, method, getattr(made, method))
        return getattr(made, name)


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Give what ``re.compile`` gives, compiled at its first use."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))
