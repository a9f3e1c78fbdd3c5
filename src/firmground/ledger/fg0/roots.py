"""The parent's other digests: documents, contexts, snapshots, questions, cache, audit chain."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from enum import StrEnum
from typing import Any

from firmground.ledger.fg0.canon import canonical_json, sha256_hex
from firmground.ledger.fg0.tree import SIZE, MerkleTree, hash_leaf
from firmground.ledger.text import unhex

NO_EVENT = bytes(SIZE)
"""What stands before the first event of the audit chain."""
_CLOSING = ".?!,;:\uff1f\uff01\u3002\u3001\u2026"
_ARTICLES = frozenset({"the", "a", "an"})


class QuestionMode(StrEnum):
    """How alike two questions must be to be one question."""

    EQUIVALENCE_CLASS = "equivalence_class"
    STRICT = "strict"


def document_root(chunks: Sequence[bytes], *, sort_leaves: bool = False) -> str:
    """Root over a document's chunks in reading order.

    The parent's white paper sorts the leaves first, which does not commit to the order of the
    chunks; ``sort_leaves`` gives that value.
    """
    leaves = [hash_leaf(chunk) for chunk in chunks]
    return MerkleTree.build(sorted(leaves) if sort_leaves else leaves).root.hex()


def context_root(document_roots: Iterable[str]) -> str:
    """Root over the sorted distinct roots of the documents used; of one document, its own."""
    distinct = sorted({unhex(root, "a document root") for root in document_roots})
    return MerkleTree.build(distinct).root.hex()


def snapshot_root(document_roots: Iterable[str]) -> str:
    """Root over the sorted distinct roots of all documents held."""
    return context_root(document_roots)


def evidence_map_root(evidence_ids: Iterable[str]) -> str:
    """Root over the sorted ids of the evidence objects."""
    leaves = [hash_leaf(name.encode("utf-8")) for name in sorted(evidence_ids)]
    return MerkleTree.build(leaves).root.hex()


def canonical_question(text: str, mode: QuestionMode = QuestionMode.EQUIVALENCE_CLASS) -> str:
    """The form under which the parent's cache knows a question.

    ``equivalence_class`` folds case, closing punctuation and articles, so that "The Who" and "who"
    are one question; firmground's own cache does not.
    """
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    if mode is QuestionMode.STRICT:
        return plain
    words = plain.lower().rstrip(_CLOSING + " ").split()
    return " ".join(word for word in words if word not in _ARTICLES)


def question_hash(text: str, mode: QuestionMode = QuestionMode.EQUIVALENCE_CLASS) -> str:
    """SHA-256 of the canonical question."""
    return sha256_hex(canonical_question(text, mode))


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheDimensions:
    """The eight things that must match for an answer to be used again, in the parent's order."""

    source_root: str
    question_hash: str
    model_profile_hash: str
    conversation_hash: str
    governance_policy_hash: str
    schema_version: str = "v9.8.0"
    canonicalization_version: str = "norm-v1"
    chunking_version: str = "tok-512-v1"


def cache_key(dimensions: CacheDimensions) -> str:
    """SHA-256 over the eight texts joined without separators, as the parent has it.

    Two different sets of versions can therefore share a key; firmground's cache prefixes lengths.
    """
    return sha256_hex("".join(astuple(dimensions)))


def event_hash(body: Any, *, prev: bytes = NO_EVENT) -> bytes:
    """One link of the parent's audit chain."""
    data = canonical_json(body).encode("utf-8", "surrogatepass")
    return hashlib.sha256(prev + data).digest()
