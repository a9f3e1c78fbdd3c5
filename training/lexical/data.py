"""Reads the training sets and turns answers into measured claims."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from training.corpus import rows


def fold_of(source_id: str, folds: int) -> int:
    """Give the fold of a source; unrelated to the split."""
    return int(hashlib.sha256(b"fold:" + source_id.encode()).hexdigest(), 16) % folds


@dataclass(frozen=True)
class Answer:
    """One answer with its source and its labelled spans."""

    id: str
    source_id: str
    task: str
    query: str
    source: str
    text: str
    labels: tuple[tuple[int, int, str], ...]


def ragtruth() -> list[Answer]:
    """Read RAGTruth's training answers, grouped by source."""
    sources = {row["source_id"]: row for row in rows("ragtruth_train/sources.jsonl.gz")}
    found = []
    for row in rows("ragtruth_train/responses.jsonl.gz"):
        source = sources[row["source_id"]]
        spans = tuple((one["start"], one["end"], one["label_type"]) for one in row["labels"])
        found.append(
            Answer(
                id=str(row["id"]),
                source_id=str(row["source_id"]),
                task=row["task"],
                query=source["query"],
                source=source["source_text"],
                text=row["response"],
                labels=spans,
            )
        )
    return sorted(found, key=lambda answer: (answer.source_id, answer.id))
