"""``firmground preflight``: inspect a question before it is asked."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from firmground.cli._output import (
    DOES_NOT_HOLD,
    HOLDS,
    json_option,
    print_json,
    say_wrapped,
)
from firmground.config.settings import load_settings
from firmground.core.evidence import Evidence
from firmground.core.finding import Preflight, PreflightStatus
from firmground.core.question import Question
from firmground.engine.documents import preflight_document
from firmground.errors import InputError
from firmground.preflight import PreflightSettings, inspect_question
from firmground.preflight.settings import PROFILES


@click.command(short_help="Look at a question before asking it.")
@click.argument("question")
@click.option("--profile", type=click.Choice(PROFILES), help="Which signals are looked for.")
@click.option(
    "--config",
    "config_path",
    type=click.Path(path_type=Path),
    help="A settings file whose preflight table holds.",
)
@click.option("--tool", "tools", multiple=True, help="A tool that is available; repeatable.")
@click.option(
    "--evidence",
    "evidence_files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    help="A file that is attached; repeatable.",
)
@click.option("--context", default="", metavar="TEXT", help="What was said before the question.")
@click.option("--reject-broad", is_flag=True, help="Block broad and unbounded questions.")
@click.option("--block-on-contradiction", is_flag=True, help="Block contradictory questions.")
@click.option(
    "--fail-on",
    type=click.Choice(["blocked", "partial"]),
    default="blocked",
    show_default=True,
    help="From which status on the exit code is 1.",
)
@json_option
def command(
    *,
    question: str,
    profile: str | None,
    config_path: Path | None,
    tools: tuple[str, ...],
    evidence_files: tuple[str, ...],
    context: str,
    reject_broad: bool,
    block_on_contradiction: bool,
    fail_on: str,
    as_json: bool,
) -> None:
    """Inspect QUESTION before you pay for an answer; "-" reads it from standard input.

    Exit codes: 0 it may be asked (a PARTIAL one too, with a reservation; --fail-on partial makes
    that 1), 1 it is blocked, 2 inconclusive.
    """
    text = _read(question)
    settings = _settings(config_path, profile, reject_broad, block_on_contradiction)
    seen = inspect_question(
        Question(text=text, tools=tools, context=context),
        settings=settings,
        evidence=tuple(_evidence(path) for path in evidence_files),
    )
    if as_json:
        print_json(preflight_document(seen, settings))
    else:
        for line in _lines(seen, text):
            say_wrapped(line, hang=2)
    fails = {PreflightStatus.BLOCKED}
    if fail_on == "partial":
        fails.add(PreflightStatus.PARTIAL)
    sys.exit(DOES_NOT_HOLD if seen.status in fails else HOLDS)


def _settings(
    path: Path | None, profile: str | None, reject_broad: bool, block_on_contradiction: bool
) -> PreflightSettings:
    """The file's settings, or none; what is said on the command line comes on top."""
    base = load_settings(path).preflight if path else PreflightSettings()
    return replace(
        base,
        profile=profile or base.profile,
        reject_broad=reject_broad or base.reject_broad,
        block_on_contradiction=block_on_contradiction or base.block_on_contradiction,
    )


def _read(question: str) -> str:
    return sys.stdin.read() if question == "-" else question


def _evidence(path: str) -> Evidence:
    raw = Path(path).read_bytes()
    try:
        return Evidence(text=raw.decode("utf-8"), origin=path)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from None


def _lines(seen: Preflight, text: str) -> list[str]:
    quantifier = dict(seen.quantifier)
    lines = [f"{seen.status.value}  confidence {seen.confidence:.2f}  profile {seen.profile}"]
    lines += [f"  {reason}" for reason in seen.reasons]
    for signal in seen.signals:
        quoted = ", ".join(f'"{text[a:b]}" [{a}:{b}]' for a, b in signal.spans)
        how = "how the whole is put: " if signal.name == "wording" else ""
        lines.append(f"  {signal.name}  -{signal.penalty:.2f}  {how}{quoted}")
    lines.append(
        f"  asks for {quantifier['intensity']}, scope {quantifier['scope_bound_hint']}, "
        f"shape {quantifier['operational_shape']}"
    )
    if seen.question_state:
        lines.append(f"  question is {', '.join(seen.question_state)}")
    return lines
