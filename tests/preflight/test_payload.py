"""The clauses a run commits to."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from firmground.core.question import Question
from firmground.preflight import (
    PolicyRefs,
    PreflightSettings,
    empty_preflight_payload,
    preflight_payload,
)

CLAUSES = [
    "stage",
    "node_version",
    "classifier",
    "answer_contract",
    "prompt_contract",
    "evidence_contract",
    "policy_refs",
    "question_state",
]


def _digest(payload: dict[str, object]) -> str:
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _floats(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_floats(v) for v in value.values())
    if isinstance(value, list | tuple):
        return any(_floats(v) for v in value)
    return isinstance(value, float)


def test_the_empty_payload_has_the_published_digest() -> None:
    assert (
        _digest(empty_preflight_payload())
        == "669503f032b1f5e9d781f5ba82f47b111b878d566c984568b4704ae245b4bfad"
    )


def test_the_clauses_are_there_in_plain_json_without_floats() -> None:
    payload = preflight_payload(Question(text="List all songs about rain"))
    assert list(payload) == CLAUSES
    assert json.loads(json.dumps(payload)) == payload
    assert not _floats(payload)
    assert payload["classifier"]["intensity"] == "ALL"  # type: ignore[index]


def test_every_setting_that_changes_the_answer_changes_the_digest() -> None:
    question = Question(text="List all songs about rain")
    variants = [
        preflight_payload(question),
        preflight_payload(question, settings=PreflightSettings(reject_broad=True)),
        preflight_payload(question, settings=PreflightSettings(apply_caps=True)),
        preflight_payload(question, settings=PreflightSettings(model_profile="hermes-3-8b")),
        preflight_payload(question, settings=PreflightSettings(question_state="off")),
        preflight_payload(question, settings=PreflightSettings(block_on_contradiction=True)),
        preflight_payload(question, refs=PolicyRefs(governance_policy_hash="00")),
        preflight_payload(question, refs=PolicyRefs(answer_mode="claim_lattice_pointer")),
        preflight_payload(question, max_evidence_ids_exposed=8),
    ]
    assert len({_digest(v) for v in variants}) == len(variants)


def test_caps_are_reported_in_a_dry_run_and_applied_only_when_told() -> None:
    question = Question(text="List all songs about rain")
    dry = preflight_payload(question)["answer_contract"]
    wet = preflight_payload(question, settings=PreflightSettings(apply_caps=True))
    assert (dry["claim_cap_resolved"], dry["claim_cap_applied"]) == (12, None)  # type: ignore[index]
    assert wet["answer_contract"]["claim_cap_applied"] == 12  # type: ignore[index]
    assert wet["prompt_contract"]["reminder_injected"] is True  # type: ignore[index]


def test_the_model_profile_is_committed_to() -> None:
    def refs(**fields: Any) -> str:
        payload: Any = preflight_payload(Question(text="How tall?"), **fields)
        return str(payload["policy_refs"]["model_profile_hash"])

    default = refs()
    assert len(default) == 64
    assert refs(settings=PreflightSettings(model_profile="Default")) == default
    assert refs(settings=PreflightSettings(model_profile="hermes-3-8b")) != default
    assert refs(refs=PolicyRefs(model_profile_hash="00" * 32)) == "00" * 32
