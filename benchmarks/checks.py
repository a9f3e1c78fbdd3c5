"""How often each check is right when it objects, on data it was not written from.

    python -m benchmarks checks [--answers 300]

For each code: how often it fired, the share of fired claims that are wrong with a 95 % interval,
its recall, and how many of its true objections the trained judge would have missed.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt

from benchmarks._data import Checked, corpus_rows, pair_rows, ragtruth_rows
from firmground.claims.prose import prose_claims
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.verify.builtin import builtin_judge
from firmground.verify.checks import CHECKS
from firmground.verify.checks.case import CheckCase, search_text
from firmground.verify.checks.registry import VETOES
from firmground.verify.judge import CHOSEN, LexicalJudge, read_claim
from firmground.verify.reading import read


@dataclass
class Tally:
    """What one code did on one distribution."""

    fired: int = 0
    right: int = 0
    missed_by_judge: int = 0


@dataclass
class Measured:
    """All codes over all distributions."""

    codes: dict[tuple[str, str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
    wrong: Counter[str] = field(default_factory=Counter)
    claims: Counter[str] = field(default_factory=Counter)


def wilson(right: int, fired: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    if not fired:
        return 0.0, 1.0
    z, p = 1.96, right / fired
    middle = p + z * z / (2 * fired)
    half = z * sqrt(p * (1 - p) / fired + z * z / (4 * fired * fired))
    return (middle - half) / (1 + z * z / fired), (middle + half) / (1 + z * z / fired)


def measure(rows: Iterator[Checked], judge: LexicalJudge) -> Measured:
    """Run every check on every claim of the rows (set, question, answer, evidence, wrong spans)."""
    found = Measured()
    for name, question, answer, texts, spans in rows:
        asked = Question(text=question) if question else None
        inquiry = Inquiry(
            question=asked,
            answer=answer,
            claims=prose_claims(answer, asked),
            evidence=tuple(Evidence(text=text) for text in texts),
        )
        reading = read(inquiry.evidence)
        judged = judge.examine(inquiry).assessments
        for claim, assessed in zip(inquiry.claims, judged, strict=True):
            if not claim.checkable or not reading.passages:
                continue
            shown = read_claim(claim)
            case = CheckCase(
                claim=shown,
                passages=reading.select(search_text(shown), limit=CHOSEN),
                reading=reading,
                question=question,
            )
            wrong = any(s < claim.end and claim.start < e for s, e in spans)
            found.claims[name] += 1
            found.wrong[name] += wrong
            for check in CHECKS:
                objecting = {
                    note.code
                    for note in check.run(case)
                    if note.standing is not None and not note.standing.stands
                }
                for code in objecting:
                    tally = found.codes[(check.name, code, name)]
                    tally.fired += 1
                    tally.right += wrong
                    tally.missed_by_judge += wrong and assessed.standing.stands
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=300, help="answers of RAGTruth")
    parser.add_argument("--pairs", type=int, default=60, help="rows of each pair set")
    parser.add_argument("--lexical", action="store_true", help="compare with the lexical judge")
    chosen = parser.parse_args(arguments)

    def rows() -> Iterator[Checked]:
        for split in ("train", "val"):
            yield from corpus_rows(split)
        yield from ragtruth_rows(chosen.answers)
        yield from pair_rows(chosen.pairs)

    found = measure(rows(), LexicalJudge() if chosen.lexical else builtin_judge())
    print("claims", dict(found.claims), "wrong", dict(found.wrong))
    print(
        f"{'check':<14}{'code':<22}{'fired':>6}{'right':>7}  precision          recall  new  veto"
    )
    by_code: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for (check, code, _), tally in found.codes.items():
        whole = by_code[(check, code)]
        whole.fired += tally.fired
        whole.right += tally.right
        whole.missed_by_judge += tally.missed_by_judge
    total = sum(found.wrong.values())
    for (check, code), tally in sorted(by_code.items(), key=lambda item: -item[1].fired):
        low, high = wilson(tally.right, tally.fired)
        print(
            f"{check:<14}{code:<22}{tally.fired:>6}{tally.right:>7}  "
            f"{tally.right / tally.fired:.2f} [{low:.2f}, {high:.2f}]  "
            f"{tally.right / max(total, 1):.3f} {tally.missed_by_judge:>5}  "
            f"{'earned' if low >= 0.9 else '-'}"
        )
    family = [tally for (_, code), tally in by_code.items() if code in VETOES]
    fired_all, right_all = sum(t.fired for t in family), sum(t.right for t in family)
    low, high = wilson(right_all, fired_all)
    print(f"codes with a veto, together: {right_all} of {fired_all} right [{low:.3f}, {high:.3f}]")
    fired = {check for check, _ in by_code}
    quiet = [check.name for check in CHECKS if check.name not in fired]
    print("never objected:", ", ".join(quiet) or "none")


if __name__ == "__main__":
    main()
