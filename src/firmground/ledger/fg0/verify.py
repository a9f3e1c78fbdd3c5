"""Does a run-DAG blob hold? Strict unless asked otherwise, and an answer for every input.

The parent's rules bind less than they seem to: stage names are not hashed, an inner node can pass
for a leaf, a repeated last leaf changes nothing. Strict verification closes what can be closed
from outside and says plainly, in ``not_bound``, what cannot.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from firmground.errors import CanonError, InputError
from firmground.ledger.fg0.canon import canonical_json, sha256_hex
from firmground.ledger.fg0.preflight import CLAUSES, PREFLIGHT_NODE_VERSION
from firmground.ledger.fg0.tree import SIZE, MerkleTree
from firmground.ledger.text import unhex

MAX_CHARACTERS = 1 << 22
MAX_NODES = 1024
MAX_DEPTH = 64
MAX_FAULTS = 20
MAX_VALUES = 100_000
_QUOTE = ("question", "retrieval", "context", "prompt", "answer", "verify", "final_label")
_POINTER = (
    "question", "retrieval", "evidence_map", "prompt", "raw_answer", "parsed_claim_lattice",
    "verify", "render", "final_label",
)  # fmt: skip
SHAPES: dict[tuple[str, ...], str] = {
    _QUOTE: "quote",
    ("question", "preflight", *_QUOTE[1:]): "quote with preflight",
    _POINTER: "pointer",
    ("question", "preflight", *_POINTER[1:]): "pointer with preflight",
    ("question", "preflight", "final_label"): "reject",
}
_NAMES = "stage names: they are not hashed, only their enumerated order is checked"
_ROOT = "the root: it was read from the blob itself; give the one you trust"
_PAYLOADS = "what the stages said: only hashes are here ({})"
_REJECT = (
    "that this was a rejection: the third layer of a run with 9 or 10 stages looks the same "
    "as long as the preflight payload is not here"
)
_TOO_MUCH = "the blob holds more than is looked at"
_FILLED = "that raw answer and rendered text are two things: their hashes are equal"


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

    ``root`` is the root you trust, from outside the blob. ``payloads`` are contents you hold, by
    stage: a text for texts, JSON values for the rest; each must hash to its node. ``lenient``
    accepts whatever the parent accepted and lists under ``not_bound`` what strictness refuses.
    """
    try:
        document = _load(blob)
        nodes, computed = _recompute(document)
    except InputError as error:
        return DagReport(valid=False, reasons=(str(error),), lenient=lenient)
    faults = [
        *_wrong_root(document, computed, root),
        *_wrong_payloads(nodes, payloads or {}),
    ]
    complaints = _complaints(document, nodes)
    reasons = tuple(faults if lenient else faults + complaints)
    shape = SHAPES.get(tuple(stage for stage, _ in nodes))
    return DagReport(
        valid=not reasons,
        reasons=reasons,
        not_bound=_not_bound(document, nodes, root, payloads or {}) + tuple(complaints * lenient),
        shape=shape,
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


class _Doubled(dict[str, Any]):
    """An object in which some key stood twice; the last one is kept, as the parent kept it."""


def _marked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    return made if len(made) == len(pairs) else _Doubled(made)


def _recompute(document: dict[str, Any]) -> tuple[list[tuple[str, str]], str]:
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
    return read, MerkleTree.build(leaves).root.hex()


def _wrong_root(document: dict[str, Any], computed: str, trusted: str | None) -> list[str]:
    reasons = []
    if document.get("root") != computed:
        reasons.append("the nodes do not lead to the root that the blob states")
    if trusted is not None and trusted != computed:
        reasons.append("the nodes do not lead to the root that you trust")
    return reasons


def _wrong_payloads(nodes: list[tuple[str, str]], payloads: Mapping[str, Any]) -> list[str]:
    reasons = []
    hashes = dict(nodes)
    for stage, payload in payloads.items():
        if stage not in hashes:
            reasons.append(f"there is no stage {stage} that could have the payload you hold")
        elif _payload_hash(payload) != hashes[stage]:
            reasons.append(f"the payload you hold is not that of {stage}")
    return reasons


def _payload_hash(payload: Any) -> str | None:
    try:
        return sha256_hex(payload if isinstance(payload, str) else canonical_json(payload))
    except CanonError:
        return None


def _complaints(document: dict[str, Any], nodes: list[tuple[str, str]]) -> list[str]:
    """What the parent lets pass and strict verification does not."""
    odd = _odd_json(document)
    if _TOO_MUCH in odd:
        return odd
    return [
        *odd,
        *_odd_keys(document),
        *_odd_hashes(nodes),
        *_odd_shape(nodes),
        *_repeated(nodes),
        *_odd_preflight(document, nodes),
    ]


def _odd_json(document: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for visited, fault in enumerate(_walk(document, "$", 0)):
        if fault:
            found.append(fault)
        if len(found) == MAX_FAULTS or visited == MAX_VALUES:
            return [*found, _TOO_MUCH]
    return found


def _walk(value: Any, path: str, depth: int) -> Iterator[str]:
    """For every value in there what is odd about it, or an empty text."""
    yield _oddity(value, path, depth)
    if depth >= MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk(item, f"{path}.{key}", depth + 1)
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from _walk(item, f"{path}[{place}]", depth + 1)


def _oddity(value: Any, path: str, depth: int) -> str:
    odd = ""
    if depth >= MAX_DEPTH:
        odd = f"{path} is nested {MAX_DEPTH} deep"
    elif isinstance(value, float):
        odd = f"{path} is a float, which other languages write differently"
    elif isinstance(value, str) and not _is_well_formed(value):
        odd = f"{path} holds a lone surrogate, which does not survive JSON"
    elif isinstance(value, _Doubled):
        odd = f"a key stands twice in {path}"
    elif isinstance(value, Mapping) and any(not isinstance(key, str) for key in value):
        odd = f"{path} has a key that is not a text, which JSON turns into one"
    elif value is not None and not isinstance(value, str | int | Mapping | list | tuple):
        odd = f"{path} is a {type(value).__name__}, which JSON does not know"
    return odd


def _is_well_formed(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _odd_keys(document: dict[str, Any]) -> list[str]:
    extra = sorted(str(key) for key in document.keys() - {"root", "nodes", "preflight_payload"})
    found = [f"the blob has the unknown key {key!r}, which nothing binds" for key in extra]
    for place, node in enumerate(document["nodes"]):
        if node.keys() != {"stage", "hash"} or not isinstance(node["stage"], str):
            found.append(f"node {place} must have exactly a stage and a hash")
    return found


def _odd_hashes(nodes: list[tuple[str, str]]) -> list[str]:
    found = []
    for place, (stage, value) in enumerate(nodes):
        try:
            unhex(value, f"the hash of node {place} ({stage})", SIZE)
        except InputError as error:
            found.append(str(error))
    return found


def _odd_shape(nodes: list[tuple[str, str]]) -> list[str]:
    if tuple(stage for stage, _ in nodes) in SHAPES:
        return []
    counts = sorted({len(shape) for shape in SHAPES})
    return [
        f"{len(nodes)} stages in this order are none of the enumerated shapes "
        f"(of {', '.join(map(str, counts))} stages)"
    ]


def _repeated(nodes: list[tuple[str, str]]) -> list[str]:
    leaves = [bytes.fromhex(value) for _, value in nodes]
    for level, layer in enumerate(MerkleTree.build(leaves).layers):
        for left, right in pairwise(layer):
            if left == right:
                return [f"level {level} holds two equal neighbours: a leaf may have been repeated"]
    return []


def _odd_preflight(document: dict[str, Any], nodes: list[tuple[str, str]]) -> list[str]:
    if "preflight_payload" not in document:
        return []
    payload, stated = document["preflight_payload"], dict(nodes).get("preflight")
    if stated is None:
        return ["there is a preflight payload, but no preflight stage"]
    found = []
    if not isinstance(payload, Mapping) or _payload_hash(payload) != stated:
        found.append("the preflight payload does not hash to the preflight stage")
    elif payload.keys() != {"stage", "node_version", *CLAUSES} or (
        (payload["stage"], payload["node_version"]) != ("preflight", PREFLIGHT_NODE_VERSION)
    ):
        found.append(f"the preflight payload is not of generation {PREFLIGHT_NODE_VERSION}")
    return found


def _not_bound(
    document: dict[str, Any],
    nodes: list[tuple[str, str]],
    root: str | None,
    payloads: Mapping[str, Any],
) -> tuple[str, ...]:
    held = {*payloads, *({"preflight"} if "preflight_payload" in document else ())}
    unseen = [stage for stage, _ in nodes if stage not in held]
    hashes = dict(nodes)
    found = [_NAMES]
    if root is None:
        found.append(_ROOT)
    if unseen:
        found.append(_PAYLOADS.format(", ".join(unseen)))
    if len(nodes) == 3 and "preflight" not in held:
        found.append(_REJECT)
    if "render" in hashes and hashes["render"] == hashes.get("raw_answer"):
        found.append(_FILLED)
    return tuple(found)
