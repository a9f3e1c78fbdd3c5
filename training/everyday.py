"""The everyday corpus as training examples: sets kept together, answers cut into claims."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from firmground.claims.prose import prose_claims
from firmground.core.question import Question
from firmground.verify.neural_input import InputBuilder, Window, prepare
from training import corpus
from training.paths import REPOSITORY
from training.store import Example

CORPUS = REPOSITORY / "corpus" / "everyday"
LABELS = {
    "supported": corpus.SUPPORTED,
    "unsupported": corpus.UNGROUNDED,
    "contradicted": corpus.CONTRADICTED,
}


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """One contrast set: its evidence as texts, and its labelled rows."""

    id: str
    batch: str
    lang: str
    evidence: tuple[str, ...]
    question: str
    statements: tuple[dict, ...]
    answers: tuple[dict, ...]


def splits() -> dict[str, str]:
    """Which split each batch belongs to."""
    found: dict[str, str] = json.loads((CORPUS / "splits.json").read_text())
    return found


def sets(split: str, only: Sequence[str] | None = None) -> Iterator[EvidenceSet]:
    """Read the sets of a split, or only some batches of it, in the order of their batches."""
    for batch, belongs in splits().items():
        path = CORPUS / f"{batch}.jsonl"
        if belongs == split and path.exists() and (only is None or batch in only):
            yield from read(path)


def read(path: Path) -> Iterator[EvidenceSet]:
    """Read one batch; a title and its text are joined as retrieval systems hand them over."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            dice = random.Random(row["id"])
            texts = tuple(_joined(piece, dice) for piece in row["evidence"])
            yield EvidenceSet(
                row["id"], row["batch"], row["lang"], texts, row.get("question", ""),
                tuple(row["statements"]), tuple(row.get("answers", ())),
            )  # fmt: skip


def _joined(piece: dict[str, str], dice: random.Random) -> str:
    title, text = piece["title"], piece["text"]
    return f"{title}. {text}" if dice.random() < 0.3 else f"{title}\n{text}"


def examples(split: str, builder: InputBuilder) -> Iterator[Example]:
    """Statements of a set, then the claims of its answers; `response` numbers the group."""
    group = 0
    for one in sets(split):
        evidence, _ = prepare(one.evidence)
        cache: dict = {}
        for row in one.statements:
            for window in builder.windows(row["text"], "", evidence, cache):
                yield _example(window, row, 0, group, 0)
        group += 1
        for row in one.answers:
            question = Question(text=one.question) if one.question else None
            before = ""
            for at, claim in enumerate(prose_claims(row["text"], question)):
                for window in builder.windows(claim.text, before, evidence, cache):
                    yield _example(window, row, claim.start, group, 1 + at)
                before = claim.text
            group += 1


def _example(window: Window, row: dict, offset: int, group: int, place: int) -> Example:
    label = LABELS[row["label"]]
    spans = row.get("spans") or []
    labels = [0] * len(window.claim_offsets)
    for at, (start, end) in enumerate(window.claim_offsets):
        if any(start + offset < last and end + offset > first for first, last in spans):
            labels[at] = label
    whole = label if any(labels) or not place else 0
    if label and not spans:
        labels = [-1] * len(labels)
    return Example(window, labels, whole, group, place, "everyday")


def responses(
    split: str, only: Sequence[str] | None = None
) -> Iterator[tuple[corpus.Response, dict]]:
    """English statements and answers of a split as one would check them, each with its row."""
    for one in sets(split, only):
        if one.lang != "en":
            continue
        for at, row in enumerate((*one.statements, *one.answers)):
            label = LABELS[row["label"]]
            spans = row.get("spans") or [[0, len(row["text"])]]
            marks = tuple((s, e, label) for s, e in spans) if label else ()
            whole = at >= len(one.statements)
            yield (
                corpus.Response(
                    f"{one.id}/{at}", one.id, "answer" if whole else "statement", "", "good",
                    one.question if whole else "", "", row["text"], marks, (), one.evidence,
                ),
                row,
            )  # fmt: skip
