"""What an audit reports, and the sentences that say what it could not have seen."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.ledger.replay import LogProblem

UNANCHORED = (
    "no checkpoint from outside this log was given: a rewrite by the holder of the signing key, "
    "and entries cut off after the newest stored checkpoint, would not be seen"
)
ANCHORED = (
    "the holder of the signing key could have rewritten entries from {size} on: "
    "the newest checkpoint from outside covers the {size} before"
)
UNKEYED = "no key was given: signatures were checked against the key history in the log itself"
SEALED = (
    "{number} payloads are sealed under keys that were not given, or were changed: they were not "
    "compared with what the log committed to"
)
UNSCRUBBED = (
    "an erasure is not finished: erased bytes may still stand in the log's files until the log is "
    "opened for writing"
)
NOT_READ = (
    "the {size} entries before the checkpoint you gave were not read: what is stored of them may "
    "have changed since they were audited. The cache was not checked"
)
BACKWARD = (
    "the times of {number} entries, first of entry {first}, lie before that of an earlier entry: "
    "the clock of the log went back, and its times say less"
)
UNCOVERED = (
    "{above} entries, from {size} on, stand above the newest valid checkpoint: "
    "any process that can write the file could have changed these, without any key"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What an audit found. ``holds`` only when everything stored was checked and matches."""

    size: int
    root: bytes
    problems: tuple[LogProblem, ...]
    omitted: int
    """Problems beyond those that are listed."""
    runs: int
    stages: int
    payloads: int
    erased: int
    checkpoints: int
    anchors: int
    """Checkpoints from outside that were compared."""
    unseen: tuple[str, ...]
    """What this audit could not have noticed."""

    @property
    def holds(self) -> bool:
        """True when nothing is wrong, missing, moved or cut off."""
        return not self.problems
