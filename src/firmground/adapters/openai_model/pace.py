"""Rate limits and retry delays, computed without a clock."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after_seconds(header: str | None, *, now: datetime | None = None) -> float | None:
    """Read a Retry-After header, in seconds or as a date; None when it says nothing usable."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        return _until(header, now or datetime.now(UTC))
    return seconds if 0 <= seconds < float("inf") else None


def _until(header: str, now: datetime) -> float | None:
    try:
        then = parsedate_to_datetime(header)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - now).total_seconds())


def backoff_seconds(
    attempt: int, *, retry_after: float | None, base: float, most: float, jitter: float
) -> float:
    """How long to wait before try ``attempt + 1``; ``jitter`` in [0, 1) spreads the herd.

    A server's own word is never undercut; it is the caller who gives up when it is too long.
    """
    if retry_after is not None:
        return retry_after
    return min(most, base * 2.0**attempt) * (0.5 + jitter / 2)


class Pacer:
    """Spaces calls evenly under a limit per minute; the caller passes the time."""

    def __init__(self, *, per_minute: float | None) -> None:
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0

    def wait_seconds(self, now: float) -> float:
        """Book the next slot and say how long until it comes."""
        slot = max(now, self._next)
        self._next = slot + self._gap
        return slot - now
