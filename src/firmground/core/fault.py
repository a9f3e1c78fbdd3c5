"""A model that could not answer, as a finding."""

from __future__ import annotations

from firmground.core.finding import Fault, FaultKind
from firmground.errors import ModelError


def fault_from(error: ModelError, *, source: str) -> Fault:
    """The fault that stands for a model's failure; an unknown kind counts as a crash."""
    known = {kind.value: kind for kind in FaultKind}
    return Fault(
        source=source, kind=known.get(error.kind, FaultKind.CRASHED), message=str(error)[:500]
    )
