"""``firmground hooks``: list, run and describe hooks."""

from __future__ import annotations

import asyncio
import sys
from inspect import cleandoc
from pathlib import Path

import click

from firmground.adapters.hooks.build import KINDS, HookKind, plugins
from firmground.adapters.hooks.keys import COMMON_KEYS, OptionKey
from firmground.cli._listing import Listing
from firmground.cli._output import (
    COULD_NOT_TELL,
    DOES_NOT_HOLD,
    HOLDS,
    columns,
    json_option,
    print_json,
    say,
    say_lines,
    say_wrapped,
)
from firmground.cli._sources import read_pairs
from firmground.config.settings import FILE, Settings, load_settings
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, HookReply
from firmground.core.ports import HookCase
from firmground.core.question import Question
from firmground.engine.hook_settings import built, engine_of
from firmground.errors import InputError, did_you_mean
from firmground.hooks import Phase, Registered, summarise
from firmground.hooks.foreign import ForeignHook
from firmground.hooks.registered import DEFAULT_TIMEOUT_SECONDS

_config = click.option(
    "--config",
    "config_path",
    type=click.Path(path_type=Path),
    default=FILE,
    show_default=True,
    help="The settings file, TOML or YAML.",
)

_COMMON_DEFAULTS = {
    "type": "required",
    "phase": 'default "after"',
    "timeout_seconds": f"default {DEFAULT_TIMEOUT_SECONDS:g}",
}


@click.group("hooks", cls=Listing)
def command() -> None:
    """Run hooks: external checks such as files, databases, HTTP APIs, commands and arithmetic."""


@command.command("list")
@_config
@json_option
def list_command(*, config_path: Path, as_json: bool) -> None:
    """List the hooks that the settings name."""
    hooks = built(_settings(config_path))
    if as_json:
        print_json([_row(hook) for hook in hooks])
        return
    rows = [("NAME", "ASKED", "WITHIN", "RUNS", "KIND"), *map(_cells, hooks)]
    for line in columns(rows):
        say(line)


@command.command("run")
@_config
@click.option("--answer", help='The answer to check; "-" reads standard input.')
@click.option("--question", help="The question it answers.")
@click.option("--evidence", "evidence_files", multiple=True, type=click.Path(path_type=Path))
@click.option("--meta", "metadata", multiple=True, metavar="KEY=VALUE", help="Repeatable.")
@click.option("--id", "job_id", default="", metavar="NAME", help="Your name for the job.")
@click.option("--output-file", "output_files", multiple=True, metavar="PATH", help="Repeatable.")
@click.option("--phase", type=click.Choice(["before", "after"]), default="after")
@click.option("--only", multiple=True, help="Ask only the hook of this name; repeatable.")
@json_option
def run_command(
    *,
    config_path: Path,
    answer: str | None,
    question: str | None,
    evidence_files: tuple[Path, ...],
    metadata: tuple[str, ...],
    job_id: str,
    output_files: tuple[str, ...],
    phase: str,
    only: tuple[str, ...],
    as_json: bool,
) -> None:
    """Ask the hooks about an answer.

    Exit codes: 0 all said yes; 1 one said no, whatever the others said; 2 none said no, but one
    could not be asked or found nothing of its kind, or none was asked.
    """
    engine = engine_of(_settings(config_path), only=only)
    case = HookCase(
        question=Question(text=question) if question else None,
        answer=sys.stdin.read() if answer == "-" else answer,
        evidence=tuple(_evidence(path) for path in evidence_files),
        metadata=read_pairs(metadata),
        job_id=job_id,
        output_files=output_files,
    )
    replies = asyncio.run(engine.run(case, phase=Phase(phase)))
    if as_json:
        print_json([as_document(reply) for reply in replies])
    else:
        for reply in replies:
            for line in filter(None, (_line(reply), _repair(reply))):
                say_wrapped(line, hang=9 if line[0] != " " else 2)
        if not replies:
            say(f"no hook is asked {phase} the answer", err=True)
        else:
            say_wrapped(summarise(replies).message)
    sys.exit(exit_code(replies))


