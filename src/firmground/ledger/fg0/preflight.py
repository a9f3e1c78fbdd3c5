"""The preflight node of the parent: six clauses and a version, hashed as canonical JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmground.ledger.fg0.canon import canonical_json, sha256_hex

PREFLIGHT_NODE_VERSION = "preflight-node-v1"
CLAUSES = (
    "answer_contract",
    "classifier",
    "evidence_contract",
    "policy_refs",
    "prompt_contract",
    "question_state",
)
Clause = Mapping[str, Any] | None


def build_preflight_node_payload(
    *,
    question_state: Clause = None,
    quantifier: Clause = None,
    answer_contract: Clause = None,
    prompt_contract: Clause = None,
    evidence_contract: Clause = None,
    policy_refs: Clause = None,
) -> dict[str, Any]:
    """The payload of the preflight stage; a clause that is not given is an empty object."""
    return {
        "stage": "preflight",
        "node_version": PREFLIGHT_NODE_VERSION,
        "classifier": dict(quantifier or {}),
        "answer_contract": dict(answer_contract or {}),
        "prompt_contract": dict(prompt_contract or {}),
        "evidence_contract": dict(evidence_contract or {}),
        "policy_refs": dict(policy_refs or {}),
        "question_state": dict(question_state or {}),
    }


def preflight_node_hash(
    *,
    question_state: Clause = None,
    quantifier: Clause = None,
    answer_contract: Clause = None,
    prompt_contract: Clause = None,
    evidence_contract: Clause = None,
    policy_refs: Clause = None,
) -> str:
    """The hash of the preflight stage, in hexadecimal."""
    payload = build_preflight_node_payload(
        question_state=question_state,
        quantifier=quantifier,
        answer_contract=answer_contract,
        prompt_contract=prompt_contract,
        evidence_contract=evidence_contract,
        policy_refs=policy_refs,
    )
    return sha256_hex(canonical_json(payload))
