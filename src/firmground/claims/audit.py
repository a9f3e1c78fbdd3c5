"""The run-DAG parent's own words for a verdict, kept as it defines them."""

from __future__ import annotations

from enum import StrEnum


class AuditMode(StrEnum):
    """How much of an answer was found in the sources by string comparison."""

    STRICT = "STRICT"
    """There is at least one unit, and every unit was found."""
    HYBRID = "HYBRID"
    """Some units were found, or all of them with a reservation."""
    UNGROUNDED = "UNGROUNDED"
    """No unit was found."""


class VerifierMethod(StrEnum):
    """Which comparison found the units."""

    QUOTE = "quote"
    SPAN = "span"
    ENTITY = "entity"
    PARAPHRASE = "paraphrase"
    NONE = "none"
    CLAIM_LATTICE_POINTER = "claim_lattice_pointer"
    CLAIM_LATTICE = "claim_lattice"


class EntityPolicy(StrEnum):
    """What names found in the sources are worth."""

    STRICT = "strict"
    """All names found makes the answer strict."""
    HYBRID = "hybrid"
    """Names alone never make more than hybrid."""
    DROP = "drop"
    """Names are not looked at."""
    PROXIMITY = "proximity"
    """Strict only when at least three of the names stand close together in one source."""


def mode_of(n_units: int, n_verified: int, *, reserved: bool = False) -> AuditMode:
    """Name the mode of a count; a reservation keeps a full count from being strict."""
    if n_verified <= 0 or n_units <= 0:
        return AuditMode.UNGROUNDED
    return AuditMode.STRICT if n_verified >= n_units and not reserved else AuditMode.HYBRID
