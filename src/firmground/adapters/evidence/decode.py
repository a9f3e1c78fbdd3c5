"""Bytes to text, with errors that name the place."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from firmground.adapters.evidence.limits import Limits
from firmground.errors import InputError

_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MOST_CONTROLS = 0.02


def read_file(path: Path, limits: Limits) -> bytes:
    """Return a regular file's bytes, or say why they cannot be had."""
    try:
        if not path.is_file():
            what = "a folder" if path.is_dir() else "not a regular file"
            raise InputError(f"{path}: {what if path.exists() else 'no such file'}")
        with path.open("rb") as handle:
            data = handle.read(limits.max_bytes + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {reason}") from None
    return within(data, str(path), limits)


def within(data: bytes, where: str, limits: Limits) -> bytes:
    """Pass bytes on that are neither nothing nor too much."""
    if len(data) > limits.max_bytes:
        raise InputError(f"{where}: larger than {limits.max_bytes} bytes")
    if not data.strip():
        raise InputError(f"{where}: empty")
    return data


def decode(data: bytes, where: str, encoding: str = "utf-8") -> tuple[str, int]:
    """Return the text and where it begins in the decoded original (1 after a byte order mark)."""
    name = next((wide for mark, wide in _WIDE if data.startswith(mark)), encoding)
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{where}: line {line}: byte {error.start} (0x{data[error.start]:02x}) is not {name}; "
            "name the encoding if it is another one"
        ) from None
    except LookupError:
        raise InputError(f"{where}: the encoding {encoding!r} is unknown") from None
    refuse_binary(text, where)
    begin = 1 if text.startswith("\ufeff") else 0
    if not text[begin:].strip():
        raise InputError(f"{where}: empty")
    return text[begin:], begin


def refuse_binary(text: str, where: str) -> None:
    """Refuse text that is really an image, an archive or other junk."""
    zero = text.find("\0")
    if zero >= 0:
        line = text.count("\n", 0, zero) + 1
        raise InputError(f"{where}: line {line}: a zero byte; this is binary data, not text")
    if len(_CONTROL.findall(text)) > max(8, _MOST_CONTROLS * len(text)):
        raise InputError(f"{where}: too many control characters; this is binary data, not text")
