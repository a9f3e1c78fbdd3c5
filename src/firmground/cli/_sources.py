"""Where the command line finds what is to be checked."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from firmground.adapters.document import answer_from_value, question_from_value, read_request
from firmground.adapters.evidence import Skipped, load_source
from firmground.adapters.evidence.decode import decode, read_file, within
from firmground.adapters.evidence.limits import ReadLimits, SourceLabel
from firmground.adapters.evidence.load import named_path, names_file
from firmground.errors import InputError
from firmground.pipeline.request import Mode, Request


def read_text(source: str, what: str, encoding: str = "utf-8") -> str:
    """Return the text that an argument is or names: ``-``, ``@file``, a path, or words."""
    limits = ReadLimits()
    if source == "-":
        data = within(sys.stdin.buffer.read(limits.max_bytes + 1), f"stdin ({what})", limits)
        return decode(data, "stdin", encoding)[0]
    if names_file(source):
        path = named_path(source)
        return decode(read_file(path, limits), str(path), encoding)[0]
    return source


def read_document(source: str) -> Request:
    """Read one JSON document from a file or standard input."""
    limits = ReadLimits(max_bytes=ReadLimits().max_total_bytes)
    if source == "-":
        data = within(sys.stdin.buffer.read(limits.max_bytes + 1), "stdin", limits)
    else:
        data = read_file(Path(source.removeprefix("@")), limits)
    where = "stdin" if source == "-" else source.removeprefix("@")
    return read_request(decode(data, where)[0], where)


def read_pairs(pairs: Iterable[str], option: str = "--meta") -> tuple[tuple[str, str], ...]:
    """Read ``KEY=VALUE`` arguments."""
    made = []
    for text in pairs:
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise InputError(f"{option} {text!r} must be KEY=VALUE")
        made.append((key, value))
    return tuple(made)


def read_arguments(
    *,
    question: str | None,
    answer: str | None,
    evidence: Iterable[str],
    label: SourceLabel,
    fetch: bool,
    private: bool = False,
    mode: Mode = Mode.PROSE,
    **told: Any,
) -> tuple[Request, tuple[Skipped, ...]]:
    """Build a request from separate arguments, and list what was left out.

    ``told`` is the id, metadata and output files, which hooks see.
    """
    sources = tuple(evidence)
    if answer is None:
        if sys.stdin.isatty():
            raise click.UsageError("name the answer with --answer, or pipe it in")
        answer = "-"
    if not sources:
        raise click.UsageError("name at least one piece of evidence with --evidence")
    if [question, answer, *sources].count("-") > 1:
        raise click.UsageError("standard input can be read only once")
    loaded = [load_source(source, label, fetch=fetch, private=private) for source in sources]
    skipped = tuple(skipped for one in loaded for skipped in one.skipped)
    request = Request(
        answer=answer_from_value(read_text(answer, "answer", label.encoding)),
        question=None
        if question is None
        else question_from_value(read_text(question, "question", label.encoding)),
        evidence=tuple(piece for one in loaded for piece in one.evidence),
        mode=mode,
        unread=tuple(one.origin for one in skipped),
        **told,
    )
    return request, skipped
