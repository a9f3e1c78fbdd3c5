"""The preflight clauses that a run commits to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmground.core.canon import Value, canonical, digest
from firmground.core.question import Question
from firmground.preflight.inspection import inspect_question
from firmground.preflight.quantifier import CLAIM_CAPS, Quantifier, claim_cap, classify
from firmground.preflight.role import role_clause
from firmground.preflight.settings import PreflightSettings
from firmground.preflight.state import read_state

PREFLIGHT_NODE_VERSION: Final = "preflight-node-v1"
REMINDER_TEMPLATE: Final = "claim-cap.v1"
"""Name of the prompt file that states the claim cap to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRefs:
    """What a run stood under, by digest."""

    governance_policy_hash: str = ""
    model_profile_hash: str = ""
    """Empty: that of the claim caps the settings name."""
    answer_mode: str = "quote"


_NO_REFS = PolicyRefs()
_UNSET = PreflightSettings()


def preflight_payload(
    question: Question,
    *,
    settings: PreflightSettings = _UNSET,
    refs: PolicyRefs = _NO_REFS,
    attached: bool = False,
    max_evidence_ids_exposed: int | None = None,
    role_asked: bool = False,
) -> dict[str, object]:
    """Return the five clauses and the question state as plain JSON values, without floats.

    ``role_asked``: a model is asked whether the question fits its role, so that a sixth clause
    names the prompt it is asked with.
    """
    quantifier = classify(question.text)
    cap = claim_cap(quantifier, model_profile=settings.model_profile)
    applied = bool(settings.apply_caps) and cap is not None
    state_on = settings.question_state != "off"
    return {
        "stage": "preflight",
        "node_version": PREFLIGHT_NODE_VERSION,
        "classifier": dict(quantifier.as_clause()),
        "answer_contract": _answer_contract(settings, refs, cap, applied=applied),
        "prompt_contract": {
            "reminder_enabled": bool(settings.apply_caps),
            "reminder_injected": applied,
            "reminder_template_id": REMINDER_TEMPLATE if applied else None,
        },
        "evidence_contract": {
            "max_evidence_ids_exposed": max_evidence_ids_exposed,
            "one_claim_per_line": refs.answer_mode != "quote",
        },
        "policy_refs": {
            "governance_policy_hash": refs.governance_policy_hash,
            "model_profile_hash": refs.model_profile_hash
            or model_profile_hash(settings.model_profile),
            "answer_mode": refs.answer_mode,
        },
        "question_state": _state_clause(question, quantifier, settings, attached)
        if state_on
        else {},
        **({"role_check": role_clause()} if role_asked else {}),
    }


def model_profile_hash(name: str) -> str:
    """SHA-256 over the profile in use: its name and its claim caps, so that neither can drift."""
    caps: dict[str, Value] = {r.name.lower(): cap for r, cap in CLAIM_CAPS[name.lower()].items()}
    value: Value = {"profile": name.lower(), "claim_caps": caps}
    return digest("model-profile", canonical(value)).hex()


def empty_preflight_payload() -> dict[str, object]:
    """The payload of a run whose preflight said nothing at all."""
    return {
        "stage": "preflight",
        "node_version": PREFLIGHT_NODE_VERSION,
        "classifier": {},
        "answer_contract": {},
        "prompt_contract": {},
        "evidence_contract": {},
        "policy_refs": {},
        "question_state": {},
    }


def _answer_contract(
    settings: PreflightSettings, refs: PolicyRefs, cap: int | None, *, applied: bool
) -> dict[str, object]:
    pointers = refs.answer_mode != "quote"
    return {
        "guard_enabled": True,
        "mode_gated": pointers,
        "apply_caps_active": bool(settings.apply_caps),
        "claim_cap_resolved": cap,
        "claim_cap_applied": cap if applied else None,
        "manual_quotes_allowed": not pointers,
        "evidence_pointer_required": pointers,
        "allow_unbounded_enumeration": not settings.reject_broad,
        "reject_broad_active": bool(settings.reject_broad),
        "metacognition_enabled": settings.question_state != "off",
        "block_on_contradiction": bool(settings.block_on_contradiction),
    }


def _state_clause(
    question: Question, quantifier: Quantifier, settings: PreflightSettings, attached: bool
) -> dict[str, object]:
    attached = attached or bool(question.context)
    clause = read_state(question.text, quantifier=quantifier, attached=attached).as_clause()
    seen = inspect_question(question, settings=settings, attached=attached)
    return {**clause, "logical_statuses": list(seen.question_state)}
