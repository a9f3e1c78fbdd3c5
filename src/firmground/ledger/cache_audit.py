"""What the log says about cached answers, to compare with the index that serves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from firmground.ledger.cache_key import state_after_run
from firmground.ledger.entry import Body, BurnEntry, CacheState, FalsifyEntry, RunEntry
from firmground.ledger.store import CacheRow
from firmground.ledger.walk import Part, Problem, Wrong


@dataclass(slots=True)
class CacheHistory:
    """Derives, entry by entry, which run answers a key and in which state."""

    rows: dict[bytes, tuple[int, CacheState, int]] = field(default_factory=dict)
    """Key to (entry of the run, state, entry that gave the state)."""

    def run(self, seq: int, body: RunEntry) -> None:
        """A run recorded under a key answers it from now on."""
        if body.cache_key is not None:
            before = self.rows.get(body.cache_key)
            state = state_after_run(None if before is None else before[1])
            if before is None or state is CacheState.LIVE:
                self.rows[body.cache_key] = (seq, state, seq)

    def act(self, seq: int, body: Body) -> None:
        """A key is given another state, or its answer is deleted."""
        if isinstance(body, FalsifyEntry) and body.cache_key in self.rows:
            self.rows[body.cache_key] = (self.rows[body.cache_key][0], body.state, seq)
        if isinstance(body, BurnEntry):
            self.rows.pop(body.cache_key, None)

    def problems(self, stored: Sequence[CacheRow]) -> Iterator[Problem]:
        """Compare with the stored index. A key that is absent from it is merely never served."""
        for row in stored:
            known = self.rows.get(row.key)
            name = row.key.hex()[:16]
            if known is None:
                yield _problem(Wrong.EXTRA, row, f"the log records no answer under {name}")
            elif (row.seq, row.state, row.changed) != known:
                seq, state, by = known
                detail = f"by the log {name} is {state} through entry {by}, answered by entry {seq}"
                yield _problem(Wrong.CHANGED, row, detail)


def _problem(wrong: Wrong, row: CacheRow, detail: str) -> Problem:
    return Problem(part=Part.CACHE, wrong=wrong, seq=row.seq, detail=detail)
