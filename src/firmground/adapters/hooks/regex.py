"""Hook that requires or forbids patterns in the answer; matching takes linear time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from firmground.adapters.extras import need
from firmground.adapters.hooks._common import (
    VERSION,
    check_source,
    counted,
    in_thread,
    pick,
    skipped,
)
from firmground.core.finding import Fault, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError

_MOST_MEMORY = 8 << 20
_HALVES = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """Compile with re2; a pattern it does not know is an error that says so."""
    re2 = need(
        "re2", package="google-re2", extra="re2", purpose="a regular expression from settings"
    )
    options = re2.Options()
    options.max_mem = _MOST_MEMORY
    options.log_errors = False
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        said = error.args[0] if error.args else error
        why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise InputError(f"pattern {pattern!r} is not a re2 pattern: {why}") from None


def search(pattern: str, text: str) -> Any:
    """The first match or None; half a character that no encoding has counts as one unknown one."""
    return compiled(pattern).search(_HALVES.sub("\ufffd", text))


@dataclass(frozen=True, slots=True, kw_only=True)
class RegexHook:
    """Every ``must`` pattern has to occur and no ``must_not`` pattern may."""

    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    name: str = "regex"
    source: str = "answer"
    version: str = VERSION

    def __post_init__(self) -> None:
        check_source(self.source, key=f"hook {self.name!r}: source")
        if not self.must and not self.must_not:
            raise InputError(f"hook {self.name!r}: no pattern, so nothing would be checked")
        for key, patterns in (("must", self.must), ("must_not", self.must_not)):
            for pattern in patterns:
                self._check_pattern(key, pattern)

    def _check_pattern(self, key: str, pattern: str) -> None:
        try:
            expression = compiled(pattern)
        except InputError as error:
            raise InputError(f"hook {self.name!r}: {key}: {error}") from None
        if all(expression.search(text) for text in ("", "\ue000", "\ue001\n")):
            raise InputError(
                f"hook {self.name!r}: {key}: {pattern!r} matches every text, so it checks nothing"
            )

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Search for each pattern once."""
        text = pick(case, self.source)
        if text is None:
            return skipped(self.name, f"there is no {self.source} to search")
        return await in_thread(lambda _: self._check(text))

    def _check(self, text: str) -> HookReply:
        missing = [("missing", p) for p in self.must if not search(p, text)]
        present = [
            ("present", f"{p} at {match.start()}:{match.end()}")
            for p in self.must_not
            if (match := search(p, text))
        ]
        wrong = (*missing, *present)
        return HookReply(
            source=self.name,
            passed=not wrong,
            message=f"{counted(len(wrong), 'pattern is', 'patterns are')} not as it should be"
            if wrong
            else "every pattern is as it should be",
            details=wrong,
            guidance="; ".join(
                f"{'add what matches' if what == 'missing' else 'leave out'} {pattern}"
                for what, pattern in wrong
            ),
            version=self.version,
        )
