"""Names and times for new records."""

from __future__ import annotations

import secrets
import uuid
from datetime import UTC, datetime

from firmground.errors import InputError


def utc_now() -> datetime:
    """The time this machine believes it is."""
    return datetime.now(UTC)


def time_text(moment: datetime) -> str:
    """Write a time as entries hold it: UTC, six decimals."""
    if moment.tzinfo is None:
        raise InputError(f"a time needs its zone, got {moment!r}")
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return utc.isoformat(timespec="microseconds")[: -len("+00:00")] + "Z"


def uuid7(moment: datetime) -> str:
    """A run id that sorts by time: RFC 9562 version 7 with 74 random bits."""
    milliseconds = int(moment.timestamp() * 1000)
    if not 0 <= milliseconds < 1 << 48:
        raise InputError(f"a run id cannot carry the time {moment!r}")
    bits = milliseconds << 80 | 0x7 << 76 | secrets.randbits(12) << 64
    return str(uuid.UUID(int=bits | 0b10 << 62 | secrets.randbits(62)))
