"""Many rows, one after another on the outside and side by side within."""

from __future__ import annotations

from firmground.batch.crew import cores, side_by_side
from firmground.batch.rows import Tally, run_batch

__all__ = ["Tally", "cores", "run_batch", "side_by_side"]
