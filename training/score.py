"""Score a slice ahead of fitting, in shares: `python -m training.score fuse --share 0/2`."""

from __future__ import annotations

import argparse
from pathlib import Path

from firmground.verify.neural import NeuralScorer
from training import corpus
from training.paths import MODEL_DIR, state_dir
from training.scoring import PART, refresh, score_all


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("slice", choices=["fuse", "dev"])
    parser.add_argument("--directory", type=Path, default=MODEL_DIR)
    parser.add_argument("--cache", default="main")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--share", default="0/1", help="which of how many shares of the parts")
    parser.add_argument("--refresh", action="store_true", help="redo only the lexical scores")
    chosen = parser.parse_args()
    mine, shares = (int(part) for part in chosen.share.split("/"))
    responses = corpus.sample(list(corpus.responses(chosen.slice)), chosen.limit)
    scorer = NeuralScorer(chosen.directory)
    cache = state_dir() / "scores" / chosen.cache / chosen.slice
    for number, start in enumerate(range(0, len(responses), PART)):
        if number % shares == mine:
            part = responses[start : start + PART]
            if chosen.refresh:
                refresh(part, scorer, cache / f"part-{start:06d}.pickle")
            else:
                score_all(part, scorer, cache, first=start)
            print(f"{min(start + PART, len(responses))}/{len(responses)}", flush=True)


if __name__ == "__main__":
    main()
