"""Check every file of the everyday corpus: `python corpus/check.py` (needs scikit-learn).

Schema, exact spans, balance of the four cells, near-duplicates, splits by batch, agreement of the
second labelling, and that shortcuts do not solve it: the AUC of word overlap, of length, of digit
counts and of a bag-of-words model that sees the statement alone must each lie in [0.45, 0.55].
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

ROOT = Path(__file__).resolve().parent / "everyday"
LABELS = {"supported", "contradicted", "unsupported"}
SET_KEYS = {
    "id",
    "batch",
    "domain",
    "lang",
    "format",
    "question",
    "evidence",
    "statements",
    "answers",
}
ROW_KEYS = {"text", "label", "kind", "wording", "spans", "second"}
LOW, HIGH = 0.45, 0.55
_WORD = re.compile(r"\w+")


def load() -> tuple[list[dict[str, Any]], list[str]]:
    """Read every batch; give the sets and what is wrong with them."""
    wrong: list[str] = []
    found: list[dict[str, Any]] = []
    splits = json.loads((ROOT / "splits.json").read_text("utf-8"))
    files = {path.stem for path in ROOT.glob("*.jsonl")}
    wrong += [f"splits.json names {name}, which is not there" for name in set(splits) - files]
    wrong += [f"{name}.jsonl belongs to no split" for name in files - set(splits)]
    seen: set[str] = set()
    for batch in sorted(files):
        for number, line in enumerate((ROOT / f"{batch}.jsonl").read_text("utf-8").splitlines(), 1):
            where = f"{batch}.jsonl, line {number}"
            try:
                one = json.loads(line)
            except ValueError as error:
                wrong.append(f"{where}: not JSON: {error}")
                continue
            one["split"] = splits.get(batch, "")
            wrong += [f"{where}: {what}" for what in _set_errors(one, batch, seen)]
            found.append(one)
    return found, wrong


def _set_errors(one: dict[str, Any], batch: str, seen: set[str]) -> list[str]:
    missing = SET_KEYS - one.keys()
    if missing:
        return [f"no key {', '.join(sorted(missing))}"]
    wrong = []
    if one["batch"] != batch:
        wrong.append(f"batch {one['batch']!r} in the file of {batch!r}")
    if one["id"] in seen:
        wrong.append(f"id {one['id']} twice")
    seen.add(one["id"])
    if not one["evidence"] or any(not piece["text"].strip() for piece in one["evidence"]):
        wrong.append("evidence without text")
    for row in (*one["statements"], *one["answers"]):
        wrong += [f"{row.get('text', '')[:60]!r}: {what}" for what in _row_errors(row)]
    return wrong


def _row_errors(row: dict[str, Any]) -> list[str]:
    if ROW_KEYS - row.keys():
        return [f"no key {', '.join(sorted(ROW_KEYS - row.keys()))}"]
    wrong = []
    if row["label"] not in LABELS:
        wrong.append(f"label {row['label']!r}")
    if row["wording"] not in ("close", "anew"):
        wrong.append(f"wording {row['wording']!r}")
    if row["label"] == "supported" and row["spans"]:
        wrong.append("a supported row with a marked span")
    for start, end in row["spans"]:
        if not 0 <= start < end <= len(row["text"]):
            wrong.append(f"span {start}-{end} lies outside the text")
    if row["second"] and (row["second"] == "supported") != (row["label"] == "supported"):
        wrong.append(f"labelled {row['label']}, second time {row['second']}")
    return wrong


def duplicates(sets: list[dict[str, Any]]) -> list[str]:
    """Evidence of two sets that shares most of its runs of eight words."""
    owners: dict[tuple[str, ...], str] = {}
    shared: Counter[tuple[str, str]] = Counter()
    sizes: Counter[str] = Counter()
    for one in sets:
        words = _WORD.findall(" ".join(piece["text"] for piece in one["evidence"]).lower())
        grams = {tuple(words[at : at + 8]) for at in range(len(words) - 7)}
        sizes[one["id"]] = len(grams)
        for gram in grams:
            if gram in owners:
                shared[(owners[gram], one["id"])] += 1
            owners.setdefault(gram, one["id"])
    return [
        f"{a} and {b} share {count} runs of eight words"
        for (a, b), count in shared.items()
        if count > 0.3 * min(sizes[a], sizes[b])
    ]


def shortcuts(sets: list[dict[str, Any]]) -> dict[str, float]:
    """AUC of what should say nothing about the label."""
    rows = []
    for one in sets:
        known = set(
            _WORD.findall(" ".join(f"{p['title']} {p['text']}" for p in one["evidence"]).lower())
        )
        for row in one["statements"]:
            words = _WORD.findall(row["text"].lower())
            overlap = sum(word in known for word in words) / max(len(words), 1)
            rows.append((row["label"] == "supported", overlap, row["text"], one["id"]))
    truth = np.array([row[0] for row in rows])
    texts = [row[2] for row in rows]
    matrix = CountVectorizer(ngram_range=(1, 2), min_df=3).fit_transform(texts)
    guess = np.zeros(len(rows))
    for train, held in GroupKFold(5).split(matrix, truth, [row[3] for row in rows]):
        model = LogisticRegression(C=0.3, max_iter=500).fit(matrix[train], truth[train])
        guess[held] = model.predict_proba(matrix[held])[:, 1]
    return {
        "word overlap": roc_auc_score(truth, [row[1] for row in rows]),
        "length": roc_auc_score(truth, [len(text) for text in texts]),
        "digits": roc_auc_score(truth, [sum(c.isdigit() for c in text) for text in texts]),
        "bag of words": roc_auc_score(truth, guess),
    }


def main() -> int:
    """Print the figures; 1 when something is wrong."""
    sets, wrong = load()
    wrong += duplicates(sets)
    rows = [row for one in sets for row in one["statements"]]
    answers = [row for one in sets for row in one["answers"]]
    print(f"{len(sets)} sets, {len(rows)} statements, {len(answers)} answers")
    print(
        f"domains {len({one['domain'] for one in sets})}, batches {len({o['batch'] for o in sets})}"
    )
    print("languages", dict(Counter(one["lang"] for one in sets).most_common()))
    print("splits", dict(Counter(one["split"] for one in sets)))
    for name, part in (("statements", rows), ("answers", answers)):
        cells = Counter((row["label"] == "supported", row["wording"]) for row in part)
        print(name, {f"{'true' if t else 'false'} {w}": n for (t, w), n in sorted(cells.items())})
    twice = [row for row in (*rows, *answers) if row["second"]]
    same = sum(row["second"] == row["label"] for row in twice)
    both = sum((row["second"] == "supported") == (row["label"] == "supported") for row in twice)
    print(
        f"labelled twice {len(twice)} of {len(rows) + len(answers)}: same label "
        f"{same / max(len(twice), 1):.4f}, same side {both / max(len(twice), 1):.4f}"
    )
    for name, value in shortcuts(sets).items():
        good = LOW <= value <= HIGH
        print(f"AUC of {name}: {value:.3f}{'' if good else '  OUTSIDE [0.45, 0.55]'}")
        if not good:
            wrong.append(f"{name} says something about the label: {value:.3f}")
    for what in wrong[:40]:
        print("wrong:", what)
    print(f"{len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
