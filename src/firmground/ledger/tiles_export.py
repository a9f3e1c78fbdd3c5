"""Write a log as static files that any web server can serve as a tlog-tiles log."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from firmground.errors import InputError
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.log import Log
from firmground.ledger.store import StoreReader
from firmground.ledger.tiles import checkpoint_bytes, resource_bytes, tile_paths


@dataclass(frozen=True, slots=True, kw_only=True)
class TileExport:
    """What an export wrote: the log's name, its signed size, and the number of new files."""

    origin: str
    size: int
    files: int


def export_tiles(reader: StoreReader, folder: Path) -> TileExport:
    """Write what is new since the last export into the folder; the checkpoint comes last.

    A reader of the folder therefore never finds a checkpoint whose tiles are not there yet.
    """
    note = checkpoint_bytes(reader)
    stated, _ = checkpoints.parse(note)
    had = _exported_before(Log(reader), folder, stated.origin)
    files = 0
    for path in tile_paths(stated.size, since=had):
        _write(folder / path.text, resource_bytes(reader, path))
        files += 1
    _write(folder / "checkpoint", note)
    return TileExport(origin=stated.origin, size=stated.size, files=files)


def _exported_before(log: Log, folder: Path, origin: str) -> int:
    """How many entries the folder holds already; an error if they are not a beginning of these."""
    place = folder / "checkpoint"
    try:
        before, _ = checkpoints.parse(place.read_bytes())
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise InputError(f"{place}: {error.strerror}") from None
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    if before.origin != origin or before.size > log.size() or log.root(before.size) != before.root:
        raise InputError(f"{place} is of another log or another history: choose another folder")
    return before.size


def _write(place: Path, data: bytes) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = place.with_name(place.name + ".new")
        fresh.write_bytes(data)
        os.replace(fresh, place)
    except OSError as error:
        raise InputError(f"{place}: {error.strerror}") from None
