"""Draw a run's curve: `python -m training.curve --name main` writes training/curve.png."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import matplotlib

from training.paths import REPOSITORY, state_dir

matplotlib.use("Agg")


def main() -> None:
    from matplotlib import pyplot

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="main")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "training" / "curve.png")
    chosen = parser.parse_args()
    name = chosen.name
    lines = [json.loads(line) for line in (state_dir() / "runs" / name / "log.jsonl").open()]
    losses = [line for line in lines if "loss" in line]
    probes = [line for line in lines if "claim_auc" in line]
    figure, left = pyplot.subplots(figsize=(8, 4.2))
    left.plot(
        [x["elapsed"] / 60 for x in losses],
        [x["loss"] for x in losses],
        color="#888",
        label="training loss",
    )
    left.set_xlabel("minutes")
    left.set_ylabel("loss (claim + token)")
    right = left.twinx()
    for key, label in (("claim_auc", "claim head"), ("peak_auc", "highest token")):
        right.plot(
            [x["elapsed"] / 60 for x in probes], [x[key] for x in probes], marker="o", label=label
        )
    right.set_ylim(0.5, 1)
    right.set_ylabel("AUC on held-out sentences")
    right.legend(loc="lower right")
    left.legend(loc="lower left")
    figure.suptitle(f"Run {name}")
    figure.tight_layout()
    figure.savefig(chosen.out, dpi=110)


if __name__ == "__main__":
    main()
