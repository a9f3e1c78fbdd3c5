"""A log that is backed up, restored, edited and signed by several signers, and its judge."""

from __future__ import annotations

import os
import random
from pathlib import Path

from firmground.core.merkle import Frontier, consistency_path, leaf_hash, root
from firmground.errors import SignerRefused
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.signing import CheckpointSigner


class PlainTree:
    """The tree over a list of leaves, with every node at hand."""

    def __init__(self, leaves: list[bytes]) -> None:
        self.leaves = leaves
        self._nodes: dict[tuple[int, int], bytes] = {}
        frontier = Frontier()
        for leaf in leaves:
            frontier, made = frontier.append(leaf_hash(leaf))
            self._nodes.update({(level, index): value for level, index, value in made})

    def tree_head(self) -> tuple[int, bytes]:
        return len(self.leaves), root([leaf_hash(leaf) for leaf in self.leaves])

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        return consistency_path(old, new, lambda level, index: self._nodes[level, index])


class LyingTree(PlainTree):
    """A tree that states a root it does not have, or proves with somebody else's hashes."""

    def __init__(self, leaves: list[bytes], chance: random.Random) -> None:
        super().__init__(leaves)
        self._chance = chance

    def tree_head(self) -> tuple[int, bytes]:
        size, _ = super().tree_head()
        return size + self._chance.randrange(3), self._chance.randbytes(32)

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        return tuple(self._chance.randbytes(32) for _ in range(self._chance.randrange(8)))


class World:
    """Everything that can happen to a log and its signers, and all that was ever released."""

    def __init__(self, folder: Path) -> None:
        self.key = folder / "log.key"
        self.signers = [CheckpointSigner.create(self.key, "example.org/log")]
        self.leaves: list[bytes] = []
        self.backups: list[list[bytes]] = [[]]
        self.released: list[list[bytes]] = []
        self.attempts = self.refusals = self._number = 0

    def append(self, count: int) -> None:
        for _ in range(count):
            self._number += 1
            self.leaves.append(b"entry %d" % self._number)

    def backup(self) -> None:
        self.backups.append(list(self.leaves))

    def restore(self, which: int) -> None:
        self.leaves = list(self.backups[which % len(self.backups)])

    def edit(self, where: int) -> None:
        if self.leaves:
            self._number += 1
            self.leaves[where % len(self.leaves)] = b"edited %d" % self._number

    def another_signer(self) -> None:
        self.signers.append(CheckpointSigner.open(self.key))

    def jump_clock(self, seconds: int) -> None:
        os.utime(self.signers[0].state_path, (seconds, seconds))

    def sign(self, which: int) -> None:
        self.attempts += 1
        signer = self.signers[which % len(self.signers)]
        try:
            text = signer.checkpoint(PlainTree(self.leaves))
        except SignerRefused:
            self.refusals += 1
            return
        self._judge(text)

    def crash_before_release(self, which: int) -> None:
        """The state is on disk, the signature never left: the next one must continue it."""
        self.attempts += 1
        signer = self.signers[which % len(self.signers)]
        release = CheckpointSigner._release
        CheckpointSigner._release = _crash  # type: ignore[assignment, method-assign]
        try:
            signer.checkpoint(PlainTree(self.leaves))
        except SignerRefused:
            self.refusals += 1
        except KeyboardInterrupt:
            self.released.append(list(self.leaves))  # as good as released: it may have left
        finally:
            CheckpointSigner._release = release  # type: ignore[method-assign]

    def sign_lies(self, which: int, seed: int) -> None:
        signer = self.signers[which % len(self.signers)]
        if signer.last_signed().size == 0:
            return
        self.attempts += 1
        try:
            signer.checkpoint(LyingTree(self.leaves, random.Random(seed)))
        except SignerRefused:
            self.refusals += 1
            return
        raise AssertionError("a tree that proves nothing was signed")

    def _judge(self, text: str) -> None:
        stated, _ = checkpoints.parse(text)
        assert stated.root == root([leaf_hash(leaf) for leaf in self.leaves])
        for earlier in self.released[-3:]:
            assert self.leaves[: len(earlier)] == earlier, "two histories were signed"
        self.released.append(list(self.leaves))


def _crash(*_: object) -> str:
    raise KeyboardInterrupt
