"""Who is still there? Found by a mark in the environment that the worker was given."""

from __future__ import annotations

import os
import time
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether a process runs; the dead that nobody buried yet do not count."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def holders(mark: Path) -> list[int]:
    """Living processes, besides us, with the mark's path in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if str(mark).encode() in (entry / "environ").read_bytes() and alive(
                    int(entry.name)
                ):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def none_left(mark: Path) -> bool:
    """Whether they are all gone, given time for the kernel to take them away."""
    for _ in range(1000):
        if not holders(mark):
            return True
        time.sleep(0.02)
    return False


def marked(mark: Path) -> list[str]:
    """What was written into the mark."""
    return mark.read_text().splitlines() if mark.exists() else []
