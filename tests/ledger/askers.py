"""Processes that ask one question of one log at the same time; run as a program."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.ledger.open_log import LABEL, a_ledger, a_run
from tests.ledger.test_cache import ACME, anything, dimensions

from firmground.core.run import Run
from firmground.ledger.cache import AnswerCache, CachedAnswer

ROOT = Path(__file__).parents[2]
PATIENCE = 300.0


def start(folder: Path, name: str, *, crowd: int, hang: bool = False) -> subprocess.Popen[str]:
    """A process that asks; its computation waits for the crowd, or for ever."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", "tests.ledger.askers", str(folder), name, str(crowd), str(hang)],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
    )


def marks(folder: Path, kind: str) -> list[str]:
    """Which processes have come this far."""
    return sorted(path.suffix[1:] for path in folder.glob(f"{kind}.*"))


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that will happen."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def main(folder: Path, name: str, crowd: int, hang: bool) -> None:
    def compute() -> tuple[Run, Mapping[str, str]]:
        (folder / f"computing.{name}").touch()
        until(lambda: len(marks(folder, "asking")) >= crowd)
        time.sleep(PATIENCE if hang else 0.5)
        return a_run(f"by {name}"), LABEL

    with a_ledger(folder) as ledger:
        cache = AnswerCache(ledger, ACME, unvouched=True)
        (folder / f"asking.{name}").touch()
        answer = cache.get_or_compute(dimensions(), compute, allows=anything)
        assert isinstance(answer, CachedAnswer)
        print(answer.source, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] == "True")
