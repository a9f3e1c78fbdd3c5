"""Write the test split into the package: `python corpus/pack.py`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TARGET = ROOT.parent / "src" / "firmground" / "bench" / "data" / "everyday-test.jsonl.gz"


def packed() -> bytes:
    """The sets of the test split as one compressed file, the same bytes every time."""
    splits = json.loads((ROOT / "everyday" / "splits.json").read_text("utf-8"))
    text = "".join(
        (ROOT / "everyday" / f"{batch}.jsonl").read_text("utf-8")
        for batch, split in splits.items()
        if split == "test"
    )
    return gzip.compress(text.encode("utf-8"), 9, mtime=0)


if __name__ == "__main__":
    TARGET.write_bytes(packed())
    print(TARGET, TARGET.stat().st_size)
