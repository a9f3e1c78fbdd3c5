"""Which examples are seen when: three decks, dealt so that nothing repeats before all were seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from firmground.verify.neural_input import TokenKind
from training.store import TASKS, Examples

EDIT = TASKS.index("edit")
_POOL = 64
Batch = tuple[str, np.ndarray]


class Deck:
    """Deals micro-batches of one file; the file is read again when it has changed."""

    def __init__(self, path: Path, *, micro: int, seed: int) -> None:
        self.path, self.micro = path, micro
        self.dice = np.random.default_rng((seed, len(path.stem), path.stem.encode()[0]))
        self._read_at = 0.0
        self._queue: list[np.ndarray] = []
        self.refresh()

    def refresh(self) -> None:
        """Read the file if it is newer than what was read; what was not dealt yet is dropped."""
        changed = self.path.stat().st_mtime
        if changed > self._read_at:
            self.examples = Examples(self.path)
            self._read_at = changed
            self._queue = []

    def draw(self) -> np.ndarray:
        """Give the positions of the next micro-batch."""
        if not self._queue:
            self._queue = list(self._lap())
        return self._queue.pop()

    def _lap(self) -> Iterator[np.ndarray]:
        """One pass over the whole file, in micro-batches of alike length."""
        order = self.dice.permutation(len(self.examples))
        return _alike(order, self.examples.lengths, self.micro, self.dice)


class SetDeck(Deck):
    """Deals contrast sets whole, so that a statement and its twin share a step."""

    def _lap(self) -> Iterator[np.ndarray]:
        groups = np.split(
            np.arange(len(self.examples)), np.flatnonzero(np.diff(self.examples.response)) + 1
        )
        small = [group for group in groups if len(group) < self.micro // 2]
        large = [group for group in groups if len(group) >= self.micro // 2]
        found = [part for group in large for part in _cut(group, 12)]
        self.dice.shuffle(small)
        joined: list[int] = []
        for group in small:
            joined.extend(group)
            if len(joined) >= self.micro:
                found.append(np.array(joined))
                joined = []
        self.dice.shuffle(found)
        return iter(found)


class BalancedDeck(Deck):
    """RAGTruth sentences: as many bad ones as clean ones is too many; two fifths are."""

    def _lap(self) -> Iterator[np.ndarray]:
        bad = self.examples.label > 0
        edits = self.examples.task == EDIT
        wrong = self.dice.permutation(np.flatnonzero(bad & ~edits))
        edited = self.dice.permutation(np.flatnonzero(bad & edits))[: len(wrong) // 5]
        clean = self.dice.permutation(np.flatnonzero(~bad))[: len(wrong) * 3 // 2]
        order = self.dice.permutation(np.concatenate([wrong, edited, clean]))
        return _alike(order, self.examples.lengths, self.micro, self.dice)


def _cut(group: np.ndarray, most: int) -> list[np.ndarray]:
    return np.array_split(group, -(-len(group) // most))


def _alike(
    order: np.ndarray, lengths: np.ndarray, micro: int, dice: np.random.Generator
) -> Iterator[np.ndarray]:
    size = micro * _POOL
    for at in range(0, len(order), size):
        pool = order[at : at + size]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches = [pool[b : b + micro] for b in range(0, len(pool), micro)]
        for which in dice.permutation(len(batches)):
            yield batches[which]


def collate(
    source: Examples, batch: np.ndarray, *, blind: np.ndarray | None = None
) -> dict[str, Tensor]:
    """Pad a micro-batch to its longest example; `blind` rows lose what exact matching knows."""
    longest = int(source.lengths[batch].max())
    ids = np.zeros((len(batch), longest), np.int64)
    kinds = np.zeros((len(batch), longest), np.int64)
    reach = 1 + int(source.claim_lengths[batch].max())
    labels = np.full((len(batch), reach), -1, np.int64)
    mask = np.zeros((len(batch), longest), bool)
    for row, at in enumerate(batch):
        start, end = source.starts[at], source.starts[at + 1]
        ids[row, : end - start] = source.ids[start:end]
        kinds[row, : end - start] = source.kinds[start:end]
        first, last = source.offset_starts[at], source.offset_starts[at + 1]
        labels[row, 1 : 1 + last - first] = source.labels[first:last]
        mask[row, : end - start] = True
    if blind is not None:
        hidden = kinds[blind]
        hidden[hidden == TokenKind.EVIDENCE_SHARED] = TokenKind.EVIDENCE
        hidden[hidden > TokenKind.PLAIN] = TokenKind.PLAIN
        kinds[blind] = hidden
    return {
        "ids": torch.from_numpy(ids), "kinds": torch.from_numpy(kinds),
        "mask": torch.from_numpy(mask), "labels": torch.from_numpy(labels),
        "whole": torch.from_numpy(source.label[batch].astype(np.int64)),
    }  # fmt: skip
