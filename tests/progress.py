"""A line now and then from tests that run for minutes; ``make soak`` shows them."""

from __future__ import annotations

import sys
import time

_EVERY = 20


class Progress:
    """Says how far a long test is, twenty times in all."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total = what, total
        self._done = self._said = 0
        self._started = time.process_time()

    def step(self, count: int = 1) -> None:
        """So much more is done."""
        self._done += count
        if self._done * _EVERY // self._total > self._said:
            self._said = self._done * _EVERY // self._total
            used = time.process_time() - self._started
            line = f"\n  {self._what}: {self._done} of {self._total}, {used:.0f} s of CPU here"
            print(line, end="", file=sys.stderr, flush=True)
