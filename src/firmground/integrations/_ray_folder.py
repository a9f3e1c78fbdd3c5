"""A folder of result parts: each part is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from firmground.batch.parquet import read_results, write_parquet
from firmground.batch.sources import imported
from firmground.errors import InputError

_SETTINGS = "_settings.json"


class ResultFolder:
    """Parts ``part-000000.parquet`` and so on, at a path or any address that fsspec opens."""

    def __init__(self, where: str) -> None:
        fsspec = imported("fsspec", extra="ray", purpose="batches on Ray")
        self.where = where
        self._fs, self._root = fsspec.core.url_to_fs(where)
        if self._fs.exists(self._root) and not self._fs.isdir(self._root):
            raise InputError(f"{where}: is a file; --on ray writes a folder of parts")
        self._fs.makedirs(self._root, exist_ok=True)
        self._next = 1 + max((_number(path) for path in self.parts()), default=-1)

    def parts(self) -> list[str]:
        """The paths of all parts, in order."""
        found = self._fs.glob(f"{self._root}/part-*.parquet")
        return sorted(str(path) for path in found)

    def require_settings(self, settings: str) -> None:
        """Refuse a folder whose results were made under other settings."""
        mine = hashlib.sha256(settings.encode()).hexdigest()
        path = f"{self._root}/{_SETTINGS}"
        if not self._fs.exists(path):
            self._fs.pipe_file(path, json.dumps({"settings": mine}).encode())
            return
        if json.loads(self._fs.cat_file(path)).get("settings") != mine:
            raise InputError(
                f"{self.where}: holds results under another policy or judge: name another output"
            )

    def earlier(self) -> dict[str, dict[str, Any]]:
        """What is there already, by the digest of its input."""
        found: dict[str, dict[str, Any]] = {}
        for line in self.lines():
            row = json.loads(line)
            known = ("error", "verdict", "decision", "waived")
            found[row["input"]] = {k: v for k, v in row.items() if k in known}
        return found

    def lines(self) -> Any:
        """Yield the result lines of all parts, in order."""
        with tempfile.TemporaryDirectory() as place:
            for path in self.parts():
                local = Path(place) / "part.parquet"
                self._fs.get_file(path, str(local))
                yield from read_results(local)

    def write(self, lines: Sequence[bytes]) -> None:
        """Add a part."""
        name = f"part-{self._next:06}.parquet"
        with tempfile.TemporaryDirectory() as place:
            local = Path(place) / name
            write_parquet(local, lines)
            half = f"{self._root}/.{name}.half"
            self._fs.put_file(str(local), half)
            self._fs.mv(half, f"{self._root}/{name}")
        self._next += 1


def _number(path: str) -> int:
    return int(path.rpartition("part-")[2].removesuffix(".parquet"))
