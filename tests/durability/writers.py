"""Processes that write to one log until they are killed. Run as a script; see ``Writers`` below.

The script loads everything once and then forks a writer for each line it reads, so that hundreds
can be killed cheaply. A writer notes what was acknowledged to it in a file of its own.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

from firmground.adapters.stores import open_store
from firmground.core.run import AttemptReason, Node, Run, Shape, stage_plan
from firmground.ledger.checkpointer import CheckpointPolicy
from firmground.ledger.ledger import Ledger
from firmground.ledger.receipt import Receipt
from firmground.ledger.signing import CheckpointSigner

PLAN = stage_plan(shape=Shape.QUOTE, preflight=True)
LABEL = {"step": "proceed"}
LONGEST_LINE = len("1234567 ") + 64 + len("\n")
PATIENCE = 600.0


def a_run(text: str) -> Run:
    payload = text.encode() * 8
    nodes = tuple(Node(stage=p.stage, attempt=p.attempt, payload=payload) for p in PLAN)
    return Run(shape=Shape.QUOTE, preflight=True, attempts=(AttemptReason.FIRST,), nodes=nodes)


class Acks:
    """A file that gets a line for every acknowledgement, at once."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def add(self, receipt: Receipt) -> None:
        os.write(self._file, f"{receipt.seq} {receipt.entry_hash.hex()}\n".encode())


def write(folder: Path, where: str, name: str, *, tasks: int, seconds: float, signs: bool) -> None:
    """Record runs until the time is over or somebody ends the process."""
    signer = CheckpointSigner.open(folder / "log.key") if signs else None
    policy = CheckpointPolicy(entries=20, seconds=0.05)
    acks = Acks(folder / f"{name}.acks")
    with Ledger(open_store(where), signer=signer, policy=policy) as ledger:
        asyncio.run(_write(ledger, acks, name, tasks, time.monotonic() + seconds))


async def _write(ledger: Ledger, acks: Acks, name: str, tasks: int, until: float) -> None:
    async def one(task: int) -> None:
        number = 0
        while time.monotonic() < until:
            number += 1
            acks.add(await ledger.arecord(a_run(f"{name}/{task}/{number}"), label=LABEL))

    await asyncio.gather(*(one(task) for task in range(tasks)))


def main() -> None:
    """Fork a writer for every line ``name tasks seconds signs``; answer with its process id."""
    folder, where, children = Path(sys.argv[1]), sys.argv[2], set[int]()
    for line in sys.stdin:
        if line.startswith("wait"):
            _, child = line.split()
            code = os.waitstatus_to_exitcode(os.waitpid(int(child), 0)[1])
            children.discard(int(child))
            print(code, flush=True)
            continue
        name, tasks, seconds, signs = line.split()
        child = os.fork()
        if child == 0:
            _run(folder, where, name, int(tasks), float(seconds), signs == "1")
        children.add(child)
        print(child, flush=True)
    for child in children:
        os.kill(child, signal.SIGKILL)


def _run(folder: Path, where: str, name: str, tasks: int, seconds: float, signs: bool) -> None:
    code = 1
    try:
        write(folder, where, name, tasks=tasks, seconds=seconds, signs=signs)
        code = 0
    except Exception:  # noqa: BLE001 - a forked child must not return into pytest
        traceback.print_exc()
    finally:
        os._exit(code)


class Writers:
    """The other end: starts writers, kills them, and leaves none behind."""

    def __init__(self, folder: Path, where: str | None = None) -> None:
        self._folder = folder
        self._number = self._seen = 0
        self._source = subprocess.Popen(
            [sys.executable, __file__, str(folder), where or str(folder / "log.sqlite")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Writers:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._source.stdin is not None
        assert self._source.stdout is not None
        self._source.stdin.close()
        self._source.wait()
        self._source.stdout.close()

    def start(self, *, tasks: int, seconds: float, signs: bool) -> int:
        """Start a writer and return its process id."""
        self._number += 1
        return int(self._ask(f"writer{self._number} {tasks} {seconds} {int(signs)}"))

    def wait(self, child: int) -> int:
        """Wait until a writer has ended and return how."""
        return int(self._ask(f"wait {child}"))

    def kill(self, child: int) -> None:
        """End a writer as the kernel would, without a word."""
        os.kill(child, signal.SIGKILL)
        self.wait(child)

    def _ask(self, line: str) -> str:
        assert self._source.stdin is not None
        assert self._source.stdout is not None
        self._source.stdin.write(line + "\n")
        self._source.stdin.flush()
        return self._source.stdout.readline()

    def wait_for_acknowledgements(self, more: int) -> None:
        """Return once the writers have been given so many more since the last time."""
        end = time.monotonic() + PATIENCE
        while (now := self._acknowledged_at_least()) < self._seen + more:
            assert time.monotonic() < end, "the writers do not get on"
            time.sleep(0.01)
        self._seen = now

    def _acknowledged_at_least(self) -> int:
        """Count by the sizes of files: no line is longer than this."""
        with os.scandir(self._folder) as found:
            sizes = [each.stat().st_size for each in found if each.name.endswith(".acks")]
        return sum(size // LONGEST_LINE for size in sizes)

    def acknowledged(self) -> list[tuple[int, str]]:
        """Everything that was ever acknowledged; a line cut short was not."""
        found = []
        for path in self._folder.glob("*.acks"):
            for line in path.read_text().splitlines(keepends=True):
                if line.endswith("\n"):
                    seq, value = line.split()
                    found.append((int(seq), value))
        return found


if __name__ == "__main__":
    main()
