"""Dump what ``check`` says about a sample of answers, and compare two such dumps.

    PYTHONPATH=src python -m benchmarks.same_verdicts dump before.jsonl --rows 200
    PYTHONPATH=src python -m benchmarks.same_verdicts compare before.jsonl after.jsonl

A refactoring must leave every verdict, span, reason and score as it was. ``compare`` ignores only
the fields named by ``--ignore`` and exits with 1 when anything else differs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path("/work/shared/data/ragtruth_train")
JUDGES = ("lexical", "builtin")
POLICIES = ("balanced", "strict", "advisory")


def _read(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def rows(data: Path, count: int) -> list[dict[str, Any]]:
    """Return evenly spaced answers with their evidence and question."""
    sources = {one["source_id"]: one for one in _read(data / "sources.jsonl.gz")}
    answers = [one for one in _read(data / "responses.jsonl.gz") if one["response"].strip()]
    chosen = answers[:: max(1, len(answers) // count)][:count]
    found = []
    for one in chosen:
        source = sources[one["source_id"]]
        text = source["source_text"]
        if isinstance(text, dict | list):
            text = json.dumps(text, ensure_ascii=False)
        found.append(
            {"id": one["id"], "answer": one["response"], "evidence": text,
             "question": source["query"]}
        )  # fmt: skip
    return found


def dump(target: Path, *, data: Path, count: int) -> None:
    """Write one line for each answer, judge and policy."""
    import firmground

    sample = rows(data, count)
    with target.open("w", encoding="utf-8") as out:
        for at, row in enumerate(sample):
            for judge in JUDGES:
                # The policy does not change what is found: one slow check, several decisions.
                for policy in POLICIES[: 1 if judge == "builtin" and at % 4 else None]:
                    found = firmground.check(
                        row["answer"],
                        row["evidence"],
                        question=row["question"],
                        judge=judge,
                        policy=policy,
                        id=row["id"],
                    )
                    line = {"judge": judge, "policy": policy, "found": found.to_dict()}
                    out.write(json.dumps(line, sort_keys=True) + "\n")


def compare(before: Path, after: Path, *, ignore: frozenset[str]) -> int:
    """Print which fields differ and in how many lines; return 1 when any does."""
    old, new = _lines(before), _lines(after)
    if len(old) != len(new):
        print(f"{len(old)} lines before, {len(new)} after")
        return 1
    differing: Counter[str] = Counter()
    for one, two in zip(old, new, strict=True):
        kept = [{k: v for k, v in line["found"].items() if k not in ignore} for line in (one, two)]
        differing.update(k for k in {*kept[0], *kept[1]} if kept[0].get(k) != kept[1].get(k))
        differing.update(k for k in ("judge", "policy") if one[k] != two[k])
    for name, count in differing.most_common():
        print(f"{name}: differs in {count} of {len(old)}")
    if not differing:
        told = f", {', '.join(sorted(ignore))} left out" if ignore else ""
        print(f"{len(old)} lines are the same{told}")
    return 1 if differing else 0


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("dump")
    make.add_argument("target", type=Path)
    make.add_argument("--data", type=Path, default=DATA)
    make.add_argument("--rows", type=int, default=200)
    both = commands.add_parser("compare")
    both.add_argument("before", type=Path)
    both.add_argument("after", type=Path)
    both.add_argument("--ignore", nargs="*", default=[])
    given = parser.parse_args()
    if given.command == "dump":
        dump(given.target, data=given.data, count=given.rows)
        return 0
    return compare(given.before, given.after, ignore=frozenset(given.ignore))


if __name__ == "__main__":
    sys.exit(main())
