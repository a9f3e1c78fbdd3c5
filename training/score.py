"""Score a slice ahead of fitting: `python -m training.score fuse [--refresh] [--workers 2]`.

A part that the same weights have scored is not scored again; `--refresh` redoes the checks and
the lexical scores, which the weights' digest says nothing about.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from training import corpus
from training.paths import MODEL_DIR, state_dir
from training.scoring import score_all


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("slice", choices=["fuse", "dev"])
    parser.add_argument("--directory", type=Path, default=MODEL_DIR)
    parser.add_argument("--cache", default="main")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--refresh", action="store_true", help="redo checks and lexical scores")
    chosen = parser.parse_args()
    responses = corpus.sample(list(corpus.responses(chosen.slice)), chosen.limit)
    cache = state_dir() / "scores" / chosen.cache / (chosen.slice + str(chosen.limit or ""))
    if chosen.refresh:
        for kept in cache.parent.glob("pairs-*.pickle"):
            kept.unlink()
    scored = score_all(
        responses, chosen.directory, cache, refresh=chosen.refresh, workers=chosen.workers
    )
    claims = sum(len(one.claims) for one in scored)
    print(f"{len(scored)} answers, {claims} claims in {cache}")


if __name__ == "__main__":
    main()
