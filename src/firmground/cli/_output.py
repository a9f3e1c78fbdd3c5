"""What all commands share about talking to a person or a program."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from typing import Any

import click

_WIDEST = 100
HOLDS = 0
DOES_NOT_HOLD = 1
COULD_NOT_TELL = 2
LET_PASS = 3
"""It goes out though a rule objected: the policy waived the objection, or a person overruled it."""

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead."
)


def print_json(document: Any) -> None:
    """Print one JSON document, readable and stable; escaped where the output knows no Unicode."""
    text = json.dumps(document, indent=2, sort_keys=False, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(document, indent=2, sort_keys=False)
    click.echo(_inert(text) if sys.stdout.isatty() else text)


def _inert(text: str) -> str:
    """The same JSON with what a terminal could act on, or hide, spelled as escapes."""
    return "".join(
        character if character.isprintable() or character == "\n" else json.dumps(character)[1:-1]
        for character in text
    )


def plain(text: str) -> str:
    """The text with everything a terminal could act on, or hide, made visible."""
    return "".join(character if character.isprintable() else "\u00b7" for character in text)


def plain_lines(text: str) -> str:
    """The same for a text of several lines, which stay lines."""
    return "\n".join(map(plain, text.split("\n")))


def say(line: str, *, err: bool = False) -> None:
    """Print one line for people; whoever wrote parts of it, it stays one and does nothing."""
    click.echo(_folded_for(plain(line), err=err), err=err)


def say_lines(text: str, *, err: bool = False, nl: bool = True) -> None:
    """The same for a text of several lines, which stay lines."""
    lines = (_folded_for(line, err=err) for line in plain_lines(text).split("\n"))
    click.echo("\n".join(lines), err=err, nl=nl)


def folded(line: str, width: int) -> str:
    """A long line at its blanks, further lines hanging a little further in than the first."""
    if len(line) <= width:
        return line
    margin = len(line) - len(line.lstrip())
    made = textwrap.wrap(
        line.strip(),
        width,
        initial_indent=" " * margin,
        subsequent_indent=" " * (margin + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(made)


def _folded_for(line: str, *, err: bool) -> str:
    """Folded for whoever sits at a terminal; for a file or a program a line stays one."""
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        return line
    return folded(line, min(_WIDEST, shutil.get_terminal_size().columns))


def hand_over(text: str) -> None:
    """Print a document as it is, for a file or another program; on a terminal as for people."""
    shown = plain_lines(text) if sys.stdout.isatty() else text
    click.echo(shown, nl=False, color=True)  # else click takes out what looks like a colour


def complain(message: str) -> None:
    """Say on standard error what went wrong; whoever wrote the message, no terminal acts on it."""
    click.echo(_folded_for(plain(f"firmground: {message}"), err=True), err=True)


def counted(number: int, word: str, many: str | None = None) -> str:
    """A number with its noun: ``1 run``, ``2 runs``."""
    return f"{number} {word if number == 1 else many or word + 's'}"
