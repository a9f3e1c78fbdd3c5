"""Verifies a run-DAG blob, strictly unless asked otherwise; never raises.

The parent's rules bind less than they seem to: stage names are not hashed, an inner node can pass
for a leaf, a repeated last leaf changes nothing. Strict verification closes what can be closed from
outside, refuses what is ambiguous, and says in ``not_bound`` what stays open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firmground.errors import InputError
from firmground.ledger.fg0.strict import SHAPES, DuplicateKeyObject, Held, complaints, payload_hash
from firmground.ledger.fg0.tree import MerkleTree

MAX_CHARACTERS = 1 << 22
MAX_NODES = 1024
_NAMES = "stage names: they are not hashed, only their enumerated order is checked"
_PAYLOADS = "what the stages said: only hashes are here ({})"


@dataclass(frozen=True, slots=True, kw_only=True)
class DagReport:
    """Whether a blob holds, why not, and what even a valid one leaves open."""

    valid: bool
    reasons: tuple[str, ...] = ()
    not_bound: tuple[str, ...] = ()
    shape: str | None = None
    root: str | None = None
    lenient: bool = False

    def __bool__(self) -> bool:
        return self.valid

    @property
    def verdict(self) -> str:
        """One line for people."""
        if not self.valid:
            return "not valid: " + "; ".join(self.reasons)
        mode = "leniently " if self.lenient else ""
        return f"{mode}compat-verified (stage names not cryptographically bound)"


def verify_run_dag(
    blob: str | bytes | Mapping[str, Any],
    *,
    lenient: bool = False,
    root: str | None = None,
    payloads: Mapping[str, Any] | None = None,
) -> DagReport:
    """Check a stored run-DAG; never raises on what ``blob`` holds.

    ``root`` is the root you trust, from outside the blob; without it nothing holds strictly.
    ``payloads`` are contents you hold, by stage: a text for texts, JSON values for the rest; each
    must hash to its node. ``lenient`` accepts whatever the parent accepted and lists under
    ``not_bound`` what strictness refuses.
    """
    try:
        document = _load(blob)
        nodes, computed = _recompute(document)
    except InputError as error:
        return DagReport(valid=False, reasons=(str(error),), lenient=lenient)
    held = Held(document=document, nodes=nodes, root=root, payloads=payloads or {})
    faults = [*_wrong_root(held, computed), *_wrong_payloads(held)]
    refused = complaints(held)
    reasons = tuple(faults if lenient else faults + refused)
    return DagReport(
        valid=not reasons,
        reasons=reasons,
        not_bound=_not_bound(held) + tuple(refused * lenient),
        shape=SHAPES.get(tuple(stage for stage, _ in nodes)),
        root=computed,
        lenient=lenient,
    )


def _load(blob: str | bytes | Mapping[str, Any]) -> dict[str, Any]:
    document = dict(blob) if isinstance(blob, Mapping) else _parse(blob)
    if not isinstance(document, dict):
        raise InputError("the blob is not a JSON object")
    return document


def _parse(blob: str | bytes) -> Any:
    if not isinstance(blob, str | bytes) or len(blob) > MAX_CHARACTERS:
        raise InputError(f"the blob is not JSON text of at most {MAX_CHARACTERS} characters")
    try:
        text = blob if isinstance(blob, str) else blob.decode("utf-8")
        return json.loads(text, object_pairs_hook=_marked)
    except (ValueError, RecursionError):
        raise InputError("the blob is not JSON") from None


def _marked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    return made if len(made) == len(pairs) else DuplicateKeyObject(made)


def _recompute(document: dict[str, Any]) -> tuple[tuple[tuple[str, str], ...], str]:
    nodes = document.get("nodes")
    if not isinstance(nodes, list | tuple) or not 1 <= len(nodes) <= MAX_NODES:
        raise InputError(f"the blob has no list of 1 to {MAX_NODES} nodes")
    read: list[tuple[str, str]] = []
    leaves: list[bytes] = []
    for place, node in enumerate(nodes):
        if not isinstance(node, Mapping) or not isinstance(node.get("hash"), str):
            raise InputError(f"node {place} is not an object with a hash")
        stage = node.get("stage")
        read.append((stage if isinstance(stage, str) else "", node["hash"]))
        try:
            leaves.append(bytes.fromhex(node["hash"]))
        except ValueError:
            raise InputError(f"the hash of node {place} is not hexadecimal") from None
    return tuple(read), MerkleTree.build(leaves).root.hex()


def _wrong_root(held: Held, computed: str) -> list[str]:
    reasons = []
    if held.document.get("root") != computed:
        reasons.append("the nodes do not lead to the root that the blob states")
    if held.root is not None and held.root != computed:
        reasons.append("the nodes do not lead to the root that you trust")
    return reasons


def _wrong_payloads(held: Held) -> list[str]:
    reasons = []
    hashes = held.hashes
    for stage, payload in held.payloads.items():
        if stage not in hashes:
            reasons.append(f"there is no stage {stage} that could have the payload you hold")
        elif payload_hash(payload) != hashes[stage]:
            reasons.append(f"the payload you hold is not that of {stage}")
    return reasons


def _not_bound(held: Held) -> tuple[str, ...]:
    unseen = [stage for stage, _ in held.nodes if stage not in held.stages]
    return (_NAMES, *([_PAYLOADS.format(", ".join(unseen))] if unseen else []))
