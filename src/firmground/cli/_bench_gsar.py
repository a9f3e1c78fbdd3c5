"""``firmground bench gsar``: the published ablations of the typed support score."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from firmground.bench.ablation import ScoredReport, ablation, ablation_lines
from firmground.bench.everyday import EverydayRow, load_rows
from firmground.cli._output import json_option, print_json, say
from firmground.core.evidence import Evidence
from firmground.engine import Engine
from firmground.verify.gsar import partition_of


@click.command(name="gsar")
@click.option("--judge", default="builtin", show_default=True, help="The judge, as check takes it.")
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the corpus; without it, the test split that comes with the package.",
)
@click.option("--split", default="test", show_default=True, help="train, val or test.")
@click.option("--statements", is_flag=True, help="Single statements as well as whole answers.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first so many rows.")
@json_option
def gsar(
    *,
    judge: str,
    corpus: Path | None,
    split: str,
    statements: bool,
    limit: int | None,
    as_json: bool,
) -> None:
    """What do rho and the complementary set change in the support score?

    Reports are whole answers of the everyday corpus. The first piece of evidence is the source
    that was asked, the others are background, so that claims resting on those alone are
    complementary. Every variant scores the same partitions.
    """
    rows = load_rows(corpus, split=split)
    rows = tuple(row for row in rows if row.whole_answer or statements)[:limit]
    with Engine(judge=judge) as engine:
        found = ablation(judge, [_report(row, engine) for row in rows])
    if as_json:
        print_json(asdict(found))
    else:
        for line in ablation_lines(found):
            say(line)


def _report(row: EverydayRow, engine: Engine) -> ScoredReport:
    evidence = [
        Evidence(text=text, id=f"e{at}", role="background" if at else "source")
        for at, text in enumerate(row.evidence)
    ]
    found = engine.check(row.text, evidence, question=row.question or None).findings
    return ScoredReport(
        set_id=row.set_id,
        partition=partition_of(found.assessments),
        supported=row.supported,
        coverage=found.support.coverage if found.support else 0.0,
    )
