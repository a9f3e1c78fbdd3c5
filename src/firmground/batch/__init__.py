"""Checks many rows, in order on the outside and concurrently inside."""

from __future__ import annotations

from firmground.batch.rows import BatchSummary, run_batch
from firmground.batch.sources import RowSource
from firmground.batch.worker_pool import cores, side_by_side

__all__ = ["BatchSummary", "RowSource", "cores", "run_batch", "side_by_side"]
