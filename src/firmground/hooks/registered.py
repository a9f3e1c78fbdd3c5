"""A hook as the engine knows it: when it runs, for how long, and how far it is trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from firmground.core.ports import Hook
from firmground.errors import InputError

DEFAULT_TIMEOUT_SECONDS = 10.0


class Phase(StrEnum):
    """When a hook is asked, seen from the answer."""

    BEFORE = "before"
    AFTER = "after"
    BOTH = "both"

    def covers(self, phase: Phase) -> bool:
        """True when a hook of this phase is asked in ``phase``."""
        return self is Phase.BOTH or self is phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """One hook with its deadline.

    ``inline`` hooks run inside the event loop and must never block it; firmground's own adapters
    do. Everything else runs in a worker process that is ended at the deadline.
    """

    hook: Hook
    name: str = ""
    """Empty: the hook's own name."""
    phase: Phase = Phase.AFTER
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    target: str = ""
    """Whose breaker counts; empty: the hook's own. Hooks that ask the same server share one."""
    inline: bool = False
    version: str = ""
    escalate: bool | None = None
    """Whether a person must decide when it does not pass; None leaves it to the policy."""

    def __post_init__(self) -> None:
        if not 0 < self.timeout_seconds < math.inf:
            raise InputError(f"hook timeout_seconds must be above 0, got {self.timeout_seconds}")
        name = self.name or self.hook.name
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InputError(f"a hook needs a name, got {name!r}")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "target", self.target or name)
        if not self.version:
            version = getattr(self.hook, "version", "")
            object.__setattr__(self, "version", version if isinstance(version, str) else "")
