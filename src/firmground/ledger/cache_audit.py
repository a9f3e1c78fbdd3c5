"""What the log says about cached answers, to compare with the index that serves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from firmground.ledger.cache_key import state_after_run
from firmground.ledger.entry import Body, BurnEntry, CacheState, FalsifyEntry
from firmground.ledger.replay import LogPart, LogProblem, LogProblemKind
from firmground.ledger.store import CacheRow


@dataclass(slots=True)
class CacheHistory:
    """Derives, entry by entry, which run answers a key and in which state."""

    rows: dict[bytes, tuple[int, CacheState, int]] = field(default_factory=dict)
    """Key to (entry of the run, state, entry that gave the state)."""
    keys: dict[int, bytes] = field(default_factory=dict)
    """Entry of a run to its key, where that was not erased."""

    def run(self, seq: int, key: bytes) -> None:
        """A run recorded under a key answers it from now on."""
        self.keys[seq] = key
        before = self.rows.get(key)
        state = state_after_run(None if before is None else before[1])
        if before is None or state is CacheState.LIVE:
            self.rows[key] = (seq, state, seq)

    def act(self, seq: int, body: Body) -> None:
        """A run that answers a key is given another state, or no longer answers it."""
        if not isinstance(body, (FalsifyEntry, BurnEntry)):
            return
        key = self.keys.get(body.of)
        if key is None or self.rows.get(key, (None,))[0] != body.of:
            return
        if isinstance(body, FalsifyEntry):
            self.rows[key] = (body.of, body.state, seq)
        else:
            del self.rows[key]

    def problems(self, stored: Sequence[CacheRow]) -> Iterator[LogProblem]:
        """Compare with the stored index. A key that is absent from it is merely never served."""
        for row in stored:
            known = self.rows.get(row.key)
            name = row.key.hex()[:16]
            if known is None:
                yield _problem(LogProblemKind.EXTRA, row, f"the log records no answer under {name}")
            elif (row.seq, row.state, row.changed) != known:
                seq, state, by = known
                detail = f"by the log {name} is {state} through entry {by}, answered by entry {seq}"
                yield _problem(LogProblemKind.CHANGED, row, detail)


def _problem(wrong: LogProblemKind, row: CacheRow, detail: str) -> LogProblem:
    return LogProblem(part=LogPart.CACHE, wrong=wrong, seq=row.seq, detail=detail)
