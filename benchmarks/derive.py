"""What the derivation engine makes of true and false statements with quantities.

    PYTHONPATH=src python -m benchmarks derive [--split val] [--batches c5,c6] [--show KIND]

Reads one split of `corpus/everyday`. A statement is *explained* when every quantity in it is
stated, derived, a premise of a derivation or an instance of a rule, and none fits another heading
or row better. `--show KIND [--cell CELL]` prints single statements.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from benchmarks._data import ROOT
from firmground.core.evidence import Evidence
from firmground.verify.derive import Derivation, DerivationOutcome, derive, read_facts
from firmground.verify.derive.features import is_explained
from firmground.verify.reading import read

_TRUE = (
    "arithmetic duration conversion percent sum difference count comparison product ratio division "
    "date_arithmetic date_difference order table_lookup"
).split()
_FALSE = (
    "wrong_number number_from_distractor wrong_arithmetic wrong_unit_or_scale wrong_date_or_order "
    "wrong_table_cell wrong_count wrong_comparison outdated_version"
).split()
_ALIASES = {
    "number_from_the_distractor": "number_from_distractor", "wrong_cell": "wrong_table_cell",
    "unit": "wrong_unit_or_scale", "wrong_arithmetic_or_comparison": "wrong_arithmetic",
    "date_order": "wrong_date_or_order",
}  # fmt: skip
Row = tuple[str, str, str, str, tuple[Derivation, ...], bool]
"""Set, kind, label, statement, derivations, and whether the wrong words hold a quantity."""


def sets(split: str, batches: list[str]) -> Iterator[dict[str, Any]]:
    """Read the evidence sets of one split, or of some of its batches."""
    folder = ROOT / "corpus" / "everyday"
    splits: dict[str, str] = json.loads((folder / "splits.json").read_text(encoding="utf-8"))
    for batch in sorted(name for name, of in splits.items() if of == split):
        if batches and batch not in batches:
            continue
        for line in (folder / f"{batch}.jsonl").read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def rows(found: Iterator[dict[str, Any]]) -> Iterator[Row]:
    for one in found:
        texts = [f"{piece['title']}\n{piece['text']}" for piece in one["evidence"]]
        reading = read([Evidence(text=text) for text in texts])
        facts = read_facts(reading.passages)
        for s in one["statements"]:
            kind = _ALIASES.get(s["kind"], s["kind"])
            label = s["label"][0].upper()
            found_here = derive(s["text"], facts)
            yield one["id"], kind, label, s["text"], found_here, wrong_quantity(s, found_here)


def wrong_quantity(statement: dict[str, Any], found: tuple[Derivation, ...]) -> bool:
    """True when a wrong span of the statement holds a quantity."""
    spans = statement["spans"]
    return any(d.start < end and d.end > start for d in found for start, end in spans)


def cell(derivations: tuple[Derivation, ...]) -> str:
    if any(d.outcome is DerivationOutcome.CONFLICTS for d in derivations):
        return "conflict"
    if not all(map(is_explained, derivations)):
        return "unknown"
    return "other heading" if any(d.other_subject for d in derivations) else "explained"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--split", default="val", choices=("train", "val", "test"))
    options.add_argument("--batches", default="", help="some batches of the split, with commas")
    options.add_argument("--show", default="", help="print the statements of one kind")
    options.add_argument("--cell", default="", help="print only those with this outcome")
    args = options.parse_args()
    found = sets(args.split, args.batches.split(",") if args.batches else [])
    began = time.perf_counter()
    all_rows = list(rows(found))
    took = time.perf_counter() - began
    show(all_rows, args.show, args.cell)
    quantities = sum(len(r[4]) for r in all_rows)
    print(
        f"{len(all_rows)} statements, {quantities} quantities, {took:.2f} s with reading evidence"
    )
    table("true", [r for r in all_rows if r[2] == "S"])
    table("false, wrong quantity", [r for r in all_rows if r[2] != "S" and r[5]])
    table("false, other wrong words", [r for r in all_rows if r[2] != "S" and not r[5]])


def table(name: str, found: list[Row]) -> None:
    kinds: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for _, kind, _, _, derivations, _ in found:
        if derivations:
            chosen = kind in (_TRUE if name.startswith("true") else _FALSE)
            kinds[kind if chosen else "other kinds"][cell(derivations)] += 1
            if chosen:
                kinds["= these kinds"][cell(derivations)] += 1
        elif kind in _TRUE + _FALSE:
            kinds[kind]["no quantity"] += 1
    columns = ("explained", "other heading", "unknown", "conflict", "no quantity")
    print(f"\n{name:<26}" + "".join(f"{c:>15}" for c in columns) + f"{'explained %':>13}")
    for kind in sorted(kinds):
        counts = kinds[kind]
        size = sum(counts[c] for c in columns[:4])
        share = 100 * counts["explained"] / size if size else float("nan")
        print(f"{kind:<26}" + "".join(f"{counts[c]:>15}" for c in columns) + f"{share:>12.0f}%")


def show(found: list[Row], kind: str, wanted: str) -> None:
    for where, of, label, text, derivations, _ in found:
        if kind and of == kind and (not wanted or cell(derivations) == wanted):
            print(f"{where} {label} {of}: {text}")
            for d in derivations:
                other = "OTHER " if d.other_subject else ""
                print(
                    f"    [{text[d.start : d.end]}] {d.outcome.value} {d.code} "
                    f"risk={d.coincidence_risk:.2f} {other}rel={d.relation:.2f} {d.working}"
                )


if __name__ == "__main__":
    main()
