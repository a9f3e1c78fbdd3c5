"""The everyday corpus as training examples: sets kept together, answers cut into claims."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from firmground.claims.prose import prose_claims
from firmground.core.claim import Claim
from firmground.core.question import Question
from firmground.verify.judge import read_claim
from firmground.verify.neural_input import InputBuilder, InputWindow, prepare
from training import corpus
from training.counterfactual import NAME, variants
from training.paths import REPOSITORY
from training.store import Example

CORPUS = REPOSITORY / "corpus" / "everyday"
LAPS = 2
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
            yield from read_batch(path)


def read_batch(path: Path) -> Iterator[EvidenceSet]:
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
    """Statements of a set, its answers and its counterfactuals, as a check reads their claims.

    `response` numbers the group that shares a step; in the training split each set comes in
    `LAPS` orders of its documents, the later ones with counterfactual evidence.
    """
    group = 0
    names = _names() if split == "train" else []
    for one in sets(split):
        for lap in range(LAPS if split == "train" else 1):
            dice = random.Random(f"{one.id}/{lap}")
            evidence = list(one.evidence)
            if lap:
                dice.shuffle(evidence)
            body = _Body(tuple(evidence))
            rows = [
                (body, row["text"], "", row["label"], row.get("spans") or [])
                for row in one.statements
            ]
            dice.shuffle(rows)
            yield from _group(rows, builder, group)
            group += 1
            for row in one.answers:
                found = [(body, row["text"], one.question, row["label"], row.get("spans") or [])]
                yield from _group(found, builder, group)
                group += 1
            if lap or split != "train" or one.lang != "en":
                continue
            made = variants(evidence, one.statements, names, dice)
            rows = [
                (_Body(v.evidence), v.text, "", v.label, [list(span) for span in v.spans])
                for v in made
            ]
            for at in range(0, len(rows), 8):
                yield from _group(rows[at : at + 8], builder, group)
                group += 1


class _Body:
    """Evidence prepared once for the rows that share it."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.prepared = prepare(texts)[0]
        self.cache: dict = {}


Row = tuple[_Body, str, str, str, list]


def _group(rows: Sequence[Row], builder: InputBuilder, group: int) -> Iterator[Example]:
    for body, text, asked, label, spans in rows:
        question = Question(text=asked) if asked else None
        claims = prose_claims(text, question)
        number = LABELS[label]
        for at, claim in enumerate(claims):
            if claim.not_checkable is not None or claim.unclear:
                continue
            statement = read_claim(claim)
            before = claims[at - 1].text if at else ""
            for window in builder.windows(statement.text, before, body.prepared, body.cache):
                yield _example(window, claim, statement.text, number, spans, group, at)


def _example(
    window: InputWindow, claim: Claim, text: str, label: int, spans: list, group: int, place: int
) -> Example:
    """Label a claim wrong if the wrong words lie in it; without marked words the whole row is."""
    wrong = bool(label) and (not spans or any(s < claim.end and claim.start < e for s, e in spans))
    labels = [0] * len(window.claim_offsets)
    if wrong and spans and text == claim.text:
        for at, (start, end) in enumerate(window.claim_offsets):
            if any(start + claim.start < e and end + claim.start > s for s, e in spans):
                labels[at] = label
    elif wrong:
        labels = [-1] * len(labels)
    return Example(window, labels, label if wrong else 0, group, place, "everyday")


def _names() -> list[str]:
    """Names that occur in the training sets, to put one in another's place."""
    found = {
        name
        for one in sets("train")
        if one.lang == "en"
        for row in one.statements
        for name in NAME.findall(row["text"])
    }
    return sorted(found)


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
