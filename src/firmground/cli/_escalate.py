"""Puts an escalated case to the person at the terminal."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from firmground.cli._output import (
    plain_lines,
    say,
    say_lines,
)
from firmground.core.escalation import Choice, Escalation, Ruling

_MEANS = {
    Choice.RETRY: "try once more, within what is left of the budget",
    Choice.AMEND: "try once more with a prompt of your own",
    Choice.SKIP: "release the answer, marked as not vouched for (exit code 3)",
    Choice.ABORT: "withhold it (exit code 1)",
}


def is_interactive() -> bool:
    """True when a person can read the question and type a reply."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_at_terminal(case: Escalation) -> Ruling | None:
    """Ask the person at the terminal; Ctrl-C withholds, an ended input leaves the case open."""
    _show(case)
    with _interruptible():
        try:
            return _asked(case)
        except (KeyboardInterrupt, click.Abort) as error:
            ended = isinstance(error.__cause__ or error.__context__, EOFError)
            say("", err=True)
            return None if ended else Ruling(choice=Choice.ABORT, note="interrupted")


def _show(case: Escalation) -> None:
    say_lines("\nA PERSON MUST DECIDE", err=True)
    for objection in case.reasons:
        say(f"  - {objection.rule}: {objection.reason}", err=True)
    if case.answer is not None:
        told = "\n".join("  | " + line for line in plain_lines(case.answer).split("\n"))
        say_lines(f"  the best answer of {case.attempts}:\n{told}", err=True)
    for choice in case.choices:
        say(f"  {choice:<6} {_MEANS[choice]}", err=True)


def _asked(case: Escalation) -> Ruling:
    offered = click.Choice([str(choice) for choice in case.choices], case_sensitive=False)
    choice = Choice(click.prompt("what now", type=offered, err=True))
    if choice is Choice.AMEND:
        return Ruling(choice=choice, prompt=click.prompt("prompt", err=True))
    if choice is Choice.RETRY:
        return Ruling(choice=choice)
    note = click.prompt("why (goes into the record)", default="", show_default=False, err=True)
    return Ruling(choice=choice, note=note)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C reach the prompt; the event loop would swallow the first one."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
