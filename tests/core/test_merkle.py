"""The tree of RFC 9162: published heads, published proofs, and a naive oracle."""

from __future__ import annotations

import base64
import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from firmground.core import merkle
from firmground.core.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_path,
    frontier_of,
    inclusion_path,
    leaf_hash,
    node_hash,
    verify_consistency,
    verify_inclusion,
    verify_subtree,
)
from firmground.errors import InputError

# The eight inputs and the heads that Certificate Transparency implementations have published.
INPUTS = [
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
]  # fmt: skip
HEADS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAVES = [leaf_hash(bytes.fromhex(text)) for text in INPUTS]


class Tree:
    """A stored tree, as a log keeps it."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self.nodes: dict[tuple[int, int], bytes] = {}
        self.reads = 0
        self.frontier = Frontier()
        self.heads = [EMPTY_ROOT]
        for leaf in leaves:
            self.frontier, made = self.frontier.append(leaf)
            self.nodes.update({(level, index): value for level, index, value in made})
            self.heads.append(self.frontier.root())

    def get(self, level: int, index: int) -> bytes:
        self.reads += 1
        return self.nodes[level, index]


def naive_root(leaves: Sequence[bytes]) -> bytes:
    """The definition of RFC 9162 section 2.1.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    both = naive_root(leaves[:k]) + naive_root(leaves[k:])
    return hashlib.sha256(b"\x01" + both).digest()


