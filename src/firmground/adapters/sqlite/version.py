"""SQLite versions that several connections may share.

Versions 3.7.0 to 3.51.2 can corrupt a database in WAL mode when two connections write or checkpoint
at the same moment. 3.51.3 has the fix, 3.50.7 has it on its branch.
"""

from __future__ import annotations

from firmground.errors import UnsafeSQLite

FIXED = (3, 51, 3)
FIXED_ON_BRANCH = (3, 50, 7)


def parse_version(text: str) -> tuple[int, int, int]:
    """Read ``3.51.3``; anything else is refused, since it cannot be compared."""
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise UnsafeSQLite(f"SQLite calls itself {text!r}, which is not a version like 3.51.3")
    major, minor, patch = (int(part) for part in parts)
    return major, minor, patch


def may_be_shared(version: tuple[int, int, int]) -> bool:
    """True when several connections may write a WAL database with this version."""
    return version >= FIXED or (version[:2] == FIXED_ON_BRANCH[:2] and version >= FIXED_ON_BRANCH)


def require_shareable(text: str) -> None:
    """Refuse a SQLite that can corrupt a log that several connections open."""
    if not may_be_shared(parse_version(text)):
        raise UnsafeSQLite(
            f"SQLite {text} can corrupt a log that several processes write; "
            "use 3.51.3 or later (or 3.50.7), or open the log with sharing='one'"
        )
