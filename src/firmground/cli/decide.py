"""``firmground decide``: judge a recorded run again under another policy."""

from __future__ import annotations

import click

from firmground.cli._ledger import find_run
from firmground.cli._output import (
    COULD_NOT_TELL,
    DOES_NOT_HOLD,
    HOLDS,
    WAIVED,
    json_option,
    print_json,
    say,
)
from firmground.core.decision import Step
from firmground.engine.documents import rejudged_document
from firmground.engine.rejudging import Rejudged, find_policy, open_log, rejudge


@click.command(name="decide", short_help="Judge a recorded run by another policy.")
@click.argument("run")
@click.option("--policy", default="balanced", show_default=True, help="Name, or a TOML file.")
@click.option(
    "--ledger", required=True, envvar="FIRMGROUND_LEDGER", show_envvar=True, help="The log's file."
)
@json_option
@click.pass_context
def command(ctx: click.Context, run: str, policy: str, ledger: str, as_json: bool) -> None:
    """Judge RUN, a recorded run or the beginning of its id, again without any model call.

    Exit code 0 it stands under the policy, 1 it does not, 2 it could not be judged, 3 it would be
    released although a rule objects, because the policy waives that rule.
    """
    log = open_log(ledger)
    judged = rejudge(log.run(find_run(log, run)), find_policy(policy))
    if as_json:
        print_json(rejudged_document(judged))
    else:
        _print(judged)
    if judged.decision is None:
        ctx.exit(COULD_NOT_TELL)
    if judged.decision.step is not Step.PROCEED:
        ctx.exit(DOES_NOT_HOLD)
    ctx.exit(WAIVED if judged.decision.waived else HOLDS)


def _print(judged: Rejudged) -> None:
    say(f"run {judged.run_id}")
    say(f"  recorded  {judged.recorded}")
    if judged.decision is None:
        say(f"  now       could not be judged: {judged.trouble}")
        return
    changed = "" if judged.changed else "  (unchanged)"
    say(f"  now       {judged.decision.step.label}{changed}  policy {judged.decision.policy}")
    for objection in judged.decision.objections:
        say(f"  - {objection.rule}: {objection.reason}, so {objection.step.label}")
    for objection in judged.decision.waived:
        say(f"  - waived {objection.rule}: {objection.reason}")