def naive_inclusion(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Section 2.1.3.1."""
    if len(leaves) == 1:
        return []
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    if index < k:
        return [*naive_inclusion(index, leaves[:k]), naive_root(leaves[k:])]
    return [*naive_inclusion(index - k, leaves[k:]), naive_root(leaves[:k])]


def naive_consistency(old: int, leaves: Sequence[bytes], whole: bool = True) -> list[bytes]:
    """Section 2.1.4.1."""
    if old == len(leaves):
        return [] if whole else [naive_root(leaves)]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    if old <= k:
        return [*naive_consistency(old, leaves[:k], whole), naive_root(leaves[k:])]
    return [*naive_consistency(old - k, leaves[k:], False), naive_root(leaves[:k])]


def test_the_published_heads_come_out() -> None:
    tree = Tree(LEAVES)
    assert [head.hex() for head in tree.heads[1:]] == HEADS
    assert EMPTY_ROOT.hex().startswith("e3b0c44298fc1c149afbf4c8996fb924")
    assert [merkle.root(LEAVES[:n]).hex() for n in range(1, 9)] == HEADS


@pytest.mark.parametrize(
    ("index", "size", "path"),
    [
        (0, 1, []),
        (
            0,
            8,
            [
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            5,
            8,
            [
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
    ],
)
def test_the_published_inclusion_proofs_come_out(index: int, size: int, path: list[str]) -> None:
    made = inclusion_path(index, size, Tree(LEAVES[:size]).get)
    assert [item.hex() for item in made] == path


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (1, 1, []),
        (
            1,
            8,
            [
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            6,
            8,
            [
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (
            2,
            5,
            [
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ],
        ),
    ],
)
def test_the_published_consistency_proofs_come_out(old: int, new: int, path: list[str]) -> None:
    made = consistency_path(old, new, Tree(LEAVES[:new]).get)
    assert [item.hex() for item in made] == path


def some_leaves(count: int, seed: int = 0) -> list[bytes]:
    return [leaf_hash(f"{seed}/{i}".encode()) for i in range(count)]


def test_all_proofs_of_all_small_trees_are_the_naive_ones_and_hold() -> None:
    leaves = some_leaves(33)
    tree = Tree(leaves)
    for size in range(1, 34):
        assert tree.heads[size] == naive_root(leaves[:size])
        for index in range(size):
            path = inclusion_path(index, size, tree.get)
            assert list(path) == naive_inclusion(index, leaves[:size])
            assert verify_inclusion(
                leaf=leaves[index], index=index, size=size, path=path, root=tree.heads[size]
            )
        for old in range(size + 1):
            path = consistency_path(old, size, tree.get)
            if old:
                assert list(path) == naive_consistency(old, leaves[:size])
            assert verify_consistency(
                old=old, new=size, old_root=tree.heads[old], new_root=tree.heads[size], path=path
            )


def test_10_000_random_trees_agree_with_the_naive_oracle() -> None:
    chance = random.Random(9162)
    pool = some_leaves(130)
    for _ in range(10_000):
        size = chance.choice((chance.randrange(1, 10), chance.randrange(1, 65)))
        start = chance.randrange(len(pool) - size)
        leaves = pool[start : start + size]
        tree = Tree(leaves)
        index, old = chance.randrange(size), chance.randrange(1, size + 1)
        assert tree.frontier.root() == naive_root(leaves)
        assert list(inclusion_path(index, size, tree.get)) == naive_inclusion(index, leaves)
        assert list(consistency_path(old, size, tree.get)) == naive_consistency(old, leaves)
        assert frontier_of(size, tree.get) == tree.frontier


def test_a_wrong_index_size_path_or_hash_is_refused() -> None:
    leaves = some_leaves(21)
    tree = Tree(leaves)
    for index in range(21):
        path = inclusion_path(index, 21, tree.get)
        good: dict[str, Any] = {
            "leaf": leaves[index], "index": index, "size": 21, "path": path, "root": tree.heads[21]
        }  # fmt: skip
        assert verify_inclusion(**good)
        wrong: list[dict[str, Any]] = [
            {"index": other} for other in range(-1, 23) if other != index
        ]
        wrong += [{"leaf": leaves[index - 1]}, {"root": tree.heads[20]}, {"leaf": b""}]
        wrong += [
            {"root": b""},
            {"path": path[:-1]},
            {"path": path[1:]},
            {"path": (*path, path[0])},
        ]
        wrong += [{"path": path[::-1]}, {"path": (*path[:-1], path[-1][:31])}]
        wrong += [{"path": (path[0], path[0], *path[2:])}, {"root": tree.heads[21] + b"\0"}]
        for change in wrong:
            assert not verify_inclusion(**{**good, **change}), change


def test_a_size_with_another_path_length_is_refused() -> None:
    """Sizes that share the whole path are told apart by the checkpoint, which states the size."""
    leaves = some_leaves(21)
    tree = Tree(leaves)
    path = inclusion_path(20, 21, tree.get)
    for size in (1, 20, 22, 24, 32, 33, 64):
        taken = verify_inclusion(
            leaf=leaves[20], index=20, size=size, path=path, root=tree.heads[21]
        )
        assert not taken, size


def test_wrong_consistency_is_refused() -> None:
    tree = Tree(some_leaves(30))
    other = Tree(some_leaves(30, seed=1))
    for old in range(1, 30):
        path = consistency_path(old, 30, tree.get)
        good: dict[str, Any] = {
            "old": old, "new": 30, "old_root": tree.heads[old], "new_root": tree.heads[30],
            "path": path,
        }  # fmt: skip
        assert verify_consistency(**good)
        wrong: list[dict[str, Any]] = [
            {"old_root": other.heads[old]}, {"new_root": other.heads[30]}, {"old": old - 1},
            {"old": old + 1}, {"path": ()}, {"path": path[:-1]}, {"path": path[1:]},
            {"path": (*path, path[-1])}, {"old_root": b""}, {"new_root": tree.heads[30][:31]},
            {"path": consistency_path(old, 30, other.get)}, {"old": 31}, {"old": -1},
            {"new": old - 1},
        ]  # fmt: skip
        for change in wrong:
            assert not verify_consistency(**{**good, **change}), (old, change)
    same = tree.heads[30]
    assert verify_consistency(old=30, new=30, old_root=same, new_root=same, path=())
    assert not verify_consistency(old=30, new=30, old_root=same, new_root=same, path=(same,))
    assert verify_consistency(old=0, new=30, old_root=EMPTY_ROOT, new_root=same, path=())
    assert not verify_consistency(old=0, new=30, old_root=same, new_root=same, path=())


def test_an_inner_node_is_never_a_leaf_and_nothing_is_repeated() -> None:
    leaves = some_leaves(3)
    pair = node_hash(leaves[0], leaves[1])
    assert merkle.root([pair, leaves[2]]) == merkle.root(leaves)
    assert leaf_hash(leaves[0] + leaves[1]) != pair
    assert merkle.root([*leaves, leaves[-1]]) != merkle.root(leaves)


def test_places_that_do_not_exist_are_refused() -> None:
    tree = Tree(some_leaves(4))
    for index, size in ((4, 4), (-1, 4), (0, 0)):
        with pytest.raises(InputError, match="inclusion needs"):
            inclusion_path(index, size, tree.get)
    for old, new in ((5, 4), (-1, 4)):
        with pytest.raises(InputError, match="consistency needs"):
            consistency_path(old, new, tree.get)
    with pytest.raises(InputError, match="32 bytes"):
        Frontier().append(b"short")


def test_proofs_take_a_logarithmic_number_of_reads() -> None:
    reads = {}
    for size in (1_000, 16_000):
        tree = Tree(some_leaves(size))
        for index in (0, size // 3, size - 1):
            inclusion_path(index, size, tree.get)
            consistency_path(index + 1, size, tree.get)
        frontier_of(size, tree.get)
        reads[size] = tree.reads
    assert reads[16_000] <= 2 * reads[1_000]


# -- the public vectors -------------------------------------------------------------------------


def some_bytes(text: str | None) -> bytes:
    return base64.b64decode(text or "")


def read_vectors(folder: Path) -> list[dict[str, Any]]:
    path = folder / "merkle-vectors" / "vectors.jsonl"
    if not path.is_file():
        pytest.skip(f"the public Merkle vectors are not at {path}")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def agrees(vector: dict[str, Any]) -> bool:
    """Whether we accept exactly what the vector wants accepted."""
    kind = vector["case"].partition("/")[0]
    proof = [some_bytes(item) for item in vector["proof"] or []]
    if kind in ("inclusion", "subtreeinclusion"):
        start: int = vector.get("start", 0)
        end: int = vector["end"] if "end" in vector else vector["treeSize"]
        taken = is_subtree(start, end) and verify_inclusion(
            leaf=some_bytes(vector["leafHash"]),
            index=vector["leafIdx"] - start,
            size=end - start,
            path=proof,
            root=some_bytes(vector["root"]),
        )
    else:
        old: int = vector["end"] if "end" in vector else vector["size1"]
        new: int = vector["size"] if "size" in vector else vector["size2"]
        if kind == "subtreeconsistency":
            return bool(tried_as_subtree(vector, proof) != vector["wantErr"])
        taken = verify_consistency(
            old=old,
            new=new,
            old_root=some_bytes(vector["root1"]),
            new_root=some_bytes(vector["root2"]),
            path=proof,
        )
    return bool(taken != vector["wantErr"])


def tried_as_subtree(vector: dict[str, Any], proof: list[bytes]) -> bool:
    return verify_subtree(
        start=vector.get("start", 0),
        end=vector["end"],
        size=vector["size"],
        subtree=some_bytes(vector["root1"]),
        root=some_bytes(vector["root2"]),
        path=proof,
    )


def is_subtree(start: int, end: int) -> bool:
    """Whether [start, end) is a range that some tree holds under one node."""
    width = 1
    while width < end - start:
        width *= 2
    return 0 <= start < end and start % width == 0


def test_the_public_vectors_agree_but_for_four_roots_that_are_no_hashes(data_folder: Path) -> None:
    """518 vectors. A few want a root accepted that is not 32 bytes long; we refuse such roots."""
    vectors = read_vectors(data_folder)
    assert len(vectors) == 518
    refused = [vector for vector in vectors if not agrees(vector)]
    assert len(refused) == 4
    for vector in refused:
        assert vector["proof"] == []
        assert len(some_bytes(vector["root2"])) != 32
