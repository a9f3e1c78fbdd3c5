"""``firmground bench``: the published figures, on your own model and data."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from firmground.bench.dependence import DependenceReport, bench_calls, check_choices, run_bench
from firmground.bench.items import BUILT_IN, BenchItem, built_in, load_items, spread
from firmground.bench.plot import risk_coverage_svg
from firmground.cli._bench_consensus import consensus
from firmground.cli._bench_everyday import everyday
from firmground.cli._bench_gsar import gsar
from firmground.cli._listing import Listing
from firmground.cli._model import alone_at, open_model, several_model_options, wrapped
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


command.add_command(consensus)
command.add_command(everyday)
command.add_command(gsar)


@command.command()
@several_model_options
@click.option(
    "--items", "names", multiple=True, default=("bench",), show_default=True,
    help="facts, bench, demo, or a JSONL file (.gz too); may be repeated.",
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
    models: tuple[str, ...],
    **where: Any,
) -> None:
    """How well do confidence, margin and dependence tell right answers from wrong ones?"""
    items = spread([item for name in names for item in _items(name)], limit)
    profile = replace(PROFILES["default"], samples=samples)
    asked: dict[str, Any] = {
        "mode": mode,
        "profile": profile,
        "documents": documents,
        "mixed": mixed,
    }
    calls = bench_calls(items, **asked) * max(1, len(models))
    say(f"{len(items)} questions, at most {calls} calls", err=True)
    if max_calls is not None and calls > max_calls:
        raise click.UsageError(f"--max-calls {max_calls} does not cover {calls} calls")
    if len(set(models)) < len(models):
        raise click.UsageError("the same --model is named twice")
    if plot is not None and len(models) > 1:
        raise click.UsageError("--plot draws one model; name one")
    if mode == "choice":
        check_choices(items)
    if plot is not None:
        _writable(plot)
    reports = {}
    for name in models or (None,):
        told, report = asyncio.run(_report(name, items, asked, dict(where)))
        reports[told] = report
    if plot is not None:
        (title, report), *_ = reports.items()
        told = f"{title}: {len(report.trials)} answers, {mode}"
        plot.write_text(risk_coverage_svg(report.signals, title=told), encoding="utf-8")
    if as_json:
        documents_of = [{"model": name, **_document(one)} for name, one in reports.items()]
        print_json(documents_of[0] if len(documents_of) == 1 else {"models": documents_of})
        return
    for line in table_lines(reports) if len(reports) > 1 else lines(*reports.values()):
        say(line)


async def _report(
    name: str | None, items: Sequence[BenchItem], asked: dict[str, Any], where: dict[str, Any]
) -> tuple[str, DependenceReport]:
    """Run the bench on one model."""
    keeping = {key: where.pop(key) for key in ("cache", "record", "replay")}
    chosen = alone_at({**where, "model": name})
    asker = open_model(**chosen, asked=keeping["replay"] is None)
    async with asker:
        return chosen["model"], await run_bench(wrapped(asker, **keeping), items, **asked)


def _writable(path: Path) -> None:
    """Find out before the first call that is paid for."""
    try:
        path.open("ab").close()
    except OSError as error:
        raise InputError(f"--plot {path} cannot be written: {error.strerror}") from None


def _items(name: str) -> tuple[BenchItem, ...]:
    return built_in(name) if name in BUILT_IN else load_items(Path(name))


def _figures(report: DependenceReport) -> Iterator[tuple[str, str]]:
    yield "answers, could not measure", f"{len(report.trials)}, {len(report.faults)}"
    yield "right without a document", str(report.knew)
    yield "right with a clean one", str(report.right_with_clean)
    yield "wrong with a poisoned one", str(report.poison_followed)
    for one in report.signals:
        yield f"{one.name}: correlation", str(one.correlation)
        yield f"{one.name}: AURC", str(one.aurc)
        yield f"{one.name}: wrong at 50 %", str(one.risk[0][1])
    for gate in report.gates:
        yield f"{gate.rule}: wrong held back", str(gate.wrong_held_back)
        yield f"{gate.rule}: right held back", str(gate.right_held_back)


def table_lines(reports: Mapping[str, DependenceReport]) -> list[str]:
    """Several models in one table, as figures with their intervals."""
    columns = [dict(_figures(one)) for one in reports.values()]
    cells = [[title, *(column[title] for column in columns)] for title in columns[0]]
    cells.insert(0, ["", *reports])
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def lines(report: DependenceReport) -> list[str]:
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


def _mixed_lines(report: DependenceReport) -> list[str]:
    if report.mixed is None:
        return []
    made = [
        "",
        "a poisoned document among clean ones (partial poison)",
        f"  right answers                                     {report.mixed.right}",
        f"  the poisoned document has the most weight         {report.mixed.poison_told}",
    ]
    for rule, wrong, right in report.mixed.held_back:
        made.append(f"  {rule}: wrong answers held back   {wrong}")
        made.append(f"  {rule}: right answers held back   {right}")
    return made


def _document(report: DependenceReport) -> dict[str, Any]:
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
