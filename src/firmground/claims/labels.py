"""The ladder of labels under which the run-DAG parent shows a lattice answer."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from firmground.claims.audit import AuditMode


class Violation(StrEnum):
    """What is wrong with a lattice answer besides the status of its claims."""

    POINTER_OVERFLOW_TRIMMED = "POINTER_OVERFLOW_TRIMMED"
    LAZY_ANCHOR_DEMOTED = "LAZY_ANCHOR_DEMOTED"
    WARRANT_MISSING = "WARRANT_MISSING"
    TOO_MANY_CLAIMS = "TOO_MANY_CLAIMS"
    BARE_NAME_CLAIM = "BARE_NAME_CLAIM"
    TITLE_MISMATCH = "TITLE_MISMATCH"
    SUBJECT_TOKENS_ABSENT = "SUBJECT_TOKENS_ABSENT"
    DEFLECTION_DETECTED = "DEFLECTION_DETECTED"
    FORMAT_COLLAPSED = "FORMAT_COLLAPSED"
    BROAD_QUANTIFIER_REJECTED = "BROAD_QUANTIFIER_REJECTED"

    @property
    def demotes(self) -> bool:
        """True when it keeps an answer from being strict."""
        return self is not Violation.POINTER_OVERFLOW_TRIMMED


class LatticeLabel(StrEnum):
    """The label that a reader sees, from the weakest to the strongest."""

    UNGROUNDED = "UNGROUNDED"
    POINTER_LINKED = "POINTER-LINKED"
    """The pointers resolve, but an anchor is missing from what they name."""
    ANCHOR_WARRANTED = "ANCHOR-WARRANTED"
    """The anchors are there, with another reservation."""
    EVIDENCE_WARRANTED = "EVIDENCE-WARRANTED"
    """Every check passed."""
    ENTAILMENT_VERIFIED = "ENTAILMENT-VERIFIED"
    """Kept free for verdicts that rest on more than string comparison; never given here."""


def display_label(mode: AuditMode, violations: Collection[Violation]) -> LatticeLabel:
    """Place an answer on the ladder."""
    if mode is AuditMode.UNGROUNDED:
        return LatticeLabel.UNGROUNDED
    if Violation.WARRANT_MISSING in violations:
        return LatticeLabel.POINTER_LINKED
    if any(one.demotes for one in violations):
        return LatticeLabel.ANCHOR_WARRANTED
    return LatticeLabel.EVIDENCE_WARRANTED
