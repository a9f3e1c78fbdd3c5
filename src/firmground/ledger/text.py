"""The small spellings that every ledger format shares, each with exactly one accepted form."""

from __future__ import annotations

import base64
import binascii
import re

from firmground.errors import InputError

MAX_COUNT = (1 << 63) - 1
_COUNT = re.compile(r"(?:0|[1-9][0-9]{0,18})\Z")
_HEX = re.compile(r"(?:[0-9a-f]{2})+\Z")


def b64(data: bytes) -> str:
    """Write standard base64 with padding."""
    return base64.b64encode(data).decode("ascii")


def unb64(text: str, what: str) -> bytes:
    """Read base64 that is spelled the one canonical way; ``what`` names it in the error."""
    try:
        data = binascii.a2b_base64(text.encode("ascii"), strict_mode=True)
    except (UnicodeEncodeError, binascii.Error):
        raise InputError(f"{what} is not base64") from None
    if b64(data) != text:
        raise InputError(f"{what} is base64, but not in its canonical spelling")
    return data


def count(text: str, what: str) -> int:
    """Read a decimal number without sign or leading zeroes, below 2**63."""
    if not _COUNT.match(text):
        raise InputError(f"{what} is not a plain decimal number: {text[:32]!r}")
    number = int(text)
    if number > MAX_COUNT:
        raise InputError(f"{what} is beyond 2**63 - 1")
    return number


def unhex(text: str, what: str, size: int = 32) -> bytes:
    """Read lower-case hexadecimal of exactly ``size`` bytes."""
    if len(text) != 2 * size or not _HEX.match(text):
        raise InputError(f"{what} is not {2 * size} lower-case hexadecimal digits")
    return bytes.fromhex(text)