@command.command("explain")
@click.argument("kind", required=False)
def explain_command(*, kind: str | None) -> None:
    """Explain a KIND of hook, or list the kinds there are."""
    offered = plugins()
    if kind is None:
        for one in KINDS.values():
            say_wrapped(f"{one.name:15} {_about(one).splitlines()[0]}", hang=16)
        for name, point in sorted(offered.items()):
            say_wrapped(f"{name:15} offered by {point.value}", hang=16)
        return
    if kind in KINDS:
        _explain(KINDS[kind])
    elif kind in offered:
        say(f"{kind} is offered by {offered[kind].value}; it runs in a worker process.")
    else:
        near = did_you_mean(kind, [*KINDS, *offered])
        known = ", ".join([*KINDS, *offered])
        raise InputError(f"{kind!r} is not a kind of hook{near}; there are {known}")


def _explain(kind: HookKind) -> None:
    say(kind.name)
    for paragraph in _about(kind).split("\n\n"):
        say("")
        say_wrapped(" ".join(paragraph.split()))
    say_lines("\nKeys:")
    for key in kind.keys:
        _explain_key(key, kind.default(key.name))
    say("Keys of every hook:")
    for key in COMMON_KEYS:
        _explain_key(key, _COMMON_DEFAULTS.get(key.name, ""))
    say("docs/hooks.md has an example of each kind.")


def _explain_key(key: OptionKey, default: str) -> None:
    holds = ", ".join(filter(None, (key.holds, default)))
    say(f"  {key.name}  ({holds})")
    say_wrapped(f"      {key.about}")


def _settings(path: Path) -> Settings:
    if not path.exists():
        raise InputError(
            f"{path}: there is no such file; name your settings with --config, "
            "`firmground hooks explain` says what they may hold"
        )
    return load_settings(path)


def _about(kind: HookKind) -> str:
    return cleandoc(kind.about).replace("``", "`")


def exit_code(replies: tuple[HookReply | Fault, ...]) -> int:
    """A failure outweighs a fault, a fault outweighs a pass, and no hooks at all is not a pass."""
    if any(isinstance(reply, HookReply) and not reply.passed for reply in replies):
        return DOES_NOT_HOLD
    if not replies or any(isinstance(reply, Fault) for reply in replies):
        return COULD_NOT_TELL
    return HOLDS


def as_document(reply: HookReply | Fault) -> dict[str, object]:
    """One reply for ``--json``."""
    if isinstance(reply, Fault):
        return {
            "hook": reply.source,
            "outcome": "fault",
            "kind": reply.kind.value,
            "message": reply.message,
            "version": reply.version,
            "escalate": reply.escalate,
            "at": reply.at,
        }
    return {
        "hook": reply.source,
        "outcome": "passed" if reply.passed else "refused",
        "message": reply.message,
        "confidence": reply.confidence,
        "details": [list(pair) for pair in reply.details],
        "guidance": reply.guidance,
        "version": reply.version,
        "asked": reply.asked,
        "replied": reply.replied,
        "escalate": reply.escalate,
        "at": reply.at,
    }


def _line(reply: HookReply | Fault) -> str:
    if isinstance(reply, Fault):
        return f"fault    {reply.source}: {reply.kind.value}: {reply.message}"
    said = "passed " if reply.passed else "refused"
    return f"{said}  {reply.source}: {reply.message}"


def _repair(reply: HookReply | Fault) -> str:
    """The guidance for a failure, when the hook gives one."""
    if isinstance(reply, Fault) or reply.passed or not reply.guidance:
        return ""
    return f"         to repair it: {reply.guidance}"


def _kind(hook: Registered) -> str:
    """The class of a hook; for a third-party hook, the name that its worker reported."""
    return hook.hook.kind if isinstance(hook.hook, ForeignHook) else type(hook.hook).__name__


def _row(hook: Registered) -> dict[str, object]:
    return {
        "name": hook.name,
        "type": _kind(hook),
        "phase": hook.phase.value,
        "timeout_seconds": hook.timeout_seconds,
        "target": hook.target,
        "inline": hook.inline,
        "version": hook.version,
        "escalate": hook.escalate,
    }


def _cells(hook: Registered) -> tuple[str, ...]:
    where = "inline" if hook.inline else "worker"
    kind = next((k.name for k in KINDS.values() if k.hook is type(hook.hook)), _kind(hook))
    seconds = f"{hook.timeout_seconds:g} s"
    return hook.name, hook.phase.value, seconds, where, f"{kind} {hook.version}".rstrip()


def _evidence(path: Path) -> Evidence:
    try:
        return Evidence(text=path.read_text("utf-8"), origin=str(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from None
