"""List, show, export and erase recorded runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firmground.cli._ledger import (
    actor_options,
    ledger_option,
    open_existing,
    signer_option,
    spare,
    who,
    write_file,
)
from firmground.cli._output import COULD_NOT_TELL, json_option, plain, print_json
from firmground.core.run import Stage
from firmground.ledger.entry import RunEntry, parse_entry
from firmground.ledger.log import StoredRun
from firmground.ledger.store import EntryRow

STAGES = click.Choice([str(stage) for stage in Stage])
PREVIEW = 60


@click.group("runs")
def command() -> None:
    """List, show, export and erase recorded runs."""


@command.command("list")
@ledger_option
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--before", type=click.IntRange(min=0), help="Only entries before this one.")
@json_option
def list_runs(*, ledger_path: Path, limit: int, before: int | None, as_json: bool) -> None:
    """List runs, newest first."""
    with open_existing(ledger_path) as ledger:
        end = ledger.size() if before is None else before
        rows = [_row(row) for row in ledger.reader.runs(end, limit)]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        label = ", ".join(f"{key}={value}" for key, value in row["label"].items())
        click.echo(plain(f"{row['seq']:>8}  {row['run']}  {row['time']}  {row['shape']}  {label}"))
    if not rows:
        click.echo("no runs")


@command.command()
@click.argument("run")
@ledger_option
@json_option
def show(*, run: str, ledger_path: Path, as_json: bool) -> None:
    """Show RUN: its place, its label and its stages; erased payloads are named as such."""
    with open_existing(ledger_path) as ledger:
        stored = ledger.run(run)
    if as_json:
        print_json(_run(stored))
    else:
        click.echo("\n".join(map(plain, _lines(stored))))


@command.command()
@click.argument("run")
@ledger_option
@signer_option
@click.option("--disclose", multiple=True, type=STAGES, help="Stage to open; may be repeated.")
@click.option("--disclose-all", is_flag=True, help="Open every stage that was not erased.")
@click.option("--out", type=click.Path(path_type=Path), help="File; else standard output.")
@json_option
def export(
    *,
    run: str,
    ledger_path: Path,
    signer_path: Path | None,
    disclose: tuple[str, ...],
    disclose_all: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Export RUN as one file that can be verified with the log's public key alone.

    Without --disclose the file proves that the run was recorded and says nothing of its content.
    Without --signer the file carries no statement of its own and needs a checkpoint that covers
    the run already.
    """
    spare(out, ledger=ledger_path, signer=signer_path)
    stages = None if disclose_all else tuple(Stage(name) for name in disclose)
    with open_existing(ledger_path, signer=signer_path) as ledger:
        bundle = ledger.export(run, disclose=stages)
    if out is None:
        click.echo(bundle.data.decode("utf-8"), nl=False)
        return
    write_file(out, bundle.data)
    opened = [item.ordinal for item in bundle.disclosed]
    if as_json:
        print_json({"file": str(out), "bytes": len(bundle.data), "disclosed": opened})
    else:
        click.echo(f"{out}: {len(bundle.data)} bytes, {len(opened)} stages disclosed")


@command.command()
@click.argument("runs", nargs=-1, required=True)
@ledger_option
@signer_option
@click.option("--stage", "stages", multiple=True, type=STAGES, help="Only these stages.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@actor_options
@json_option
def erase(
    *,
    runs: tuple[str, ...],
    ledger_path: Path,
    signer_path: Path | None,
    stages: tuple[str, ...],
    yes: bool,
    actor: str | None,
    reason: str,
    as_json: bool,
) -> None:
    """Erase the payloads of RUNS for good. Their place in the log and every other proof stay.

    Exit code 2 when the payloads are deleted but another process still holds pages in which
    their bytes may stand; run it on any other run, or close that process, to finish.
    """
    if not yes:
        click.confirm(f"Erase the payloads of {len(runs)} runs for good?", abort=True, err=True)
    chosen = tuple(Stage(name) for name in stages) or None
    with open_existing(ledger_path, signer=signer_path) as ledger:
        done = ledger.erase(runs, actor=who(actor), reason=reason, stages=chosen)
    if as_json:
        print_json(
            {
                "runs": list(done.run_ids),
                "payloads": done.payloads,
                "entries": list(done.seqs),
                "scrubbed": done.scrubbed,
            }
        )
    else:
        click.echo(f"erased {done.payloads} payloads of {len(done.run_ids)} runs")
        if not done.scrubbed:
            click.echo("another process still holds pages in which their bytes may stand")
    if not done.scrubbed:
        raise SystemExit(COULD_NOT_TELL)


def _row(row: EntryRow) -> dict[str, Any]:
    entry = parse_entry(row.body)
    assert isinstance(entry.body, RunEntry)
    return {
        "seq": row.seq,
        "run": entry.body.run,
        "time": entry.ts,
        "shape": str(entry.body.shape),
        "attempts": len(entry.body.attempts),
        "label": dict(entry.body.label),
    }


def _run(stored: StoredRun) -> dict[str, Any]:
    return {
        **_row(stored.row),
        "root": stored.body.root.hex(),
        "durability": str(stored.entry.durability),
        "stream": str(stored.body.stream),
        "policy": None if stored.body.policy is None else stored.body.policy.hex(),
        "cache_key": None if stored.body.cache_key is None else stored.body.cache_key.hex(),
        "stages": [
            {
                "ord": kept.ordinal,
                "stage": str(kept.planned.stage),
                "attempt": kept.planned.attempt,
                "parents": list(kept.planned.parents),
                "commit": kept.commit.hex(),
                "payload": None
                if kept.payload is None
                else kept.payload.decode("utf-8", "backslashreplace"),
                "erased": kept.payload is None,
            }
            for kept in stored.stages
        ],
    }


def _lines(stored: StoredRun) -> list[str]:
    row = _row(stored.row)
    label = ", ".join(f"{key}={value}" for key, value in row["label"].items())
    lines = [
        f"run {row['run']}, entry {row['seq']}, {row['time']}",
        f"  {row['shape']}, {row['attempts']} attempts, {label}",
        f"  root {stored.body.root.hex()}",
    ]
    for kept in stored.stages:
        text = "erased" if kept.payload is None else _preview(kept.payload)
        name = f"{kept.planned.stage}, attempt {kept.planned.attempt}"
        lines.append(f"  {kept.ordinal:>3} {name:<28}{text}")
    return lines


def _preview(payload: bytes) -> str:
    text = payload.decode("utf-8", "replace")
    shown = text if len(text) <= PREVIEW else text[:PREVIEW] + "…"
    return f"{len(payload)} bytes: {shown}"
