"""``firmground policy``: explain a policy, and compare two on recorded runs."""

from __future__ import annotations

import click

from firmground.cli._listing import Listing
from firmground.cli._output import (
    COULD_NOT_TELL,
    DOES_NOT_HOLD,
    HOLDS,
    counted,
    json_option,
    print_json,
    say,
    say_lines,
)
from firmground.decide import Policy
from firmground.engine.policy_words import rule_changes, rule_parameters, scoring_words
from firmground.engine.rejudging import (
    Rejudged,
    find_policy,
    open_log,
    recorded_runs,
    rejudge,
    stricter,
    tally,
)

_ledger = click.option("--ledger", envvar="FIRMGROUND_LEDGER", help="A log of past runs.")


@click.group(name="policy", cls=Listing)
def command() -> None:
    """Explain a policy, or show what it would do to past runs."""


@command.command()
@click.argument("policy", default="balanced")
@_ledger
@json_option
def explain(policy: str, ledger: str | None, as_json: bool) -> None:
    """List a policy's rules and parameters; with a log, count what it says to past runs."""
    chosen = find_policy(policy)
    judged = _judged(ledger, chosen) if ledger else []
    if as_json:
        print_json(
            {
                "name": chosen.name,
                "digest": chosen.digest,
                **chosen.canonical(),
                "runs": [{"from": a, "to": b, "runs": n} for (a, b), n in tally(judged).items()],
            }
        )
        return
    say(f"policy {chosen.name}  {chosen.digest}")
    say(f"  scoring: {', '.join(scoring_words(chosen))}")
    for rule in chosen.rules:
        waived = (
            "  (waived: shown, but does not hold the answer back)"
            if rule.name in chosen.waived
            else ""
        )
        person = "  (a person decides)" if rule.name in chosen.escalate else ""
        say_lines(f"  {rule.name}{waived}{person}\n      objects to {rule.about}")
        for line in rule_parameters(rule):
            say(f"      {line}")
    if ledger:
        _print_tally(judged)


@command.command()
@click.argument("one")
@click.argument("other")
@_ledger
@json_option
@click.pass_context
def diff(ctx: click.Context, one: str, other: str, ledger: str | None, as_json: bool) -> None:
    """Show how two policies differ, in their rules and on the runs of a log.

    Exit code 0 when nothing differs, 1 when something does, 2 when nothing does but there are runs
    that could not be judged.
    """
    left, right = find_policy(one), find_policy(other)
    lines = rule_changes(left, right)
    runs, unjudged = _run_changes(ledger, left, right) if ledger else ([], [])
    if as_json:
        digests = {"one": left.digest, "other": right.digest}
        print_json({**digests, "rules": lines, "runs": runs, "could_not_judge": unjudged})
    else:
        say_lines("\n".join(lines) or "the rules are the same")
        for run in runs:
            say(f"  run {run['run']}: {run['one']} -> {run['other']}")
        if ledger:
            say(f"{counted(len(runs), 'run')} would be decided otherwise")
        for run in unjudged:
            say(f"  run {run['run']} could not be judged: {run['trouble']}")
    if lines or runs:
        ctx.exit(DOES_NOT_HOLD)
    ctx.exit(COULD_NOT_TELL if unjudged else HOLDS)


def _judged(ledger: str, policy: Policy) -> list[Rejudged]:
    return [rejudge(stored, policy) for stored in recorded_runs(open_log(ledger))]


_Rows = list[dict[str, str]]


def _run_changes(ledger: str, left: Policy, right: Policy) -> tuple[_Rows, _Rows]:
    """The runs that the two policies decide otherwise, and those that neither could judge."""
    pairs = zip(_judged(ledger, left), _judged(ledger, right), strict=True)
    found: _Rows = []
    unjudged: _Rows = []
    for a, b in pairs:
        if a.decision is None:
            unjudged.append({"run": a.run_id, "trouble": a.trouble})
        if a.decision and b.decision and a.decision.step is not b.decision.step:
            steps = {"one": a.decision.step.label, "other": b.decision.step.label}
            found.append({"run": a.run_id, **steps})
    return found, unjudged


def _print_tally(judged: list[Rejudged]) -> None:
    say_lines(f"\non {counted(len(judged), 'recorded run')}:")
    for (before, now), count in tally(judged).items():
        say(f"  {count:6d}  {before} -> {now}")
    harsher = sum(1 for one in judged if stricter(one))
    milder = sum(1 for one in judged if stricter(one) is False)
    say(f"  {harsher} would be judged more harshly, {milder} more mildly")
