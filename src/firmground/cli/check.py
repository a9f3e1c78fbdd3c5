"""``firmground check``: check whether an answer stands on its evidence."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from firmground.adapters.document import read_request
from firmground.adapters.evidence.limits import SourceLabel
from firmground.cli._batch import BatchOptions, batch_command
from firmground.cli._calibration import CALIBRATION_OPTIONS
from firmground.cli._consult import (
    POLICY_HELP,
    base_judge,
    by_models,
    check_options,
    keeping_from,
    models_from,
    place_options,
    policy_from,
    read_settings,
    tell,
    watching,
)
from firmground.cli._ledger import spare
from firmground.cli._output import (
    COULD_NOT_TELL,
    DOES_NOT_HOLD,
    HOLDS,
    WAIVED,
    json_option,
    print_json,
    say,
)
from firmground.cli._sources import read_arguments, read_document, read_pairs
from firmground.config.settings import DEFAULT_JUDGE
from firmground.core.decision import Verdict
from firmground.core.evidence import EvidenceKind, Trust
from firmground.engine import Engine, Result
from firmground.engine.call_plans import PlannedCalls, plan_request
from firmground.engine.hook_settings import require_use
from firmground.engine.models import opened_checks
from firmground.errors import InputError
from firmground.examples import example_text
from firmground.pipeline.request import Mode, Request

EXIT_CODES = {
    Verdict.STANDS: HOLDS,
    Verdict.DOES_NOT_STAND: DOES_NOT_HOLD,
    Verdict.COULD_NOT_TELL: COULD_NOT_TELL,
}

_SOURCES = (
    click.option(
        "-q", "--question", metavar="TEXT", help="What was asked: text, path, @file or -."
    ),
    click.option(
        "-a", "--answer", metavar="TEXT", help="The answer: text, path, @file or - (stdin)."
    ),
    click.option(
        "-e",
        "--evidence",
        multiple=True,
        metavar="SOURCE",
        help="Text, path, @file, folder, kind:path, - or an address. May be given many times.",
    ),
    click.option("--input", "document", metavar="FILE", help="One JSON document, or - for stdin."),
    click.option("--example", metavar="NAME", help="One of the bundled examples."),
    click.option("--batch", metavar="FILE", help="Rows: JSON lines, .parquet or .csv."),
    click.option(
        "--output",
        metavar="FILE",
        help="Where the rows of a batch go; resumes there. .parquet too.",
    ),
    click.option("--workers", type=click.IntRange(1, 256), help="Processes for a batch."),
    click.option(
        "--on", metavar="ray[://HOST:PORT]", help="Run the batch on Ray; --output is a folder then."
    ),
)
_LABELS = (
    click.option(
        "--mode",
        type=click.Choice([str(m) for m in Mode]),
        default=str(Mode.PROSE),
        show_default=True,
        help="Form of the answer.",
    ),
    click.option(
        "--kind", type=click.Choice([str(k) for k in EvidenceKind]), help="Read evidence as this."
    ),
    click.option("--role", metavar="NAME", help="The part the evidence plays."),
    click.option(
        "--trust", type=click.Choice([t.label for t in Trust]), help="Belief it deserves."
    ),
    click.option("--encoding", default="utf-8", show_default=True, help="Of the files read."),
    click.option("--id", "job_id", metavar="NAME", help="Your name for the check; hooks see it."),
    click.option(
        "--meta", multiple=True, metavar="KEY=VALUE", help="For hooks. May be given many times."
    ),
    click.option(
        "--output-file",
        "output_files",
        multiple=True,
        metavar="PATH",
        help="A file written along with the answer, for hooks. May be given many times.",
    ),
    click.option(
        "--tool-calls",
        type=click.IntRange(min=0),
        default=0,
        help="Tools called for the answer; --consensus length checks less hard then.",
    ),
    click.option("--fetch", is_flag=True, help="Allow addresses to be fetched as evidence."),
    click.option(
        "--fetch-private",
        is_flag=True,
        help="Allow it for addresses of your own network and this machine too.",
    ),
)
_OUTPUT = (
    click.option(
        "--judge",
        metavar="NAME",
        help=f"builtin (checks and the trained model), lexical (fastest), a model of yours as "
        f"nli:PATH, or cascade:FIRST,SECOND; see docs/verifier.md. llm, llm+NAME: language models "
        f"may then lower what it found.  [default: {DEFAULT_JUDGE}]",
    ),
    click.option(
        "--config", metavar="FILE", help="Take policy, judge, hooks and models from this file."
    ),
    click.option(
        "--ledger",
        metavar="FILE|URL",
        envvar="FIRMGROUND_LEDGER",
        help="Keep the run in this log, a file or postgresql://… ($FIRMGROUND_LEDGER).",
    ),
    click.option(
        "--signer",
        metavar="FILE",
        envvar="FIRMGROUND_SIGNER",
        help="Sign the log with this key afterwards ($FIRMGROUND_SIGNER).",
    ),
    click.option("--policy", metavar="NAME", help=POLICY_HELP),
    *CALIBRATION_OPTIONS,
    json_option,
    click.option("--html", metavar="FILE", help="Write a self-contained page as well."),
    click.option("--all", "everything", is_flag=True, help="List also what stands; cut nothing."),
)


_LABELLING = (
    "mode", "kind", "role", "trust", "encoding", "fetch", "fetch_private", "job_id", "meta",
    "output_files", "tool_calls",
)  # fmt: skip
_GIVEN = ("question", "answer", "evidence")
_ALONE = {
    "batch": (
        *_GIVEN, *_LABELLING, "document", "example", "probe", "consensus", "only_plan",
        "as_json", "everything",
    ),
    "document": (*_GIVEN, *_LABELLING, "example"),
    "example": (*_GIVEN, *_LABELLING),
}  # fmt: skip
_SPELLED = {
    "batch": "--batch", "document": "--input", "example": "--example", "only_plan": "--plan",
    "as_json": "--json", "everything": "--all", "job_id": "--id", "output_files": "--output-file",
}  # fmt: skip
_SAYS_ITSELF = ": each document says that for itself"


def _with(options: tuple[Any, ...]) -> Callable[[Any], Any]:
    def add(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return add


@click.command(name="check")
@_with(_SOURCES)
@_with(_LABELS)
@check_options
@place_options
@_with(_OUTPUT)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Check whether an answer stands on its evidence.

    Exit code 0 it stands, 1 it does not, 2 inconclusive, 3 it is released although a rule objected,
    because the policy waives that rule.

    \b
    A row for --batch FILE, one JSON object a line (evidence as strings or objects with a text):
      {"id": "1", "question": "When?", "answer": "In 1932.", "evidence": ["It opened in 1932."]}
    ``firmground schema check-row`` describes the rows that come out.
    """
    _require_sense(ctx, given)
    settings = given["settings"] = read_settings(given)
    require_use(settings, ("policy", "judge", "hooks", "models", "ledger"))
    if given["batch"] is not None:
        if by_models(given["judge"]):
            raise click.UsageError("--batch asks no models: --judge llm cannot be given with it")
        if given["models"]:
            raise click.UsageError("--batch asks no models: --model cannot be given with it")
        if settings.models is not None:
            raise click.UsageError(f"--batch asks no models, but {given['config']} names some")
        names = ("config", "workers", "ledger", "signer", "html", "on")
        options = BatchOptions(
            judge=given["judge"] or str(settings.judge),
            policy=policy_from(given),
            **{name: given[name] for name in names},
        )
        ctx.exit(batch_command(given["batch"], given["output"], options))
    request = _request(given)
    _require_writable(given)
    outcome = asyncio.run(_checked(ctx, given, request))
    if given["html"]:
        _write_html(outcome, Path(given["html"]))
    if given["as_json"]:
        print_json(outcome.to_dict())
    else:
        _print(outcome, everything=given["everything"])
    ctx.exit(WAIVED if outcome.released_with_waiver else EXIT_CODES[outcome.verdict])


