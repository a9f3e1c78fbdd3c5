"""``firmground bench everyday``: how good a judge is on everyday answers."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import click

from firmground.bench.everyday import EverydayRow, EverydayTrial, lines, load_rows, picture, report
from firmground.cli._output import json_option, print_json, say
from firmground.engine import Engine


@click.command(name="everyday")
@click.option("--judge", default="builtin", show_default=True, help="The judge, as check takes it.")
@click.option("--policy", default="balanced", show_default=True, help="The policy that decides.")
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the corpus; without it, the test split that comes with the package.",
)
@click.option("--split", default="test", show_default=True, help="train, val or test.")
@click.option(
    "--language", "languages", multiple=True, default=("en",), show_default=True,
    help="Language of the rows; may be repeated; `all` takes every one.",
)  # fmt: skip
@click.option("--answers", is_flag=True, help="Only whole answers, no single statements.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first so many rows.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="SVG file to write.")
@json_option
def everyday(
    *,
    judge: str,
    policy: str,
    corpus: Path | None,
    split: str,
    languages: tuple[str, ...],
    answers: bool,
    limit: int | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Measure a judge on the everyday corpus.

    Prints the share of right verdicts for true and false rows, close to the source's wording and
    reworded, with intervals; then hits by kind, calibration and speed.
    """
    rows = load_rows(corpus, split=split, languages=() if "all" in languages else languages)
    rows = tuple(row for row in rows if row.whole_answer or not answers)[:limit]
    with Engine(judge=judge, policy=policy) as engine:
        found = report(judge, [_trial(row, engine) for row in rows])
    if plot is not None:
        plot.write_text(picture(found), encoding="utf-8")
    if as_json:
        print_json(asdict(found))
    else:
        for line in lines(found):
            say(line)


def _trial(row: EverydayRow, engine: Engine) -> EverydayTrial:
    began = time.perf_counter()
    result = engine.check(row.text, list(row.evidence), question=row.question or None)
    return EverydayTrial(
        row=row,
        stands=result.stands,
        inconclusive=result.verdict.value == "could_not_tell",
        risk=result.risk,
        seconds=time.perf_counter() - began,
    )
