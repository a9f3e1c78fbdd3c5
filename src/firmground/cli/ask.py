"""``firmground ask``: the whole way of a question, from preflight to record."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import click

from firmground.adapters.evidence import load_source
from firmground.adapters.evidence.limits import SourceLabel
from firmground.cli._calibration import calibration_options
from firmground.cli._consult import (
    POLICY_HELP,
    base_judge,
    check_options,
    keeping_from,
    models_from,
    policy_from,
    read_settings,
    tell,
)
from firmground.cli._escalate import ask_at_terminal, is_interactive
from firmground.cli._model import alone_at, model_options, open_model, split_place, wrapped
from firmground.cli._output import (
    COULD_NOT_TELL,
    DOES_NOT_HOLD,
    HOLDS,
    WAIVED,
    complain,
    json_option,
    print_json,
    say,
    say_lines,
)
from firmground.cli._sources import read_pairs, read_text
from firmground.core.budget import Budget
from firmground.core.decision import Verdict
from firmground.core.evidence import Evidence
from firmground.engine import AskOptions, Engine
from firmground.engine.hook_settings import require_use
from firmground.engine.models import opened_checks
from firmground.errors import InputError
from firmground.pipeline.ask_result import AskResult
from firmground.pipeline.request import Mode
from firmground.revise import Unsupported

_EXIT = {
    Verdict.STANDS: HOLDS,
    Verdict.DOES_NOT_STAND: DOES_NOT_HOLD,
    Verdict.COULD_NOT_TELL: COULD_NOT_TELL,
}
_count = click.IntRange(min=0)


@click.command(name="ask", short_help="Answer a question, if the answer stands.")
@click.argument("question")
@click.option(
    "-e",
    "--evidence",
    multiple=True,
    required=True,
    metavar="SOURCE",
    help="Text, path, folder, kind:path or @file to answer from. May be repeated.",
)
@model_options
@click.option(
    "--judge",
    metavar="NAME",
    help="As in check; llm, llm+NAME: language models may then lower what the judge found.",
)
@check_options
@click.option(
    "--peer",
    "peers",
    multiple=True,
    metavar="NAME[=URL]",
    help="Another model, to judge and to cross-check. May be repeated.",
)
@click.option("--policy", metavar="NAME", help=POLICY_HELP)
@calibration_options
@click.option(
    "--passages",
    type=click.IntRange(1, 64),
    default=8,
    show_default=True,
    help="Passages to answer from.",
)
@click.option(
    "--answer-tokens",
    type=_count,
    default=512,
    show_default=True,
    help="Longest answer to ask for.",
)
@click.option("--regenerations", type=_count, default=2, show_default=True)
@click.option("--replans", type=_count, default=2, show_default=True)
@click.option(
    "--model-calls", type=_count, default=40, show_default=True, help="For the whole question."
)
@click.option(
    "--tokens", type=_count, default=200_000, show_default=True, help="For the whole question."
)
@click.option(
    "--seconds", type=float, default=300.0, show_default=True, help="For the whole question."
)
@click.option(
    "--config",
    metavar="FILE",
    help="Take policy, judge, hooks, models and preflight from this file.",
)
@click.option("--no-preflight", is_flag=True, help="Do not look at the question first.")
@click.option("--no-patch", is_flag=True, help="Have the model rewrite instead of patching.")
@click.option(
    "--unsupported",
    type=click.Choice([str(one) for one in Unsupported]),
    default=str(Unsupported.SPARE),
    show_default=True,
    help="What a patch does to a claim it cannot correct: leave most, or be rid of it.",
)
@click.option(
    "--mode",
    type=click.Choice([str(one) for one in (Mode.PROSE, Mode.POINTER, Mode.JSON)]),
    default=str(Mode.PROSE),
    show_default=True,
    help="Form of the answer; pointer and json: every claim names its evidence, as E1.",
)
@click.option("--id", "job_id", metavar="NAME", help="Your name for the question; hooks see it.")
@click.option(
    "--meta", multiple=True, metavar="KEY=VALUE", help="For hooks. May be given many times."
)
@click.option(
    "--output-file",
    "output_files",
    multiple=True,
    metavar="PATH",
    help="A file written along with the answer, for hooks. May be given many times.",
)
@click.option("--whole", is_flag=True, help="A rewrite is a whole new answer, not pieces of it.")
@click.option(
    "--ledger",
    metavar="FILE|URL",
    envvar="FIRMGROUND_LEDGER",
    help="Keep the run in this log, a file or postgresql://… ($FIRMGROUND_LEDGER).",
)
@click.option(
    "--signer",
    metavar="FILE",
    envvar="FIRMGROUND_SIGNER",
    help="Sign the log with this key afterwards ($FIRMGROUND_SIGNER).",
)
@click.option(
    "--no-input", is_flag=True, help="Never ask a person; what needs one ends with exit code 2."
)
@json_option
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Answer QUESTION from evidence with a model, and release only what stands.

    Exit code 0 an answer stands, 1 none does, 2 inconclusive or a person must decide, 3 an answer
    is released although a rule objected (waived by the policy, or released by a person).
    """
    given["settings"] = read_settings(given)
    tables = ("policy", "judge", "hooks", "models", "preflight", "ledger", "budget", "cache")
    require_use(given["settings"], tables)
    asked = asyncio.run(_ask(given, _evidence(given["evidence"])))
    if given["as_json"]:
        print_json(asked.to_dict())
    else:
        _print(asked)
    ctx.exit(_exit_code(asked))


