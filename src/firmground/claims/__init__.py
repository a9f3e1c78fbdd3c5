"""Cuts an answer into claims that are exact pieces of it.

Prose, quotations, `[E1]` pointers and JSON are cut in four ways; the citation check, the run-DAG
parent's claim lattice and its layered verifier read the same text.
"""

from __future__ import annotations

from firmground.claims.audit import AuditMode, EntityPolicy, VerifierMethod
from firmground.claims.citations import check_citations
from firmground.claims.diagnose import diagnose_deflection, diagnose_title_relevance
from firmground.claims.evidence_map import EvidenceMap, EvidenceObject, build_evidence_map
from firmground.claims.jsonclaims import JsonReading, json_claims, read_claims
from firmground.claims.labels import LatticeLabel, Violation, display_label
from firmground.claims.lattice import CheckResult, ClaimStatus, HardCheck, LatticePolicy
from firmground.claims.lattice_verdict import (
    AnswerMode,
    ClaimVerdict,
    LatticeVerdict,
    rejected_verdict,
    verify_json_answer,
    verify_pointer_answer,
)
from firmground.claims.layered import (
    InspectClass,
    LayeredVerdict,
    inspect_text,
    inspect_units,
    layered_verify,
)
from firmground.claims.pointer import LatticeClaim, pointer_claims
from firmground.claims.prose import coverage, is_refusal, prose_claims
from firmground.claims.quotes import Quotation, quotations, quote_claims
from firmground.claims.render import render_lattice, render_pointer, spotlight
from firmground.claims.repair import ClaimPatch, Repair, RepairKind, apply_patches, repair_quotes
from firmground.claims.strategies import AuditUnit, strip_trailing_citation

__all__ = [
    "AnswerMode",
    "AuditMode",
    "AuditUnit",
    "CheckResult",
    "ClaimPatch",
    "ClaimStatus",
    "ClaimVerdict",
    "EntityPolicy",
    "EvidenceMap",
    "EvidenceObject",
    "HardCheck",
    "InspectClass",
    "JsonReading",
    "LatticeClaim",
    "LatticeLabel",
    "LatticePolicy",
    "LatticeVerdict",
    "LayeredVerdict",
    "Quotation",
    "Repair",
    "RepairKind",
    "VerifierMethod",
    "Violation",
    "apply_patches",
    "build_evidence_map",
    "check_citations",
    "coverage",
    "diagnose_deflection",
    "diagnose_title_relevance",
    "display_label",
    "inspect_text",
    "inspect_units",
    "is_refusal",
    "json_claims",
    "layered_verify",
    "pointer_claims",
    "prose_claims",
    "quotations",
    "quote_claims",
    "read_claims",
    "rejected_verdict",
    "render_lattice",
    "render_pointer",
    "repair_quotes",
    "spotlight",
    "strip_trailing_citation",
    "verify_json_answer",
    "verify_pointer_answer",
]
