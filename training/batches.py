"""Which examples are seen when, as a pure function of the seed and the step."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from training.store import TASKS, Examples

EDIT = TASKS.index("edit")
_POOL_STEPS = 32


class Mixture:
    """Draws steps of micro-batches: pairs first, then RAGTruth with some of everything.

    A pool of steps is drawn at a time, sorted by length into micro-batches of alike
    lengths, and shuffled, so that little is spent on padding.
    """

    def __init__(
        self, train: Examples, pairs: Examples, *, seed: int, micro: int, per_step: int
    ) -> None:
        self.sets = (train, pairs)
        self.seed, self.micro, self.per_step = seed, micro, per_step
        self._drawn: tuple[object, list[list[tuple[int, int]]]] = (None, [])
        bad = train.label > 0
        self._decks = {
            "bad": np.flatnonzero(bad & (train.task < EDIT)),
            "clean": np.flatnonzero(~bad & (train.task < EDIT)),
            "edit": np.flatnonzero(bad & (train.task == EDIT)),
            "pairs": np.arange(len(pairs)),
        }

    def step(self, step: int, shares: dict[str, float]) -> list[list[tuple[int, int]]]:
        """Give the micro-batches of a step as (set, position) lists."""
        pool, within = divmod(step, _POOL_STEPS)
        key = (pool, tuple(sorted(shares.items())))
        if key != self._drawn[0]:
            self._drawn = (key, self._pool(*key))
        batches = self._drawn[1]
        return batches[within * self.per_step : (within + 1) * self.per_step]

    def _pool(
        self, pool: int, shares: tuple[tuple[str, float], ...]
    ) -> list[list[tuple[int, int]]]:
        dice = np.random.default_rng((self.seed, pool))
        size = self.micro * self.per_step * _POOL_STEPS
        drawn: list[tuple[int, int]] = []
        for name, share in shares:
            count = round(size * share)
            chosen = self._deal(name, pool, count)
            drawn += [(1 if name == "pairs" else 0, int(at)) for at in chosen]
        drawn = drawn[:size] + drawn[: max(0, size - len(drawn))]
        lengths = [self.sets[s].lengths[at] for s, at in drawn]
        order = np.argsort(lengths, kind="stable")
        batches = [
            [drawn[i] for i in order[at : at + self.micro]] for at in range(0, size, self.micro)
        ]
        return [batches[i] for i in dice.permutation(len(batches))]

    def _deal(self, name: str, pool: int, count: int) -> np.ndarray:
        """Deal from an endlessly reshuffled deck so that nothing repeats before all were seen."""
        deck = self._decks[name]
        start = pool * count
        found = []
        while len(found) < count:
            lap, at = divmod(start + len(found), len(deck))
            order = np.random.default_rng((self.seed, lap, hash_name(name))).permutation(len(deck))
            found.extend(deck[order[at : at + count - len(found)]])
        return np.array(found[:count])


def hash_name(name: str) -> int:
    """A number for a name that does not change between runs."""
    return int.from_bytes(name.encode()[:4], "big")


def collate(sets: tuple[Examples, ...], batch: list[tuple[int, int]]) -> dict[str, Tensor]:
    """Pad a micro-batch to its longest example."""
    longest = max(int(sets[s].lengths[at]) for s, at in batch)
    ids = np.zeros((len(batch), longest), np.int64)
    kinds = np.zeros((len(batch), longest), np.int64)
    reach = 1 + max(int(sets[s].claim_lengths[at]) for s, at in batch)
    labels = np.full((len(batch), reach), -1, np.int64)
    mask = np.zeros((len(batch), longest), bool)
    for row, (s, at) in enumerate(batch):
        source = sets[s]
        start, end = source.starts[at], source.starts[at + 1]
        ids[row, : end - start] = source.ids[start:end]
        kinds[row, : end - start] = source.kinds[start:end]
        first, last = source.offset_starts[at], source.offset_starts[at + 1]
        labels[row, 1 : 1 + last - first] = source.labels[first:last]
        mask[row, : end - start] = True
    whole = np.array([sets[s].label[at] for s, at in batch], np.int64)
    return {
        "ids": torch.from_numpy(ids), "kinds": torch.from_numpy(kinds),
        "mask": torch.from_numpy(mask),
        "labels": torch.from_numpy(labels), "whole": torch.from_numpy(whole),
    }  # fmt: skip
