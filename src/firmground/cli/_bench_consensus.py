"""``firmground bench consensus``: what cross-model sampling adds to detection."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from firmground.bench.cross_model import (
    CrossReport,
    CrossTrial,
    cross_lines,
    cross_report,
    families_apart,
    suspicions,
)
from firmground.bench.everyday import load_rows
from firmground.cli._consult import keeping_from, place_options, place_settings
from firmground.cli._output import json_option, print_json, say
from firmground.consensus import ConsensusSettings, Peer
from firmground.core.finding import Fault
from firmground.engine import Engine
from firmground.engine.models import opened_models


@click.command(name="consensus")
@place_options
@click.option("--judge", default="builtin", show_default=True, help="The judge without models.")
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the corpus; without it, the test split that comes with the package.",
)
@click.option("--split", default="test", show_default=True, help="train, val or test.")
@click.option("--samples", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--limit", type=click.IntRange(min=1), help="Only the first so many answers.")
@json_option
def consensus(**given: Any) -> None:
    """How many wrong answers do references of other models catch, and those of one's own?

    The first --model is taken as the one that wrote the answers, the others must be of other
    families. Each answer is cross-checked twice with as many references: by that model alone, and
    by the others.
    """
    rows = [row for row in load_rows(given["corpus"], split=given["split"]) if row.whole_answer]
    report = asyncio.run(_measured(rows[: given["limit"]], given))
    if given["as_json"]:
        print_json(asdict(report))
    else:
        for line in cross_lines(report):
            say(line)


async def _measured(rows: list[Any], given: dict[str, Any]) -> CrossReport:
    settings = ConsensusSettings(samples=given["samples"], correct=False)
    trials: list[CrossTrial] = []
    faults = calls = 0
    async with opened_models(place_settings(given), keeping_from(given)) as models:
        own, others = families_apart([Peer(name=name, model=model) for name, model in models])
        with Engine(judge=given["judge"]) as engine:
            for row in rows:
                seen = await suspicions(
                    row.question, row.text, row.evidence, own=own, others=others, settings=settings
                )
                if isinstance(seen, Fault):
                    faults += 1
                    continue
                same, cross, used = seen
                calls += used
                found = await engine.acheck(row.text, list(row.evidence), question=row.question)
                judged = 0.0 if found.stands else 1.0
                trials.append(
                    CrossTrial(
                        set_id=row.set_id,
                        wrong=not row.supported,
                        suspicion=(same, cross, judged, max(cross, judged)),
                    )
                )
    names = [peer.name for peer in others]
    return cross_report(own.name, names, trials, could_not_measure=faults, calls=calls)
