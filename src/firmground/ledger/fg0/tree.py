"""The parent's Merkle tree: SHA-256(0x03 || left || right), an odd node pairs with itself.

``build`` takes leaf hashes as they are. So an inner node can pass for a leaf, and a repeated last
leaf leaves the root unchanged; a verifier must rule both out by other means.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.errors import InputError

SIZE = 32
EMPTY = bytes(SIZE)


def hash_leaf(content: bytes) -> bytes:
    """Hash the content of a leaf."""
    return hashlib.sha256(b"\x00" + content).digest()


def hash_combine(left: bytes, right: bytes) -> bytes:
    """Hash two neighbours; their order matters."""
    return hashlib.sha256(b"\x03" + left + right).digest()


@dataclass(frozen=True, slots=True)
class ProofNode:
    """A sibling on the way to the root, and on which side it stands."""

    hash: bytes
    is_left: bool


@dataclass(frozen=True, slots=True)
class MerkleProof:
    """The way from one leaf to the root."""

    leaf: bytes
    leaf_index: int
    siblings: tuple[ProofNode, ...]
    root: bytes


@dataclass(frozen=True, slots=True)
class MerkleTree:
    """All layers, leaves first."""

    layers: tuple[tuple[bytes, ...], ...]

    @classmethod
    def build(cls, leaves: Sequence[bytes]) -> MerkleTree:
        """Build over leaf hashes in order; no prefix is added to them."""
        layer = tuple(leaves)
        layers = [layer]
        while len(layer) > 1:
            pairs = range(0, len(layer), 2)
            layer = tuple(hash_combine(layer[i], layer[min(i + 1, len(layer) - 1)]) for i in pairs)
            layers.append(layer)
        return cls(tuple(layers))

    @property
    def root(self) -> bytes:
        """The root; 32 zero bytes over nothing, the leaf itself over one leaf."""
        return self.layers[-1][0] if self.layers[-1] else EMPTY

    @property
    def leaves(self) -> tuple[bytes, ...]:
        """The leaf hashes."""
        return self.layers[0]

    def proof(self, index: int) -> MerkleProof:
        """The proof for one leaf."""
        if not 0 <= index < len(self.leaves):
            raise InputError(f"leaf {index} of {len(self.leaves)} does not exist")
        siblings = []
        place = index
        for layer in self.layers[:-1]:
            sibling = min(place ^ 1, len(layer) - 1)
            siblings.append(ProofNode(layer[sibling], sibling < place))
            place >>= 1
        return MerkleProof(self.leaves[index], index, tuple(siblings), self.root)


def verify_proof(proof: MerkleProof) -> bool:
    """True when the siblings lead from leaf to root, and stand on the sides the index demands."""
    current, place = proof.leaf, proof.leaf_index
    for node in proof.siblings:
        if len(node.hash) != SIZE or node.is_left != bool(place & 1):
            return False
        left, right = (node.hash, current) if node.is_left else (current, node.hash)
        current, place = hash_combine(left, right), place >> 1
    return place == 0 and len(proof.leaf) == SIZE and current == proof.root


def proof_to_dict(proof: MerkleProof) -> dict[str, object]:
    """The proof as JSON-ready values."""
    return {
        "leaf": proof.leaf.hex(),
        "leaf_index": proof.leaf_index,
        "siblings": [{"hash": n.hash.hex(), "is_left": n.is_left} for n in proof.siblings],
        "root": proof.root.hex(),
    }
