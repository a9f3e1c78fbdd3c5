"""What the derivation engine makes of true and false statements with quantities.

    PYTHONPATH=src python -m benchmarks derive [--batches c5,c6] [--show KIND] [--raw FILE…]

Reads the everyday seed (`everyday/seed.jsonl` of the data folder). A statement is *explained* when
every quantity in it is stated, derived, a premise of a derivation or an instance of a rule, and
none fits another heading or row better. `--show KIND [--cell CELL]` prints single statements.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks._data import ROOT
from firmground.core.evidence import Evidence
from firmground.verify.derive import Derivation, Outcome, derive, read_facts
from firmground.verify.derive.features import is_explained
from firmground.verify.reading import read

_TRUE = (
    "arithmetic duration conversion percent sum difference count comparison product ratio division "
    "date_arithmetic date_difference table_lookup lookup"
).split()
_FALSE = (
    "wrong_number number_from_distractor wrong_arithmetic wrong_unit_or_scale wrong_date_or_order "
    "wrong_table_cell wrong_count wrong_comparison outdated_version"
).split()
_ALIASES = {
    "number from the distractor": "number_from_distractor", "wrong number": "wrong_number",
    "wrong cell": "wrong_table_cell", "unit": "wrong_unit_or_scale",
    "wrong arithmetic or comparison": "wrong_arithmetic", "date/order": "wrong_date_or_order",
    "outdated version": "outdated_version",
}  # fmt: skip
Row = tuple[str, str, str, str, tuple[Derivation, ...], bool]
"""Set, kind, label, statement, derivations, and whether the wrong words hold a quantity."""


def sets(paths: list[Path], batches: list[str]) -> Iterator[dict[str, Any]]:
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            if not batches or one["batch"] in batches:
                yield one


def raw_sets(paths: list[str]) -> Iterator[dict[str, Any]]:
    """Sets of the corpus's plain-text batches, read by the corpus's own parser."""
    sys.path.insert(0, "/work/corpus")
    import parse  # type: ignore[import-not-found]

    for path in paths:
        for at, one in enumerate(parse.parse(path)[0]):
            yield one | {"id": f"{Path(path).stem}-{at}"}


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
    span = statement.get("span")
    if span is None and statement.get("bad"):
        at = statement["text"].find(statement["bad"])
        span = [at, at + len(statement["bad"])]
    return span is not None and any(d.start < span[1] and d.end > span[0] for d in found)


def cell(derivations: tuple[Derivation, ...]) -> str:
    if any(d.outcome is Outcome.CONFLICTS for d in derivations):
        return "conflict"
    if not all(map(is_explained, derivations)):
        return "unknown"
    return "other heading" if any(d.other_subject for d in derivations) else "explained"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--batches", default="c5,c6")
    options.add_argument("--raw", nargs="*", default=[])
    options.add_argument("--show", default="")
    options.add_argument("--cell", default="")
    args = options.parse_args()
    if args.raw:
        found = raw_sets(args.raw)
    else:
        path = ROOT.parent / "shared/data/everyday/seed.jsonl"
        path = path if path.exists() else Path("/work/shared/data/everyday/seed.jsonl")
        if not path.exists():
            sys.exit("the everyday seed is not there")
        found = sets([path], args.batches.split(",") if args.batches else [])
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
