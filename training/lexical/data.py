"""Reads the training sets and turns answers into measured claims."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def data_dir() -> Path:
    """Where the sets are: FIRMGROUND_DATA, or shared/data beside the repository."""
    named = os.environ.get("FIRMGROUND_DATA")
    places = [Path(named)] if named else [ROOT.parent / "shared/data"]
    for place in places:
        if (place / "ragtruth_train").is_dir():
            return place
    raise SystemExit(f"no training data in {', '.join(map(str, places))}; set FIRMGROUND_DATA")


def split_of(source_id: str) -> str:
    """Assign a source to ``dev`` (12 %), ``fuse`` (8 %) or ``train`` by a hash of its name.

    The neural verifier is trained with the same rule, so that figures are comparable and
    the two can be joined on ``fuse`` without either having seen it.
    """
    bucket = int.from_bytes(hashlib.sha256(source_id.encode()).digest()[:4], "big") % 100
    return "dev" if bucket < 12 else "fuse" if bucket < 20 else "train"


def fold_of(source_id: str, folds: int) -> int:
    """Give the fold of a source; unrelated to the split."""
    return int(hashlib.sha256(b"fold:" + source_id.encode()).hexdigest(), 16) % folds


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read a gzipped JSONL file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


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
    base = data_dir() / "ragtruth_train"
    sources = {row["source_id"]: row for row in rows(base / "sources.jsonl.gz")}
    found = []
    for row in rows(base / "responses.jsonl.gz"):
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
