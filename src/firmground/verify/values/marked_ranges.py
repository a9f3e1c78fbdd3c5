"""Which characters of a text already belong to a value that was read there."""

from __future__ import annotations

from collections.abc import Iterable


class MarkedRanges:
    """Marks stretches of a text; asking about one costs its length, not how many are marked."""

    def __init__(self, size: int, stretches: Iterable[tuple[int, int]] = ()) -> None:
        self._marked = bytearray(size)
        for start, end in stretches:
            self.take(start, end)

    def take(self, start: int, end: int) -> None:
        """Mark a stretch."""
        self._marked[start:end] = b"\1" * (end - start)

    def overlaps(self, start: int, end: int) -> bool:
        """True when some character of a stretch is marked."""
        return 1 in self._marked[start:end]
