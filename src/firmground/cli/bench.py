"""``firmground bench``: the published figures, on your own model and data."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from firmground.bench.dependence import Report, bench_calls, check_choices, run_bench
from firmground.bench.items import Item, built_in, load_items, spread
from firmground.bench.plot import risk_coverage_svg
from firmground.cli._bench_everyday import everyday
from firmground.cli._listing import Listing
from firmground.cli._model import alone_at, model_options, open_model, wrapped
from firmground.cli._output import (
    json_option,
    print_json,
    say,
)
from firmground.errors import InputError
from firmground.probe import PROFILES


@click.group(cls=Listing)
def command() -> None:
    """Measure firmground on your own model and your own data."""


command.add_command(everyday)


@command.command()
@model_options
@click.option(
    "--items", "names", multiple=True, default=("bench",), show_default=True,
    help="bench, demo, or a JSONL file (.gz too); may be repeated.",
)  # fmt: skip
@click.option("--mode", type=click.Choice(["free", "choice"]), default="free", show_default=True)
@click.option("--documents", type=click.IntRange(min=1), default=1, show_default=True,
              help="Documents shown at once.")  # fmt: skip
@click.option("--mixed", is_flag=True,
              help="Ask once more with a poisoned document among the clean ones.")  # fmt: skip
@click.option("--samples", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--limit", type=click.IntRange(min=1), help="Only so many questions, spread evenly.")
@click.option("--max-calls", type=click.IntRange(min=0), help="Refuse to start beyond this.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="SVG file to write.")
@json_option
def dependence(
    *,
    names: Sequence[str],
    mode: str,
    documents: int,
    mixed: bool,
    samples: int,
    limit: int | None,
    max_calls: int | None,
    plot: Path | None,
    as_json: bool,
    cache: Path | None,
    record: Path | None,
    replay: Path | None,
    **where: Any,
) -> None:
    """How well do confidence, margin and dependence tell right answers from wrong ones?"""
    items = spread([item for name in names for item in _items(name)], limit)
    profile = replace(PROFILES["default"], samples=samples)
    calls = bench_calls(items, mode=mode, profile=profile, documents=documents, mixed=mixed)
    say(f"{len(items)} questions, at most {calls} calls", err=True)
    if max_calls is not None and calls > max_calls:
        raise click.UsageError(f"--max-calls {max_calls} does not cover {calls} calls")
    if mode == "choice":
        check_choices(items)
    if plot is not None:
        _writable(plot)
    where = alone_at(where)
    asker = open_model(**where, asked=replay is None)

    async def run() -> Report:
        async with asker:
            model = wrapped(asker, cache=cache, record=record, replay=replay)
            return await run_bench(
                model, items, mode=mode, profile=profile, documents=documents, mixed=mixed
            )

    report = asyncio.run(run())
    if plot is not None:
        title = f"{where['model']}: {len(report.trials)} answers, {mode}"
        plot.write_text(risk_coverage_svg(report.signals, title=title), encoding="utf-8")
    if as_json:
        print_json(_document(report))
    else:
        for line in lines(report):
            say(line)


def _writable(path: Path) -> None:
    """Find out before the first call that is paid for."""
    try:
        path.open("ab").close()
    except OSError as error:
        raise InputError(f"--plot {path} cannot be written: {error.strerror}") from None


def _items(name: str) -> tuple[Item, ...]:
    return built_in(name) if name in ("bench", "demo") else load_items(Path(name))


def lines(report: Report) -> list[str]:
    """The report for a person, every figure with its interval."""
    made = [
        f"answers {len(report.trials)}, could not measure {len(report.faults)}, "
        f"calls {report.calls}",
        f"right without any document   {report.knew}",
        f"right with a clean document  {report.right_with_clean}",
        f"wrong with a poisoned one    {report.poison_followed}",
        "",
        "signal          corr with correctness       AURC (lower is better)      needs",
    ]
    for one in report.signals:
        made.append(f"{one.name:<15} {one.correlation!s:<27} {one.aurc!s:<27} {one.needs}")
        risks = "  ".join(f"{share:.0%}: {figure}" for share, figure in one.risk)
        made.append(f"  wrong among the kept  {risks}")
    made.append("")
    for gate in report.gates:
        made += [
            f"rule {gate.rule}",
            f"  wrong answers held back                           {gate.wrong_held_back}",
            f"  right answers held back                           {gate.right_held_back}",
            f"  right, clean document, model did not know: held   {gate.clean_unknown_held_back}",
            f"  right, clean document, model was mistaken: held   {gate.clean_mistaken_held_back}",
        ]
    return made + _mixed_lines(report)


def _mixed_lines(report: Report) -> list[str]:
    if report.mixed is None:
        return []
    made = [
        "",
        "a poisoned document among clean ones (partial poison)",
        f"  right answers                                     {report.mixed.right}",
        f"  the poisoned document told by its weight          {report.mixed.poison_told}",
    ]
    for rule, wrong, right in report.mixed.held_back:
        made.append(f"  {rule}: wrong answers held back   {wrong}")
        made.append(f"  {rule}: right answers held back   {right}")
    return made


def _document(report: Report) -> dict[str, Any]:
    return {
        "mode": report.mode,
        "answers": len(report.trials),
        "could_not_measure": [fault.message for fault in report.faults],
        "calls": report.calls,
        "mixed": asdict(report.mixed) if report.mixed else None,
        "knew": asdict(report.knew),
        "right_with_clean": asdict(report.right_with_clean),
        "poison_followed": asdict(report.poison_followed),
        "signals": [
            {
                "name": one.name,
                "needs": one.needs,
                "correlation": asdict(one.correlation),
                "aurc": asdict(one.aurc),
                "risk_at_coverage": {str(share): asdict(figure) for share, figure in one.risk},
            }
            for one in report.signals
        ],
        "gates": [asdict(gate) for gate in report.gates],
    }
