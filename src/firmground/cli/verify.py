"""Check an exported run with nothing but the file and a public key."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from firmground.cli._keys import max_age_option, read_keys, read_log_keys
from firmground.cli._output import (
    DOES_NOT_HOLD,
    HOLDS,
    counted,
    json_option,
    plain,
    print_json,
    say_lines,
)
from firmground.engine.documents import bundle_document
from firmground.errors import InputError
from firmground.ledger.bundle import BundleReport, VerifiedRun, verify_bundle
from firmground.ledger.bundlefile import MAX_BYTES
from firmground.ledger.fg0 import DagReport, verify_run_dag
from firmground.ledger.keys import KeyKind

PREVIEW = 72


@click.command("verify")
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--key", "keys", multiple=True, help="The log's key, or a file of keys.")
@click.option("--witness", "witnesses", multiple=True, help="A witness's key, or a file of keys.")
@click.option("--quorum", type=click.IntRange(min=0), help="Witnesses needed; all, if not given.")
@max_age_option
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    type=click.Choice(["fg1", "fg0"]),
    help="Profile you accept (fg1). With fg0 alone the file is a run-DAG blob.",
)
@click.option("--without-statement", is_flag=True, help="Accept a file that leaves payloads out.")
@click.option("--root", help="Only fg0: the root you trust; needed unless lenient.")
@click.option("--lenient", is_flag=True, help="Only fg0: accept what is not bound, and list it.")
@json_option
def command(
    *,
    bundle: Path,
    keys: tuple[str, ...],
    witnesses: tuple[str, ...],
    quorum: int | None,
    max_age: float | None,
    profiles: tuple[str, ...],
    without_statement: bool,
    root: str | None,
    lenient: bool,
    as_json: bool,
) -> None:
    """Check BUNDLE, an exported run, offline.

    Exit codes: 0 it holds, 1 it does not, 2 inconclusive (no such file, no usable key).
    """
    data = _read(bundle)
    if profiles == ("fg0",):
        if root is None and not lenient:
            raise click.UsageError("--root is needed: trust comes from you, never from the file")
        _finish_dag(verify_run_dag(data, lenient=lenient, root=root), as_json)
    if root is not None or lenient:
        raise click.UsageError("--root and --lenient belong to --profile fg0 alone")
    if not keys:
        raise click.UsageError("--key is needed: trust comes from you, never from the file")
    watching = read_keys(witnesses, KeyKind.COSIGNATURE, "--witness")
    given, terms = read_log_keys(keys, "--key")
    report = verify_bundle(
        data,
        keys=given,
        terms=terms,
        profiles=profiles or ("fg1",),
        witnesses=watching,
        quorum=len(watching) if quorum is None else quorum,
        require_statement=not without_statement,
        now=time.time(),
        max_age_seconds=max_age,
    )
    if as_json:
        print_json(bundle_document(report))
    else:
        say_lines("\n".join(map(plain, _lines(report))))
    sys.exit(HOLDS if report.valid else DOES_NOT_HOLD)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            # One byte more than is accepted, so that what is longer is refused and not cut off.
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def _lines(report: BundleReport) -> list[str]:
    run = report.verified
    if run is None:
        return ["DOES NOT HOLD", *(f"  {reason}" for reason in report.reasons)]
    return [
        f"HOLDS: run {run.run} is entry {run.index} of {run.size} in the log {run.origin}",
        f"  {_gist(run)}",
        "",
        "What holds",
        *(f"  {name:<11}{value}" for name, value in _facts(run)),
        *(f"  bound      {line}" for line in report.bound),
        "",
        "What is disclosed",
        *(_disclosed(run) or ["  nothing"]),
        "",
        "What this does not prove",
        *(f"  {line}" for line in report.not_proved),
    ]


def _gist(run: VerifiedRun) -> str:
    """In plain words: a genuine record of a bad answer is not a good answer."""
    said = dict(run.label)
    if "verdict" in said:
        return f"the record is genuine; it says the answer was judged: {said['verdict']}"
    if "decision" in said:
        return f"the record is genuine; it says the decision was: {said['decision']}"
    return "the record is genuine; its label says nothing of a verdict"


def _facts(run: VerifiedRun) -> list[tuple[str, str]]:
    attempts = ", ".join(run.attempts) or "none"
    watched = ", ".join(f"{c.witness.name} at {c.time}" for c in run.witnessed) or "none asked for"
    cover = "signed, covers the whole file" if run.stated else "none: payloads may be left out"
    compat = [("fg0 root", run.compat_root)] if run.compat_root else []
    return [
        ("label", ", ".join(f"{key}={value}" for key, value in run.label)),
        ("shape", f"{run.shape}, {counted(len(run.stages), 'stage')}, attempts: {attempts}"),
        ("recorded", f"{run.recorded} by the log's own clock, durability {run.durability}"),
        ("stream", run.stream),
        ("signed by", ", ".join(run.signed_by)),
        ("witnesses", watched),
        ("statement", cover),
        *compat,
    ]


def _disclosed(run: VerifiedRun) -> list[str]:
    lines = []
    for item in run.disclosed:
        text = item.payload.decode("utf-8", "replace")
        shown = text if len(text) <= PREVIEW else text[:PREVIEW] + "…"
        where = f"{item.ordinal:>3} {item.stage}, attempt {item.attempt}"
        lines.append(f"  {where:<28}{counted(len(item.payload), 'byte')}: {shown}")
    return lines


def _finish_dag(report: DagReport, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "valid": report.valid,
                "reasons": list(report.reasons),
                "not_bound": list(report.not_bound),
                "shape": report.shape,
                "root": report.root,
                "lenient": report.lenient,
            }
        )
    else:
        lines = [
            "HOLDS: " + report.verdict if report.valid else "DOES NOT HOLD",
            *(f"  {reason}" for reason in report.reasons),
            "",
            "What is not bound",
            *(f"  {line}" for line in report.not_bound),
        ]
        say_lines("\n".join(map(plain, lines)))
    sys.exit(HOLDS if report.valid else DOES_NOT_HOLD)
