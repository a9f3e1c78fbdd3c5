"""List, show, export and erase recorded runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firmground.adapters.ledger_address import Location
from firmground.cli._ledger import (
    actor_options,
    find_run,
    ledger_option,
    need_signer,
    open_existing,
    signer_option,
    spare,
    who,
    write_file,
)
from firmground.cli._listing import Listing
from firmground.cli._output import (
    COULD_NOT_TELL,
    counted,
    hand_over,
    json_option,
    plain,
    print_json,
    say,
    say_lines,
)
from firmground.core.run import Stage
from firmground.engine.documents import (
    audit_of,
    cache_key,
    failure_stage,
    lookup_path,
    payload_counts,
    prompts_in,
    run_document,
    run_row,
)
from firmground.errors import InputError, RecordNotFound
from firmground.ledger.log import Log, StoredRun
from firmground.ledger.sealing import runs_of


class StageName(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """The name of a stage; ``all`` gets a message with the right option."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or say which there are."""
        if value == "all" and param is not None and param.name == "disclose":
            self.fail("to open every stage give --disclose-all", param, ctx)
        return str(super().convert(value, param, ctx))


STAGES = StageName([str(stage) for stage in Stage])
PREVIEW = 60


@click.group("runs", cls=Listing)
def command() -> None:
    """List, show, export and erase recorded runs."""


