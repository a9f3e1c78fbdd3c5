"""Reading verifier keys that a person typed, or keeps in a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click

from firmground.errors import InputError
from firmground.ledger.keyring import KeyTerm, parse_trusted
from firmground.ledger.keys import KeyKind, VerifierKey

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def duration(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    """Read a duration such as 90s, 30m, 24h or 7d."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d+)([smhd])", value)
    if found is None:
        raise click.BadParameter("a duration reads 90s, 30m, 24h or 7d")
    return float(int(found[1]) * _UNITS[found[2]])


max_age_option = click.option(
    "--max-age",
    callback=duration,
    metavar="DURATION",
    help="How old a witness's cosignature may be, such as 24h or 7d; any age, if not given.",
)


def read_keys(values: Sequence[str], kind: KeyKind, option: str) -> tuple[VerifierKey, ...]:
    """Keys given as text or as files with one key a line; every one must be of this kind."""
    found = read_trusted(values, kind, option)
    return tuple(dict.fromkeys(key.key if isinstance(key, KeyTerm) else key for key in found))


def read_log_keys(
    values: Sequence[str], option: str
) -> tuple[tuple[VerifierKey, ...], tuple[KeyTerm, ...]]:
    """The keys of logs that were given bare, and those with terms (as ``keys list --terms``)."""
    found = read_trusted(values, KeyKind.NOTE, option)
    terms = tuple(key for key in found if isinstance(key, KeyTerm))
    bounded = {term.key for term in terms}
    bare = (key for key in found if isinstance(key, VerifierKey) and key not in bounded)
    return tuple(bare), terms


def read_trusted(
    values: Sequence[str], kind: KeyKind, option: str
) -> tuple[VerifierKey | KeyTerm, ...]:
    """Keys, each bare or with its term, given as text or as files with one key a line."""
    found: list[VerifierKey | KeyTerm] = []
    for value in values:
        for where, text in _texts(value, option):
            if text.startswith("PRIVATE+KEY+"):
                raise InputError(f"{where}: this is a secret key; {option} takes the public one")
            try:
                read = parse_trusted(text)
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
            key = read.key if isinstance(read, KeyTerm) else read
            if key.kind is not kind:
                raise InputError(f"{where}: {option} takes keys of kind 0x{kind:02x}, not {key}")
            found.append(read)
    return tuple(dict.fromkeys(found))


def _texts(value: str, option: str) -> list[tuple[str, str]]:
    path = Path(value)
    try:
        if not path.is_file():
            return [(option, value)]
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InputError(f"{option} {value}: {error}") from None
    kept = [(f"{value}:{n}", line.strip()) for n, line in enumerate(lines, 1)]
    keys = [(where, text) for where, text in kept if text and not text.startswith("#")]
    if not keys:
        raise InputError(f"{value} holds no key")
    return keys
