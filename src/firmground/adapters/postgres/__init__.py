"""The ledger in a PostgreSQL database, through asyncpg."""

from __future__ import annotations

from firmground.adapters.postgres.store import PostgresStore
from firmground.adapters.postgres.target import DatabaseTarget, parse_target

__all__ = ["DatabaseTarget", "PostgresStore", "parse_target"]
