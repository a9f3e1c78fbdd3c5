"""Compatibility profile fg0: the run-DAG parent's hashes, bit for bit, and a strict verifier.

Nothing new is written under these rules alone: they bind neither stage names nor the shape of a
run. They exist so that records made elsewhere can be rebuilt and checked.
"""

from __future__ import annotations

from firmground.ledger.fg0.canon import canonical_json, sha256_hex
from firmground.ledger.fg0.dag import (
    DagNode,
    RunDag,
    build_reject_run_dag,
    build_run_dag,
    localize_failure,
)
from firmground.ledger.fg0.preflight import (
    PREFLIGHT_NODE_VERSION,
    build_preflight_node_payload,
    preflight_node_hash,
)
from firmground.ledger.fg0.roots import (
    NO_EVENT,
    CacheDimensions,
    QuestionMode,
    cache_key,
    canonical_question,
    context_root,
    document_root,
    event_hash,
    evidence_map_root,
    question_hash,
    snapshot_root,
)
from firmground.ledger.fg0.tree import (
    MerkleProof,
    MerkleTree,
    ProofNode,
    hash_combine,
    hash_leaf,
    proof_to_dict,
    verify_proof,
)
from firmground.ledger.fg0.verify import DagReport, verify_run_dag

__all__ = [
    "NO_EVENT",
    "PREFLIGHT_NODE_VERSION",
    "CacheDimensions",
    "DagNode",
    "DagReport",
    "MerkleProof",
    "MerkleTree",
    "ProofNode",
    "QuestionMode",
    "RunDag",
    "build_preflight_node_payload",
    "build_reject_run_dag",
    "build_run_dag",
    "cache_key",
    "canonical_json",
    "canonical_question",
    "context_root",
    "document_root",
    "event_hash",
    "evidence_map_root",
    "hash_combine",
    "hash_leaf",
    "localize_failure",
    "preflight_node_hash",
    "proof_to_dict",
    "question_hash",
    "sha256_hex",
    "snapshot_root",
    "verify_proof",
    "verify_run_dag",
]
