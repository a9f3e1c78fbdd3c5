"""Right verdicts on pairs that differ in form: yes/no replies, framed evidence, presuppositions.

    python -m benchmarks quality_forms [FILE.jsonl …] [--judge builtin] [--failures]

Each line of a file is {"question", "answer", "evidence": text or list, "stands": bool, "kind"};
"statement" may stand for "answer", "label" ("supported") for "stands" and "frame" for "kind".
Without a file the pairs of tests/data are judged. Intervals are 95 % (Wilson).
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._data import ROOT
from firmground.engine import Engine

OWN = (
    "yes_no_pairs", "yes_no_later", "presupposition_pairs",
    "framing_pairs", "framing_blind", "framing_later", "cause_pairs",
    "yes_no_unseen", "framing_unseen",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An answer, its evidence, and whether it stands on it."""

    name: str
    question: str
    answer: str
    evidence: tuple[str, ...]
    stands: bool
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A pair and the verdict on it."""

    pair: Pair
    stands: bool
    inconclusive: bool
    told: str
    """What was judged, with the outcome of each statement."""

    @property
    def right(self) -> bool:
        """True when the verdict is the label; an inconclusive one never grounds."""
        return self.stands == self.pair.stands


def read_pairs(path: Path) -> list[Pair]:
    """Read a file of pairs."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_pair(json.loads(line), f"{path.stem}:{n}") for n, line in enumerate(lines, 1) if line]


def _pair(row: dict[str, Any], name: str) -> Pair:
    evidence = row["evidence"]
    return Pair(
        name=str(row.get("id") or name),
        question=row.get("question") or "",
        answer=row["answer"] if "answer" in row else row["statement"],
        evidence=(evidence,) if isinstance(evidence, str) else tuple(evidence),
        stands=bool(row["stands"]) if "stands" in row else row["label"] == "supported",
        kind=str(row.get("kind") or row.get("frame") or "all"),
    )


def judge_pairs(pairs: Iterable[Pair], engine: Engine) -> list[Judged]:
    """Judge each pair as a check would."""
    return [_judged(pair, engine) for pair in pairs]


def _judged(pair: Pair, engine: Engine) -> Judged:
    result = engine.check(pair.answer, list(pair.evidence), question=pair.question or None)
    told = "; ".join(
        f"{one.claim.statement or one.claim.text} [{one.standing.value}"
        f"{', ' + one.code if one.code else ''}, {one.support:.2f}]"
        for one in result.assessments
    )
    return Judged(
        pair=pair,
        stands=result.stands,
        inconclusive=result.verdict.value == "could_not_tell",
        told=told,
    )


def interval(right: int, count: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a share."""
    if not count:
        return 0.0, 1.0
    z, share = 1.96, right / count
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def share_line(name: str, judged: Sequence[Judged]) -> str:
    """One line: the share right, its interval, and each side."""
    right = sum(one.right for one in judged)
    low, high = interval(right, len(judged))
    sides = []
    for stands, word in ((True, "honest stand"), (False, "wrong fall")):
        side = [one for one in judged if one.pair.stands is stands]
        if side:
            sides.append(f"{word} {sum(one.right for one in side)}/{len(side)}")
    unclear = sum(one.inconclusive for one in judged)
    told = f", inconclusive {unclear}" if unclear else ""
    share = right / max(1, len(judged))
    return f"{name:32}{right:4}/{len(judged):<4}{share:6.1%} [{low:.1%}, {high:.1%}]  {', '.join(sides)}{told}"  # noqa: E501


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--judge", default="builtin")
    parser.add_argument("--failures", action="store_true", help="print what was judged wrongly")
    chosen, _ = parser.parse_known_args()
    files = chosen.files or [ROOT / "tests" / "data" / f"{name}.jsonl" for name in OWN]
    with Engine(judge=chosen.judge) as engine:
        for path in files:
            judged = judge_pairs(read_pairs(path), engine)
            print(share_line(path.stem, judged), flush=True)
            kinds: dict[str, list[Judged]] = defaultdict(list)
            for one in judged:
                kinds[one.pair.kind].append(one)
            for kind, part in sorted(kinds.items()) if len(kinds) > 1 else ():
                print(share_line(f"  {kind}", part))
            for one in judged if chosen.failures else ():
                if not one.right:
                    _print_failure(one)


def _print_failure(one: Judged) -> None:
    pair = one.pair
    print(f"\n- {pair.name} ({pair.kind}) {'stands' if pair.stands else 'falls'} by its label")
    print(f"  evidence: {' | '.join(pair.evidence)}")
    print(f"  asked:    {pair.question}\n  answered: {pair.answer}\n  judged:   {one.told}")


if __name__ == "__main__":
    main()
