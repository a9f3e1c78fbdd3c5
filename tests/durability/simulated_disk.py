"""A disk in memory that forgets what was not synced, tears sectors, and fails when told to.

Writes are seen at once by whoever reads through the same disk, but they are safe only after a sync
of that file. When the power is cut, every sector written since the last sync is kept, lost or torn
in the middle, each by its own toss of a coin. Assumed honest: sync itself, and the existence of a
file once it was created.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count
from typing import Any

import apsw

SECTOR = 512
_NAMES = count()


class _Content:
    """One file: what a reader sees, what is safe, and which sectors differ."""

    def __init__(self, data: bytes = b"") -> None:
        self.live = bytearray(data)
        self.safe = bytes(data)
        self.dirty: set[int] = set()

    def write(self, data: bytes, offset: int) -> None:
        end = offset + len(data)
        if end > len(self.live):
            self.live.extend(bytes(end - len(self.live)))
        self.live[offset:end] = data
        self.dirty.update(range(offset // SECTOR, (end - 1) // SECTOR + 1))

    def truncate(self, size: int) -> None:
        self.dirty.update(range(size // SECTOR, len(self.live) // SECTOR + 1))
        del self.live[size:]

    def sync(self) -> None:
        self.safe = bytes(self.live)
        self.dirty.clear()

    def after_cut(self, chance: random.Random) -> bytes:
        """What the platter holds: old sectors, new sectors, and some half and half."""
        longest = max(len(self.safe), len(self.live))
        kept = bytearray(self.safe.ljust(longest, b"\0"))
        fresh = bytes(self.live).ljust(longest, b"\0")
        end = len(self.safe)
        for sector in sorted(self.dirty):
            start = sector * SECTOR
            written = chance.choice((0, 0, SECTOR, SECTOR, chance.randrange(SECTOR)))
            if written:
                kept[start : start + written] = fresh[start : start + written]
                end = max(end, min(start + written, longest))
        return bytes(kept[:end])


class SimulatedDisk(apsw.VFS):
    """A VFS whose files live in memory; ``fail`` may raise before any call reaches the file."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.name = f"simulated-{next(_NAMES)}"
        self.files = {name: _Content(data) for name, data in (files or {}).items()}
        self.calls = 0
        self.syncs = 0
        self.fail: Callable[[int, str], None] = lambda call, what: None
        super().__init__(self.name, base="")

    def asked(self, what: str) -> None:
        """Count a call that touches the platter, and fail it if that is what was planned."""
        self.calls += 1
        self.fail(self.calls, what)

    def cut(self, chance: random.Random) -> dict[str, bytes]:
        """Cut the power; return what is found afterwards."""
        return {name: content.after_cut(chance) for name, content in self.files.items()}

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        if path not in self.files:
            self.asked("open")
            self.files[path] = _Content()
        flags[1] = flags[0]
        return _File(self, self.files[path])

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.files.pop(filename, None)

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802
        return pathname in self.files

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name


class _File:
    def __init__(self, disk: SimulatedDisk, content: _Content) -> None:
        self._disk = disk
        self._content = content

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        return bytes(self._content.live[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.asked("write")
        self._content.write(bytes(data), offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.asked("truncate")
        self._content.truncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.asked("sync")
        self._disk.syncs += 1
        self._content.sync()

    def xFileSize(self) -> int:  # noqa: N802
        return len(self._content.live)

    def xSectorSize(self) -> int:  # noqa: N802
        return SECTOR

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        return 0

    def xLock(self, level: int) -> None: ...  # noqa: N802

    def xUnlock(self, level: int) -> None: ...  # noqa: N802

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        return False

    def xFileControl(self, op: int, ptr: int) -> bool:  # noqa: N802
        return False

    def xClose(self) -> None: ...  # noqa: N802