async def _checked(ctx: click.Context, given: dict[str, Any], request: Request) -> Result:
    policy = policy_from(given)
    wanted = models_from(given, models=given["models"], generator=given["generator"])
    if given["models"] and not (wanted.judge or wanted.probe or wanted.consensus):
        raise click.UsageError(
            "--model alone asks nothing of it: add --judge llm (it judges the claims), "
            "--probe answer (does the answer move without its evidence?) or --consensus risk "
            "(does it agree?)"
        )
    async with opened_checks(
        wanted, keeping=keeping_from(given), tell=tell, watch=watching()
    ) as models:
        if given["only_plan"]:
            _print_plan(plan_request(request, models))
            ctx.exit(HOLDS)
        engine = Engine(
            replace(given["settings"], models=None),
            policy=policy,
            judge=base_judge(given["judge"]),
            models=models,
            ledger=given["ledger"],
            signer=given["signer"],
        )
        async with engine:
            return await engine.acheck_request(request)


def _print_plan(plan: tuple[PlannedCalls, ...]) -> None:
    for one in plan:
        say(f"{one.purpose:<10} {one}")
    if not plan:
        say("no model is asked")


def _request(given: dict[str, Any]) -> Request:
    if given["document"] is not None:
        return read_document(given["document"])
    if given["example"] is not None:
        return read_request(example_text(given["example"]), given["example"])
    label = SourceLabel(
        kind=EvidenceKind(given["kind"]) if given["kind"] else None,
        role=given["role"],
        trust=Trust.parse(given["trust"]) if given["trust"] else None,
        encoding=given["encoding"],
    )
    request, skipped = read_arguments(
        question=given["question"],
        answer=given["answer"],
        evidence=given["evidence"],
        label=label,
        fetch=given["fetch"] or given["fetch_private"],
        private=given["fetch_private"],
        mode=Mode(given["mode"]),
        id=given["job_id"] or "",
        metadata=read_pairs(given["meta"]),
        output_files=given["output_files"],
        tool_calls=given["tool_calls"],
    )
    for one in skipped:
        say(f"firmground: not read: {one.origin}: {one.reason}", err=True)
    return request


