"""What all commands share about talking to a person or a program."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

import click

_WIDEST = 100
HOLDS = 0
DOES_NOT_HOLD = 1
COULD_NOT_TELL = 2
WIDTH = 80
WAIVED = 3
"""It goes out though a rule objected: the policy waived the objection, or a person overruled it."""

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead."
)


def print_json(document: Any) -> None:
    """Print one JSON document, readable and stable; escaped where the output knows no Unicode."""
    text = _spans_in_line(json.dumps(document, indent=2, sort_keys=False, ensure_ascii=False))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = _spans_in_line(json.dumps(document, indent=2, sort_keys=False))
    click.echo(_inert(text) if sys.stdout.isatty() else text)


_SPAN = re.compile(r"\[\n\s+(-?\d+),\n\s+(-?\d+)\n\s+\]")
_SPANS = re.compile(r"\[\n\s+(\[-?\d+, -?\d+\](?:,\n\s+\[-?\d+, -?\d+\])*)\n\s+\]")


def _spans_in_line(text: str) -> str:
    """The same JSON with pairs of whole numbers in one line; no text in it has a line break."""
    pairs = _SPAN.sub(r"[\1, \2]", text)
    return _SPANS.sub(lambda found: "[" + re.sub(r",\n\s+", ", ", found[1]) + "]", pairs)


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
    """Print one line; control characters in it are made visible, so it stays one line."""
    click.echo(_folded_for(plain(line), err=err), err=err)


def say_wrapped(line: str, *, hang: int = 0) -> None:
    """Print one line for people, wrapped to the width; what follows the first hangs further in."""
    margin = " " * (len(line) - len(line.lstrip(" ")))
    pieces = textwrap.wrap(
        plain(line.strip()),
        WIDTH,
        initial_indent=margin,
        subsequent_indent=margin + " " * hang,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
    for piece in pieces or [""]:
        click.echo(piece)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines, their cells below each other; the first row is the header."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


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
    """Wrapped for a terminal; for a file or a program a line stays one line."""
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        return line
    return folded(line, min(_WIDEST, shutil.get_terminal_size().columns))


def hand_over(text: str) -> None:
    """Print a document as it is, for a file or another program; on a terminal as for people."""
    shown = plain_lines(text) if sys.stdout.isatty() else text
    click.echo(shown, nl=False, color=True)  # else click takes out what looks like a colour


def complain(message: str) -> None:
    """Print an error on standard error, with control characters made visible."""
    click.echo(_folded_for(plain(f"firmground: {message}"), err=True), err=True)


def counted(number: int, word: str, many: str | None = None) -> str:
    """A number with its noun: ``1 run``, ``2 runs``."""
    return f"{number} {word if number == 1 else many or word + 's'}"
