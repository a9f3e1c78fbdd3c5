"""The verdict of the run-DAG predecessor: STRICT, HYBRID or UNGROUNDED. It decides nothing."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.claims import (
    LatticeVerdict,
    layered_verify,
    render_lattice,
    verify_json_answer,
    verify_pointer_answer,
)
from firmground.pipeline.request import Mode, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditVerdict:
    """STRICT, HYBRID or UNGROUNDED, and by which method. It decides nothing here."""

    audit_mode: str
    method: str
    label: str
    """Rung of the display ladder; empty where the method has none."""
    n_units: int
    n_verified: int
    violations: tuple[str, ...] = ()
    rendered: str = ""
    """The answer with the evidence's own words beside each claim, in the lattice modes."""


def audit_verdict(request: Request) -> AuditVerdict:
    """What the layered or the lattice verifier says to this answer."""
    asked = request.question.text if request.question else ""
    if request.mode is Mode.POINTER:
        return _of_lattice(verify_pointer_answer(request.answer, request.evidence, asked))
    if request.mode is Mode.JSON:
        return _of_lattice(verify_json_answer(request.answer, request.evidence, asked))
    found = layered_verify(request.answer, [piece.text for piece in request.evidence])
    return AuditVerdict(
        audit_mode=str(found.audit_mode),
        method=str(found.method),
        label="",
        n_units=found.n_units,
        n_verified=found.n_verified,
    )


def _of_lattice(found: LatticeVerdict) -> AuditVerdict:
    return AuditVerdict(
        audit_mode=str(found.audit_mode),
        method=str(found.method),
        label=found.display,
        n_units=found.n_units,
        n_verified=found.n_verified,
        violations=tuple(str(violation) for violation, _ in found.violations),
        rendered=render_lattice(found),
    )
