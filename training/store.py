"""Examples on disk: ragged token arrays in one npz file."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from firmground.verify.neural_input import InputWindow

TASKS = (
    "QA", "Data2txt", "Summary", "edit", "own", "everyday", "pairs",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Example:
    """One window with its token labels (-1 unknown), whole label, and where it came from."""

    window: InputWindow
    labels: list[int]
    label: int
    response: int
    sentence: int
    task: str


class Examples:
    """All examples of one file, addressed by position."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as found:
            self.ids, self.kinds, self.labels = found["ids"], found["kinds"], found["labels"]
            self.starts = found["starts"]
            self.label, self.response = found["label"], found["response"]
            self.sentence, self.task = found["sentence"], found["task"]
            self.offsets, self.offset_starts = found["offsets"], found["offset_starts"]
        self.lengths = np.diff(self.starts)
        self.claim_lengths = np.diff(self.offset_starts)

    def __len__(self) -> int:
        return len(self.label)


def write(path: Path, examples: list[Example]) -> None:
    """Write examples whole or not at all."""
    ids: list[int] = []
    kinds: list[int] = []
    labels: list[int] = []
    offsets: list[tuple[int, int]] = []
    starts, offset_starts = [0], [0]
    for example in examples:
        window = example.window
        ids.extend(window.ids)
        kinds.extend(window.kinds)
        labels.extend(example.labels)
        offsets.extend(window.claim_offsets)
        starts.append(len(ids))
        offset_starts.append(len(offsets))
    partial = path.with_suffix(".partial.npz")
    np.savez(
        partial,
        ids=np.array(ids, np.uint16),
        kinds=np.array(kinds, np.uint8),
        labels=np.array(labels, np.int8),
        starts=np.array(starts, np.int64),
        offsets=np.array(offsets, np.int32).reshape(-1, 2),
        offset_starts=np.array(offset_starts, np.int64),
        label=np.array([e.label for e in examples], np.int8),
        response=np.array([e.response for e in examples], np.int32),
        sentence=np.array([e.sentence for e in examples], np.int16),
        task=np.array([TASKS.index(e.task) for e in examples], np.int8),
    )
    os.replace(partial, path)


def forget_after(log: Path, elapsed: float) -> None:
    """Leave out what a killed run noted behind its last checkpoint: it is done again."""
    if not log.exists():
        return
    kept = []
    for line in log.read_text().splitlines():
        try:
            before = json.loads(line)["elapsed"] <= elapsed
        except ValueError:  # the line that the kill cut off
            continue
        if before:
            kept.append(line + "\n")
    partial = log.with_suffix(".partial")
    partial.write_text("".join(kept))
    os.replace(partial, log)