def _exit_code(asked: AskResult) -> int:
    if asked.answer is not None and not asked.vouched:
        return WAIVED
    return _EXIT[asked.verdict]


def _evidence(sources: tuple[str, ...]) -> list[Evidence]:
    loaded = [load_source(source, SourceLabel(), fetch=False) for source in sources]
    for one in loaded:
        for skipped in one.skipped:
            complain(f"not read: {skipped.origin}: {skipped.reason}")
    pieces = [piece for one in loaded for piece in one.evidence]
    if not pieces:
        raise InputError("nothing could be read from the evidence that was named")
    return pieces


async def _ask(given: dict[str, Any], evidence: list[Evidence]) -> AskResult:
    chosen = _generator(given)
    wanted = models_from(given, models=given["peers"], generator=chosen["model"])
    async with open_model(**chosen, asked=given["replay"] is None) as model:
        asked_of = wrapped(
            model, cache=given["cache"], record=given["record"], replay=given["replay"]
        )
        own = [(chosen["model"], asked_of)]
        async with opened_checks(
            wanted, keeping=keeping_from(given), also=own, tell=tell
        ) as models:
            engine = Engine(
                replace(given["settings"], models=None),
                model=asked_of,
                models=models,
                judge=base_judge(given["judge"]),
                policy=policy_from(given),
                ledger=given["ledger"],
                signer=given["signer"],
            )
            async with engine:
                question = read_text(given["question"], "question")
                return await engine.aask(question, evidence, **_options(given))


def _generator(given: dict[str, Any]) -> dict[str, Any]:
    """Who answers, and where; beside peers, address and key without a model's name are theirs."""
    names = ("model", "base_url", "api_key_env", "max_tokens", "timeout_seconds", "concurrency")
    chosen = {name: given[name] for name in names}
    own = split_place(given["model"])[1] is not None
    theirs = own and any(split_place(peer)[1] is None for peer in given["peers"])
    return alone_at({**chosen, "base_url": None, "api_key_env": None} if theirs else chosen)


def _options(given: dict[str, Any]) -> dict[str, Any]:
    limits = ("regenerations", "replans", "model_calls", "tokens", "seconds")
    asked = not given["no_input"] and is_interactive()
    return {
        "budget": Budget(**{name: given[name] for name in limits}),
        "preflight": not given["no_preflight"],
        "options": AskOptions(
            patch=not given["no_patch"],
            spans=not given["whole"],
            unsupported=Unsupported(given["unsupported"]),
            passages=given["passages"],
            mode=given["mode"],
            max_tokens=given["answer_tokens"],
        ),
        "escalate": ask_at_terminal if asked else None,
        "id": given["job_id"] or "",
        "metadata": dict(read_pairs(given["meta"])),
        "output_files": given["output_files"],
        "tell": tell,
    }


def _print(asked: AskResult) -> None:
    outcome = asked.outcome
    if outcome is not None:
        from rich.console import Console

        from firmground.cli._render import render

        render(outcome, Console(highlight=False, soft_wrap=False), everything=False)
    else:
        cause, *more = asked.decision.objections or (None,)
        say("NO ANSWER" + (f": {cause.reason} ({cause.rule})" if cause else ""))
        for objection in more:
            say(f"  - {objection.rule}: {objection.reason}")
        if asked.failure_stage:
            say(f"  failed at: {asked.failure_stage}")
    if asked.lookup_path == "cache":
        say_lines(f"\nFROM THE CACHE: run {asked.run_id}, no model was asked")
    if asked.repaired:
        before, after = asked.scores
        who = (
            "BY THE MODEL, FLAGGED PIECES ONLY" if asked.repaired_by_model else "WITHOUT THE MODEL"
        )
        say_lines(f"\nREPAIRED {who}, support {before:.2f} -> {after:.2f}")
    for line in asked.repaired:
        say(f"  {line}")
    _print_person(asked)


def _print_person(asked: AskResult) -> None:
    case = asked.escalation
    if case is not None:
        rules = ", ".join(dict.fromkeys(o.rule for o in case.reasons))
        say_lines(f"\nA PERSON MUST DECIDE, on account of {rules}")
        say(f"  no person was asked; at a terminal the choices are {', '.join(case.choices)}")
    if asked.released:
        say_lines("\nNOT VOUCHED FOR: a person let this answer out")
