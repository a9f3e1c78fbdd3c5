"""Draw the reliability curve from a benchmark's figures: `python -m training.reliability f.json`.

`f.json` comes from `python benchmarks/quality_neural.py --json f.json`; the picture is
training/reliability.png.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib
import numpy as np

from training.paths import REPOSITORY

matplotlib.use("Agg")
BINS = 10


def main() -> None:
    from matplotlib import pyplot

    found = json.loads(Path(sys.argv[1]).read_text())
    figure, axis = pyplot.subplots(figsize=(5, 4.6))
    axis.plot([0, 1], [0, 1], color="#bbb", linewidth=1)
    for name, colour in (("lexical", "#c60"), ("builtin", "#06c")):
        pairs = np.array(sorted(found[name]["claims"]), float)
        parts = np.array_split(pairs, BINS)
        axis.plot(
            [part[:, 0].mean() for part in parts],
            [part[:, 1].mean() for part in parts],
            marker="o",
            color=colour,
            label=f"{name}, ECE {found[name]['ece']:.3f}",
        )
    axis.set_xlabel("stated probability that a claim does not stand")
    axis.set_ylabel("share that did not, in ten bins of equal size")
    axis.legend()
    figure.tight_layout()
    figure.savefig(REPOSITORY / "training" / "reliability.png", dpi=110)


if __name__ == "__main__":
    main()