def _require_sense(ctx: click.Context, given: dict[str, Any]) -> None:
    """Refuse options that would be passed over in silence beside others."""
    for option, others in _ALONE.items():
        if given[option] is not None:
            for other in others:
                if _was_given(ctx, other):
                    raise click.UsageError(
                        f"{_SPELLED[option]} and {_spelled(other)} cannot be given together"
                        + (_SAYS_ITSELF if other in _LABELLING else "")
                    )
    for other in ("output", "workers", "on"):
        if given["batch"] is None and given[other] is not None:
            raise click.UsageError(f"--{other} is for --batch, which was not given")


def _was_given(ctx: click.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source is not ParameterSource.DEFAULT


def _spelled(name: str) -> str:
    return _SPELLED.get(name, f"--{name.replace('_', '-')}")


def _require_writable(given: dict[str, Any]) -> None:
    """Refuse a page that could not be written, or would go over the log, before work is done."""
    if given["html"] is None:
        return
    if not given["html"]:
        raise click.UsageError("--html needs the name of a file")
    page = Path(given["html"])
    if not page.parent.is_dir():
        raise InputError(f"{page}: cannot be written: there is no folder {page.parent}")
    signer = Path(given["signer"]) if given["signer"] else None
    spare(page, ledger=given["ledger"] or None, signer=signer)


def _print(outcome: Result, *, everything: bool) -> None:
    from rich.console import Console

    from firmground.cli._render import render

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    render(outcome, Console(highlight=False, soft_wrap=False), everything=everything)


def _write_html(outcome: Result, path: Path) -> None:
    from firmground.adapters.report_html import write_report

    write_report(outcome, path)