@command.command("list")
@ledger_option
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--before", type=click.IntRange(min=0), help="Only entries before this one.")
@json_option
def list_runs(*, ledger_path: Location, limit: int, before: int | None, as_json: bool) -> None:
    """List runs, newest first."""
    with open_existing(ledger_path) as ledger:
        end = ledger.size() if before is None else before
        rows = [
            run_row(row) | payload_counts(ledger, row) for row in ledger.reader.runs(end, limit)
        ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        label = ", ".join(f"{key}={value}" for key, value in row["label"].items())
        gone = f"  ({row['erased']} of {row['payloads']} payloads erased)" if row["erased"] else ""
        if row["erased"] == row["payloads"]:
            gone = "  (erased)"
        line = f"{row['seq']:>8}  {row['run']}  {row['time']}  {row['shape']}  {label}{gone}"
        say(line)
    if not rows:
        say("no runs")


@command.command()
@click.argument("run")
@ledger_option
@json_option
def show(*, run: str, ledger_path: Location, as_json: bool) -> None:
    """Show RUN: its place, its label and its stages; erased payloads are named as such.

    RUN is its id, or the beginning of it if no other run has the same.
    """
    with open_existing(ledger_path) as ledger:
        stored = ledger.run(find_run(ledger, run))
    if as_json:
        print_json(run_document(stored))
    else:
        say_lines("\n".join(map(plain, _lines(stored))))


@command.command()
@click.argument("run")
@ledger_option
@signer_option
@click.option("--out", type=click.Path(path_type=Path), help="File; else standard output.")
def receipt(*, run: str, ledger_path: Location, signer_path: Path | None, out: Path | None) -> None:
    """Print a signed receipt for RUN: the log's promise that it stands where it stands.

    Use it to hold the log to its promise, with  audit --receipt  or with the public key alone.
    """
    spare(out, ledger=ledger_path, signer=signer_path)
    with open_existing(ledger_path, signer=need_signer(signer_path)) as ledger:
        signed = ledger.sign_receipt(ledger.receipt(find_run(ledger, run)))
    if out is None:
        hand_over(signed.note)
    else:
        write_file(out, signed.note.encode("utf-8"))


@command.command()
@click.argument("run")
@ledger_option
@signer_option
@click.option("--disclose", multiple=True, type=STAGES, help="Stage to open; may be repeated.")
@click.option("--disclose-all", is_flag=True, help="Open every stage that was not erased.")
@click.option("--beside", is_flag=True, help="Open the cache key and the fg0 root, if kept.")
@click.option("--out", type=click.Path(path_type=Path), help="File; else standard output.")
@json_option
def export(
    *,
    run: str,
    ledger_path: Location,
    signer_path: Path | None,
    disclose: tuple[str, ...],
    disclose_all: bool,
    beside: bool,
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
        stored = ledger.run(find_run(ledger, run))
        if signer_path is None:
            _need_checkpoint(ledger, stored, ledger_path)
        bundle = ledger.export(stored.body.run, disclose=stages, aside=beside)
    erased = [kept.ordinal for kept in stored.stages if kept.payload is None]
    if erased and not as_json:
        gone = f"{len(erased)} of {len(stored.stages)}"
        say(f"erased: {gone} payloads of this run are gone for good", err=True)
    if out is None:
        hand_over(bundle.data.decode("utf-8"))
        return
    write_file(out, bundle.data)
    opened = [item.ordinal for item in bundle.disclosed if item.ordinal < len(stored.stages)]
    if as_json:
        print_json(
            {"file": str(out), "bytes": len(bundle.data), "disclosed": opened, "erased": erased}
        )
    else:
        size, shown = counted(len(bundle.data), "byte"), counted(len(opened), "stage")
        say(f"{out}: {size}, {shown} disclosed")


def _confirm(what: str) -> None:
    try:
        sure = click.confirm(what, err=True)
    except click.Abort:
        say("", err=True)
        raise InputError(
            "nothing was erased, because it was not confirmed; --yes confirms it"
        ) from None
    if not sure:
        raise InputError("nothing was erased")


@command.command()
@click.argument("runs", nargs=-1)
@ledger_option
@signer_option
@click.option("--subject", help="All runs of this data subject; needs FIRMGROUND_VAULT_KEYS.")
@click.option("--stage", "stages", multiple=True, type=STAGES, help="Only these stages.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@actor_options
@json_option
def erase(
    *,
    runs: tuple[str, ...],
    ledger_path: Location,
    signer_path: Path | None,
    subject: str | None,
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
    if not runs and subject is None:
        raise click.UsageError("name RUNS, or --subject")
    with open_existing(ledger_path) as ledger:
        theirs = () if subject is None else runs_of(ledger.store, subject)
        if subject is not None and not theirs:
            raise RecordNotFound("the log holds no run of this subject, or all are erased already")
        named = tuple(dict.fromkeys([*(find_run(ledger, run) for run in runs), *theirs]))
    if not yes:
        for run in named:
            say(f"run {run}", err=True)
        what = f"Erase the payloads of {counted(len(named), 'run')} for good?"
        _confirm(what)
    chosen = tuple(Stage(name) for name in stages) or None
    with open_existing(ledger_path, signer=signer_path) as ledger:
        done = ledger.erase(named, actor=who(actor), reason=reason, stages=chosen)
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
        payloads = counted(done.payloads, "payload")
        say(f"erased {payloads} of {counted(len(done.run_ids), 'run')}")
        if not done.scrubbed:
            say("another process still holds pages in which their bytes may stand")
    if not done.scrubbed:
        raise SystemExit(COULD_NOT_TELL)


def _need_checkpoint(log: Log, stored: StoredRun, ledger: Location) -> None:
    newest = log.newest_checkpoint()
    if newest is None or newest.size <= stored.row.seq:
        raise RecordNotFound(
            f"no signed checkpoint covers run {stored.body.run} yet: give --signer, or first run  "
            f"firmground checkpoint --ledger {ledger} --signer KEYFILE"
        )


def _lines(stored: StoredRun) -> list[str]:
    row = run_row(stored.row)
    label = ", ".join(f"{key}={value}" for key, value in row["label"].items())
    lines = [
        f"run {row['run']}, entry {row['seq']}, {row['time']}",
        f"  {row['shape']}, {counted(row['attempts'], 'attempt')}, {label}",
        f"  root {stored.body.root.hex()}",
    ]
    if failed := failure_stage(stored):
        lines.append(f"  failed at: {failed}")
    if key := cache_key(stored):
        lines.append(f"  cache key {key}")
    if audit := audit_of(stored):
        counts = f"{audit.get('verified')} of {audit.get('units')}"
        lines.append(f"  audit: {audit['mode']} by {audit.get('method')}, {counts}")
    if path := lookup_path(stored):
        lines.append(f"  answer: {path}")
    for kept in stored.stages:
        text = "erased" if kept.payload is None else _preview(kept.payload)
        name = f"{kept.planned.stage}, attempt {kept.planned.attempt}"
        lines.append(f"  {kept.ordinal:>3} {name:<28}{text}")
        for prompt, digest in prompts_in(kept.payload or b""):
            lines.append(f"      prompt {prompt} sha256:{digest}")
    return lines


def _preview(payload: bytes) -> str:
    text = payload.decode("utf-8", "replace")
    shown = text if len(text) <= PREVIEW else text[:PREVIEW] + "…"
    return f"{counted(len(payload), 'byte')}: {shown}"
