"""The ledger in one SQLite file, through apsw."""

from __future__ import annotations

from firmground.adapters.sqlite.connection import Sharing
from firmground.adapters.sqlite.store import SqliteStore

__all__ = ["Sharing", "SqliteStore"]
