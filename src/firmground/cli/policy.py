"""``firmground policy``: what does a policy ask for, and what would it change?"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

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
from firmground.decide import Policy, Rule
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
    for rule in chosen.rules:
        waived = "  (waived: shown, and let pass)" if rule.name in chosen.waived else ""
        person = "  (a person decides)" if rule.name in chosen.escalate else ""
        say_lines(f"  {rule.name}{waived}{person}\n      objects to {rule.about}")
        for line in _parameters(rule):
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
    lines = _rule_changes(left, right)
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
    return [rejudge(stored, policy) for stored in recorded_runs(open_log(Path(ledger)))]


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


_UNSET = {"codes": "all", "tolerated": "as many as agree"}
"""What a parameter means that names nothing, where it does not mean none."""


def _parameters(rule: Rule) -> list[str]:
    return [
        f"{field.name} = {_UNSET.get(field.name, 'none') if unset else _shown(value)}"
        for field in fields(rule)  # type: ignore[arg-type]
        for value in (getattr(rule, field.name),)
        for unset in (value is None or value in ((), ""),)
    ]


def _shown(value: object) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return ", ".join(" ".join(_shown(part) for part in pair) for pair in value)
    if isinstance(value, tuple):
        return ", ".join(_shown(item) for item in value)
    return str(getattr(value, "label", value))


def _rule_changes(left: Policy, right: Policy) -> list[str]:
    """What only one of them has, and of what both have the parameters that differ."""
    a, b = _as_lines(left), _as_lines(right)
    gone = [f"- {a[key]}" for key in sorted(a.keys() - b.keys())]
    new = [f"+ {b[key]}" for key in sorted(b.keys() - a.keys())]
    before, after = (
        {rule.name: _settings(rule) for rule in policy.rules} for policy in (left, right)
    )
    changed = [
        f"~ {name}.{key}: {before[name].get(key, 'none')} -> {after[name].get(key, 'none')}"
        for name in sorted(before.keys() & after.keys())
        for key in sorted(before[name].keys() | after[name].keys())
        if before[name].get(key) != after[name].get(key)
    ]
    return [*gone, *new, *changed]


def _as_lines(policy: Policy) -> dict[tuple[str, str], str]:
    lines = {
        ("rule", rule.name): f"{rule.name}: {', '.join(_parameters(rule)) or 'no parameters'}"
        for rule in policy.rules
    }
    lines |= {("waived", name): f"waived: {name}" for name in policy.waived}
    return lines | {("person", name): f"a person decides: {name}" for name in policy.escalate}


def _settings(rule: Rule) -> dict[str, str]:
    """Every parameter of a rule by its name; those in a table by theirs."""
    made: dict[str, str] = {}
    for field in fields(rule):  # type: ignore[arg-type]
        value = getattr(rule, field.name)
        if isinstance(value, tuple) and value and isinstance(value[0], tuple):
            made |= {f"{field.name}.{name}": _shown(one) for name, one in value}
        else:
            unset = value is None or value in ((), "")
            made[field.name] = _UNSET.get(field.name, "none") if unset else _shown(value)
    return made


def _print_tally(judged: list[Rejudged]) -> None:
    say_lines(f"\non {counted(len(judged), 'recorded run')}:")
    for (before, now), count in tally(judged).items():
        say(f"  {count:6d}  {before} -> {now}")
    harsher = sum(1 for one in judged if stricter(one))
    milder = sum(1 for one in judged if stricter(one) is False)
    say(f"  {harsher} would be judged more harshly, {milder} more mildly")
