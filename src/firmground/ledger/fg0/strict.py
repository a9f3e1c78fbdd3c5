"""What the parent accepts and strict verification refuses: one sentence for each fault.

Every known defect of the parent's format has its check here. What a check cannot rule out from the
given data it refuses, and says what is missing; lenient verification lists the same sentences.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from firmground.core.canon import MAX_INTEGER
from firmground.errors import CanonError, InputError
from firmground.ledger.fg0.canon import canonical_json, sha256_hex
from firmground.ledger.fg0.dag import localize_failure
from firmground.ledger.fg0.preflight import CLAUSES, PREFLIGHT_NODE_VERSION
from firmground.ledger.fg0.tree import SIZE, MerkleTree
from firmground.ledger.text import unhex

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
_ROOT = "no root that you trust was given: every blob agrees with the root that it states itself"
_TOO_MUCH = "the blob holds more than is looked at"
_FILLED = (
    "raw_answer and render have one hash: a text that was never kept may have been filled in from "
    "the answer; pass the payloads of both to decide"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A blob as it was read, and everything its reader brings along."""

    document: Mapping[str, Any]
    nodes: tuple[tuple[str, str], ...]
    root: str | None
    payloads: Mapping[str, Any]
    """Contents by stage that the caller holds."""

    @property
    def hashes(self) -> dict[str, str]:
        """The hash of each stage."""
        return dict(self.nodes)

    @property
    def stages(self) -> frozenset[str]:
        """The stages whose content is available, in the blob or beside it."""
        inside = {"preflight"} if "preflight_payload" in self.document else set()
        return frozenset({*inside, *self.payloads})


class DuplicateKeyObject(dict[str, Any]):
    """An object in which some key stood twice; the last one is kept, as the parent kept it."""


def payload_hash(payload: Any) -> str | None:
    """What a stage with this content has for a hash; None when it cannot be written."""
    try:
        return sha256_hex(payload if isinstance(payload, str) else canonical_json(payload))
    except CanonError:
        return None


def complaints(held: Held) -> list[str]:
    """Everything strict verification refuses about a blob whose root comes out."""
    odd = _odd_json(held)
    if _TOO_MUCH in odd:
        return odd
    return [
        *odd,
        *_odd_keys(held.document),
        *_odd_hashes(held.nodes),
        *_odd_shape(held.nodes),
        *_repeated(held.nodes),
        *([] if held.root is not None else [_ROOT]),
        *_odd_preflight(held),
        *_filled_in(held),
        *_odd_blame(held.payloads),
    ]


def _odd_json(held: Held) -> list[str]:
    found: list[str] = []
    roots = [("$", held.document), *((f"your {name}", it) for name, it in held.payloads.items())]
    faults = (fault for path, value in roots for fault in _walk(value, path, 0))
    for visited, fault in enumerate(faults):
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
            yield _odd_text(key, f"a key in {path}") if isinstance(key, str) else ""
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
    elif isinstance(value, int) and abs(value) > MAX_INTEGER:
        odd = f"{path} is beyond 2**53 - 1, which other languages round"
    elif isinstance(value, str):
        # A text that is a stage's whole content is hashed as it is, whatever its normal form.
        odd = _odd_text(value, path, any_form=depth == 0)
    elif isinstance(value, DuplicateKeyObject):
        odd = f"a key stands twice in {path}"
    elif isinstance(value, Mapping) and any(not isinstance(key, str) for key in value):
        odd = f"{path} has a key that is not a text, which JSON turns into one"
    elif value is not None and not isinstance(value, int | Mapping | list | tuple):
        odd = f"{path} is a {type(value).__name__}, which JSON does not know"
    return odd


def _odd_text(text: str, path: str, *, any_form: bool = False) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return f"{path} holds a lone surrogate, which does not survive JSON"
    if any_form or unicodedata.is_normalized("NFC", text):
        return ""
    return f"{path} is not in NFC: the same text in its other spelling has another hash"


