"""Bytes to text, with errors that name the place."""

from __future__ import annotations

import codecs
from pathlib import Path

from firmground.adapters.evidence.limits import ReadLimits
from firmground.core.lazy_pattern import lazy_pattern
from firmground.errors import InputError

_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# How files begin that are no text, whatever they are called; no text begins like this.
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "gzip data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"),
    (b"\x00asm", "a program"),
)
_LOOKED_AT = 4096
_CONTROL = lazy_pattern(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MOST_CONTROLS = 0.01
_FEWEST_CONTROLS = 3


def read_file(path: Path, limits: ReadLimits) -> bytes:
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


def within(data: bytes, where: str, limits: ReadLimits) -> bytes:
    """Pass bytes on that are neither nothing nor too much."""
    if len(data) > limits.max_bytes:
        raise InputError(f"{where}: larger than {limits.max_bytes} bytes")
    if not data.strip():
        raise InputError(f"{where}: empty")
    return data


def decode(data: bytes, where: str, encoding: str = "utf-8") -> tuple[str, int]:
    """Return the text and where it begins in the decoded original (1 after a byte order mark)."""
    name = next((wide for mark, wide in _WIDE if data.startswith(mark)), encoding)
    _refuse_signature(data, where)
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if b"\0" in data[:_LOOKED_AT]:
            raise InputError(f"{where}: zero bytes; this is binary data, not text") from None
        raise InputError(
            f"{where}: line {line}: byte {error.start} (0x{data[error.start]:02x}) is not {name}; "
            "name the encoding if it is another one (--encoding)"
        ) from None
    except LookupError:
        raise InputError(f"{where}: the encoding {encoding!r} is unknown") from None
    refuse_binary(text, where)
    begin = 1 if text.startswith("\ufeff") else 0
    if not text[begin:].strip():
        raise InputError(f"{where}: empty")
    return text[begin:], begin


def _refuse_signature(data: bytes, where: str) -> None:
    """Refuse what begins as an image, an archive or a program does."""
    for begin, what in _SIGNATURES:
        if data.startswith(begin):
            raise InputError(f"{where}: {what}; this is binary data, not text")


def refuse_binary(text: str, where: str) -> None:
    """Refuse text that is really an image, an archive or other junk."""
    zero = text.find("\0")
    if zero >= 0:
        line = text.count("\n", 0, zero) + 1
        raise InputError(f"{where}: line {line}: a zero byte; this is binary data, not text")
    if len(_CONTROL.findall(text)) > max(_FEWEST_CONTROLS, _MOST_CONTROLS * len(text)):
        raise InputError(f"{where}: too many control characters; this is binary data, not text")
