"""The parent's run-DAG builders: the same inputs give the same roots, bit for bit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmground.errors import InputError
from firmground.ledger.fg0.canon import canonical_json, sha256_hex
from firmground.ledger.fg0.tree import MerkleTree
from firmground.ledger.text import unhex

Json = Mapping[str, Any]
_SOURCE_FIELDS = ("document_root", "source_role", "score", "chunk_idx")


@dataclass(frozen=True, slots=True)
class DagNode:
    """One stage and its hash."""

    stage: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDag:
    """The stages of a run, their root, and the preflight payload if it was kept."""

    root: str
    nodes: tuple[DagNode, ...]
    preflight_payload: Json | None = field(default=None, hash=False)

    def as_dict(self) -> dict[str, Any]:
        """The parent's dictionary: ``root``, ``nodes`` and perhaps ``preflight_payload``."""
        nodes = [{"stage": node.stage, "hash": node.hash} for node in self.nodes]
        made: dict[str, Any] = {"root": self.root, "nodes": nodes}
        if self.preflight_payload is not None:
            made["preflight_payload"] = dict(self.preflight_payload)
        return made

    def blob(self) -> str:
        """The dictionary as JSON text, as the parent stores it."""
        return json.dumps(self.as_dict(), ensure_ascii=False)


def localize_failure(
    *, audit_mode: str, n_sources: int, n_quotes: int, n_verified: int
) -> str | None:
    """The parent's three labels; ``n_verified`` never mattered. See ``core.localize`` for six."""
    if audit_mode == "STRICT":
        return None
    if n_sources == 0:
        return "retrieval"
    return "context" if n_quotes == 0 else "answer"


def build_run_dag(
    *,
    question_hash: str,
    sources: Sequence[Json],
    context_root: str,
    conversation_hash: str,
    answer_text: str,
    audit_mode: str,
    verifier_method: str,
    n_quotes: int,
    n_verified: int,
    claim_statuses: Sequence[Json] | None = None,
    lookup_path: str | None = None,
    evidence_map_root: str | None = None,
    answer_mode: str | None = None,
    violations: Sequence[Json] | None = None,
    raw_answer_text: str | None = None,
    parsed_lattice: Sequence[Any] | None = None,
    rendered_text: str | None = None,
    retrieval_plan_hash: str | None = None,
    preflight_hash: str | None = None,
    preflight_payload: Json | None = None,
) -> RunDag:
    """A run of 7 stages, of 9 with an evidence map, and one more with a preflight.

    As in the parent, a missing raw or rendered text is filled in from ``answer_text``.
    """
    verdict: dict[str, Any] = {
        "audit_mode": audit_mode,
        "verifier_method": verifier_method,
        "n_quotes": n_quotes,
        "n_verified": n_verified,
        "claim_statuses": list(claim_statuses or ()),
        "failure_stage": localize_failure(
            audit_mode=audit_mode, n_sources=len(sources), n_quotes=n_quotes, n_verified=n_verified
        ),
    }
    label = {
        "audit_mode": audit_mode,
        "verifier_method": verifier_method,
        "lookup_path": lookup_path,
    }
    verify = ("verify", _hash_json(_with(verdict, "violations", violations)))
    prompt = ("prompt", conversation_hash)
    if evidence_map_root is None:
        middle = [("context", context_root), prompt, ("answer", sha256_hex(answer_text)), verify]
    else:
        middle = [
            ("evidence_map", evidence_map_root),
            prompt,
            ("raw_answer", sha256_hex(_or(raw_answer_text, answer_text))),
            ("parsed_claim_lattice", _hash_json(list(parsed_lattice or ()))),
            verify,
            ("render", sha256_hex(_or(rendered_text, answer_text))),
        ]
    stages = [
        ("question", question_hash),
        *([] if preflight_hash is None else [("preflight", preflight_hash)]),
        ("retrieval", _retrieval_hash(sources, retrieval_plan_hash)),
        *middle,
        ("final_label", _hash_json(_with(label, "answer_mode", answer_mode))),
    ]
    return _dag(stages, preflight_payload)


def build_reject_run_dag(
    *,
    question_hash: str,
    preflight_hash: str,
    rejection_reason: str,
    answer_text: str,
    audit_mode: str = "UNGROUNDED",
    verifier_method: str = "claim_lattice_pointer",
    violations: Sequence[Json] | None = None,
    preflight_payload: Json | None = None,
) -> RunDag:
    """A run of 3 stages: the question was turned away before anything was looked for."""
    label: dict[str, Any] = {
        "audit_mode": audit_mode,
        "verifier_method": verifier_method,
        "lookup_path": "preflight",
        "rejection_reason": rejection_reason,
        "answer_text_hash": sha256_hex(answer_text or ""),
    }
    stages = [
        ("question", question_hash),
        ("preflight", preflight_hash),
        ("final_label", _hash_json(_with(label, "violations", violations))),
    ]
    return _dag(stages, preflight_payload)


def _dag(stages: list[tuple[str, str]], preflight_payload: Json | None) -> RunDag:
    if preflight_payload is not None:
        stated = dict(stages).get("preflight")
        if stated != _hash_json(dict(preflight_payload)):
            raise InputError("preflight_payload does not hash to preflight_hash")
    leaves = [unhex(value, f"the hash of {stage}") for stage, value in stages]
    root = MerkleTree.build(leaves).root.hex()
    nodes = tuple(DagNode(stage, value) for stage, value in stages)
    return RunDag(root=root, nodes=nodes, preflight_payload=preflight_payload)


def _retrieval_hash(sources: Sequence[Json], plan_hash: str | None) -> str:
    found = _hash_json([{name: source.get(name) for name in _SOURCE_FIELDS} for source in sources])
    if plan_hash is None:
        return found
    return _hash_json({"retrieval_plan_hash": plan_hash, "sources_summary_hash": found})


def _hash_json(value: Any) -> str:
    return sha256_hex(canonical_json(value))


def _with(document: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Fold in a field that older records do not have: absent and empty are two things."""
    return document if value is None else {**document, name: value}


def _or(text: str | None, fallback: str) -> str:
    return fallback if text is None else text