def _odd_keys(document: Mapping[str, Any]) -> list[str]:
    extra = sorted(str(key) for key in document.keys() - {"root", "nodes", "preflight_payload"})
    found = [f"the blob has the unknown key {key!r}, which nothing binds" for key in extra]
    for place, node in enumerate(document["nodes"]):
        if node.keys() != {"stage", "hash"} or not isinstance(node["stage"], str):
            found.append(f"node {place} must have exactly a stage and a hash")
    return found


def _odd_hashes(nodes: tuple[tuple[str, str], ...]) -> list[str]:
    found = []
    for place, (stage, value) in enumerate(nodes):
        try:
            unhex(value, f"the hash of node {place} ({stage})", SIZE)
        except InputError as error:
            found.append(str(error))
    return found


def _odd_shape(nodes: tuple[tuple[str, str], ...]) -> list[str]:
    if tuple(stage for stage, _ in nodes) in SHAPES:
        return []
    counts = sorted({len(shape) for shape in SHAPES})
    return [
        f"{len(nodes)} stages in this order are none of the enumerated shapes "
        f"(of {', '.join(map(str, counts))} stages)"
    ]


def _repeated(nodes: tuple[tuple[str, str], ...]) -> list[str]:
    leaves = [bytes.fromhex(value) for _, value in nodes]
    for level, layer in enumerate(MerkleTree.build(leaves).layers):
        for left, right in pairwise(layer):
            if left == right:
                return [f"level {level} holds two equal neighbours: a leaf may have been repeated"]
    return []


def _odd_preflight(held: Held) -> list[str]:
    stated = held.hashes.get("preflight")
    if stated is None:
        named = "preflight_payload" in held.document
        return ["there is a preflight payload, but no preflight stage"] if named else []
    if "preflight" not in held.stages:
        return [f"cannot be distinguished from {_twin(held)}: the preflight payload is missing"]
    found = []
    if "preflight_payload" in held.document:
        payload = held.document["preflight_payload"]
        if not isinstance(payload, Mapping) or payload_hash(payload) != stated:
            return ["the preflight payload does not hash to the preflight stage"]
        found += _odd_generation(payload)
    if "preflight" in held.payloads:
        found += _odd_generation(held.payloads["preflight"])
    return found


def _twin(held: Held) -> str:
    if len(held.nodes) == 3:
        return "the third layer of a run with 9 or 10 stages"
    return "a run with a preflight of an older generation"


def _odd_generation(payload: Any) -> list[str]:
    if (
        isinstance(payload, Mapping)
        and payload.keys() == {"stage", "node_version", *CLAUSES}
        and (payload["stage"], payload["node_version"]) == ("preflight", PREFLIGHT_NODE_VERSION)
    ):
        return []
    return [f"the preflight payload is not of generation {PREFLIGHT_NODE_VERSION}"]


def _filled_in(held: Held) -> list[str]:
    hashes = held.hashes
    same = "render" in hashes and hashes["render"] == hashes.get("raw_answer")
    return [_FILLED] if same and not {"render", "raw_answer"} <= held.stages else []


def _odd_blame(payloads: Mapping[str, Any]) -> list[str]:
    """Hold the blame in a verify payload against the counts beside it."""
    verdict = payloads.get("verify")
    if not isinstance(verdict, Mapping) or "failure_stage" not in verdict:
        return []
    mode, blamed = verdict.get("audit_mode"), verdict["failure_stage"]
    quotes, verified = verdict.get("n_quotes"), verdict.get("n_verified")
    if type(mode) is not str or type(quotes) is not int or type(verified) is not int:
        return ["the verify payload has no audit_mode and counts to hold its blame against"]
    possible = {
        localize_failure(audit_mode=mode, n_sources=n, n_quotes=quotes, n_verified=verified)
        for n in _source_counts(payloads.get("retrieval"))
    }
    found = []
    if not 0 <= verified <= quotes:
        found.append(f"the verify payload counts {verified} verified of {quotes} quotes")
    if blamed not in possible:
        found.append(f"the verify payload blames {blamed}, which its own counts do not lead to")
    elif blamed == "answer" and verified == quotes:
        found.append("the verify payload blames the answer, all of whose quotes were verified")
    return found


def _source_counts(retrieval: Any) -> tuple[int, ...]:
    return (len(retrieval),) if isinstance(retrieval, list | tuple) else (0, 1)
