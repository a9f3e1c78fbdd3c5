"""The log as C2SP tlog-tiles: the resources under ``/checkpoint`` and ``/tile/…``, byte for byte.

Everything here is a function of a reader. Only what the newest signed checkpoint covers is served,
so a client never sees unsigned hashes or entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from firmground.errors import InputError, LedgerError, RecordNotFound
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.log import Log
from firmground.ledger.store import StoreReader

WIDTH = 256
HEIGHT = 8
MAX_LEVEL = 7
"""Levels of 256-wide tiles that 2**63 entries can fill."""
ENTRIES = "entries"
MAX_ENTRY_BYTES = (1 << 16) - 1
"""An entry bundle states the length of an entry in two bytes."""
TILE_TYPE = "application/octet-stream"
CHECKPOINT_TYPE = "text/plain; charset=utf-8"
_PATH = re.compile(
    r"tile/(?P<level>0|[1-9][0-9]?|entries)/(?P<index>(?:x[0-9]{3}/){0,5}[0-9]{3})"
    r"(?:\.p/(?P<width>[1-9][0-9]{0,2}))?\Z"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TilePath:
    """Which tile an address names; a level of None means a bundle of entries."""

    level: int | None
    index: int
    width: int = WIDTH

    @property
    def text(self) -> str:
        """The address below the log's prefix, such as ``tile/0/x001/234.p/17``."""
        level = ENTRIES if self.level is None else str(self.level)
        partial = "" if self.width == WIDTH else f".p/{self.width}"
        return f"tile/{level}/{_index_text(self.index)}{partial}"


def parse_tile_path(text: str) -> TilePath:
    """Read the address of a tile or entry bundle; every spelling but the one is refused."""
    found = _PATH.match(text)
    width = WIDTH if found is None or found["width"] is None else int(found["width"])
    if found is None or (width == WIDTH and found["width"] is not None) or width > WIDTH:
        raise InputError(f"{text[:80]!r} is not the address of a tile")
    level = None if found["level"] == ENTRIES else int(found["level"])
    path = TilePath(level=level, index=int(re.sub("[x/]", "", found["index"])), width=width)
    if path.text != text:
        raise InputError(f"{text[:80]!r} is not the address of a tile")
    return path


def checkpoint_bytes(reader: StoreReader) -> bytes:
    """Return the newest signed checkpoint, or raise ``RecordNotFound``."""
    return _newest(reader)[1]


def tile_bytes(reader: StoreReader, level: int, index: int, width: int = WIDTH) -> bytes:
    """Return the ``width`` hashes of one tile, or raise ``RecordNotFound`` if it is not there.

    ``level`` 0 has the hashes of entries; each hash of a level above is the root over a full tile
    of the level below.
    """
    _require_tile(reader, level, index, width)
    first, height = index * WIDTH, level * HEIGHT
    return b"".join(reader.node(height, first + place) for place in range(width))


def entry_bundle_bytes(reader: StoreReader, index: int, width: int = WIDTH) -> bytes:
    """Return ``width`` entries from ``index * 256`` on, each behind its length in two bytes."""
    _require_tile(reader, 0, index, width)
    start = index * WIDTH
    rows = list(reader.entries(start, start + width))
    if [row.seq for row in rows] != list(range(start, start + width)):
        raise LedgerError(f"entries {start} to {start + width - 1} are not all there: run an audit")
    parts = []
    for row in rows:
        if len(row.body) > MAX_ENTRY_BYTES:
            raise LedgerError(
                f"entry {row.seq} takes {len(row.body)} bytes, which an entry bundle cannot state"
            )
        parts += [len(row.body).to_bytes(2, "big"), row.body]
    return b"".join(parts)


def resource_bytes(reader: StoreReader, path: TilePath) -> bytes:
    """Return what stands at an address."""
    if path.level is None:
        return entry_bundle_bytes(reader, path.index, path.width)
    return tile_bytes(reader, path.level, path.index, path.width)


def tile_paths(size: int, *, since: int = 0) -> Iterator[TilePath]:
    """Yield every tile and entry bundle of a log of ``size`` entries.

    With ``since`` those are left out that a log of ``since`` entries already had.
    """
    for path in _levels(size, since):
        yield path
        if path.level == 0:
            yield TilePath(level=None, index=path.index, width=path.width)


def _levels(size: int, since: int) -> Iterator[TilePath]:
    level = 0
    while size >> (HEIGHT * level):
        hashes, had = size >> (HEIGHT * level), since >> (HEIGHT * level)
        full, rest = divmod(hashes, WIDTH)
        for index in range(had // WIDTH, full):
            yield TilePath(level=level, index=index)
        if rest and hashes != had:
            yield TilePath(level=level, index=full, width=rest)
        level += 1


def _newest(reader: StoreReader) -> tuple[int, bytes]:
    newest = Log(reader).newest_checkpoint()
    if newest is None:
        raise RecordNotFound("the log has no signed checkpoint yet")
    stated, _ = checkpoints.parse(newest.note)
    return stated.size, newest.note


def _require_tile(reader: StoreReader, level: int, index: int, width: int) -> None:
    if not 0 <= level <= MAX_LEVEL or index < 0 or not 1 <= width <= WIDTH:
        raise RecordNotFound(f"there is no tile {index} of width {width} at level {level}")
    size, _ = _newest(reader)
    if index * WIDTH + width > size >> (HEIGHT * level):
        raise RecordNotFound(f"tile {index} at level {level} has fewer than {width} signed hashes")


def _index_text(index: int) -> str:
    digits = f"{index:03d}"
    digits = "0" * (-len(digits) % 3) + digits
    parts = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    return "/".join([*(f"x{part}" for part in parts[:-1]), parts[-1]])
