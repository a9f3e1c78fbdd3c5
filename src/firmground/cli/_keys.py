"""Reading verifier keys that a person typed, or keeps in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firmground.errors import InputError
from firmground.ledger.keys import KeyKind, VerifierKey, parse_verifier


def read_keys(values: Sequence[str], kind: KeyKind, option: str) -> tuple[VerifierKey, ...]:
    """Keys given as text or as files with one key a line; every one must be of this kind."""
    found: list[VerifierKey] = []
    for value in values:
        for where, text in _texts(value, option):
            if text.startswith("PRIVATE+KEY+"):
                raise InputError(f"{where}: this is a secret key; {option} takes the public one")
            try:
                key = parse_verifier(text)
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
            if key.kind is not kind:
                raise InputError(f"{where}: {option} takes keys of kind 0x{kind:02x}, not {key}")
            found.append(key)
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
