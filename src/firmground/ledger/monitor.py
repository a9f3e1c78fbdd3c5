"""Watch a log from outside: each look must continue the one before, and show what was added.

What is read is C2SP tlog-tiles, from an address, a folder, or a log itself. The monitor holds
nothing but the last checkpoint it accepted. Two checkpoints that contradict each other, both signed
by the log, are kept as evidence beside it.
"""

from __future__ import annotations

import http.client
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firmground.core.merkle import (
    Frontier,
    consistency_path,
    frontier_of,
    leaf_hash,
    node_hash,
    verify_consistency,
)
from firmground.errors import InputError, LedgerError, LedgerUnavailable, RecordNotFound
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.entry import Entry, KeyEntry, parse_entry
from firmground.ledger.files import write_durably
from firmground.ledger.keyring import KeyTerm
from firmground.ledger.keys import VerifierKey
from firmground.ledger.store import StoreReader
from firmground.ledger.tiles import (
    HEIGHT,
    MAX_ENTRY_BYTES,
    WIDTH,
    TilePath,
    checkpoint_bytes,
    parse_tile_path,
    resource_bytes,
)
from firmground.ledger.witness_http import split_address

Fetch = Callable[[str], bytes]
"""Gives the bytes at a path below the log's prefix, such as ``checkpoint``."""
_MOST_BYTES = WIDTH * (MAX_ENTRY_BYTES + 2)
_HASH = 32


class LogContradictionError(LedgerError):
    """The log shows something that does not continue what it showed before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What one look at a log showed."""

    checkpoint: Checkpoint
    before: int
    """Entries at the look before."""
    types: tuple[tuple[str, int], ...]
    """How many entries of each type were added."""
    key_events: tuple[tuple[int, str, str], ...]
    """(place, action, key) of each change of the log's keys."""
    witnessed: tuple[str, ...]
    """Names of the witnesses whose cosignatures count."""


def fetch_folder(folder: Path) -> Fetch:
    """Read the files that  firmground tiles  wrote."""

    def fetch(path: str) -> bytes:
        try:
            with (folder / path).open("rb") as file:
                return file.read(_MOST_BYTES + 1)
        except FileNotFoundError:
            raise RecordNotFound(f"{folder / path} does not exist") from None
        except OSError as error:
            raise LedgerUnavailable(f"{folder / path}: {error.strerror}") from error

    return fetch


def fetch_store(reader: StoreReader) -> Fetch:
    """Read a log itself, as it would be served."""

    def fetch(path: str) -> bytes:
        if path == "checkpoint":
            return checkpoint_bytes(reader)
        return resource_bytes(reader, parse_tile_path(path))

    return fetch


def fetch_address(url: str, *, timeout_seconds: float = 10.0) -> Fetch:
    """Read from a log's monitoring prefix over HTTP or HTTPS; redirects are not followed."""
    scheme, (host, port), prefix = split_address(url)
    kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection

    def fetch(path: str) -> bytes:
        connection = kind(host, port, timeout=timeout_seconds)
        try:
            connection.request("GET", f"{prefix}/{path}")
            reply = connection.getresponse()
            data = reply.read(_MOST_BYTES + 1)
        except (OSError, http.client.HTTPException) as error:
            raise LedgerUnavailable(f"{url}: {error}") from error
        finally:
            connection.close()
        if reply.status == http.client.NOT_FOUND:
            raise RecordNotFound(f"{url}/{path} does not exist")
        if reply.status != http.client.OK:
            raise LedgerUnavailable(f"{url}/{path}: the server replied {reply.status}")
        return data

    return fetch


@dataclass
class TileTree:
    """The tree of a log of ``size`` entries, read from its tiles."""

    fetch: Fetch
    size: int
    _tiles: dict[tuple[int, int], tuple[bytes, ...]] = field(default_factory=dict)

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of the complete subtree over leaves [index << level, …)."""
        tier, height = divmod(level, HEIGHT)
        first = index << height
        hashes = self._tile(tier, first // WIDTH)[first % WIDTH : first % WIDTH + (1 << height)]
        if len(hashes) != 1 << height:
            raise LogContradictionError(f"the tile over node {index} of level {level} is too short")
        while len(hashes) > 1:
            hashes = tuple(node_hash(hashes[at], hashes[at + 1]) for at in range(0, len(hashes), 2))
        return hashes[0]

    def entries(self, start: int) -> list[bytes]:
        """Return the exact bytes of the entries from ``start`` on."""
        found: list[bytes] = []
        for index in range(start // WIDTH, -(-self.size // WIDTH)):
            width = min(WIDTH, self.size - index * WIDTH)
            data = self.fetch(TilePath(level=None, index=index, width=width).text)
            found += _bundle(data, width)[max(0, start - index * WIDTH) :]
        return found

    def _tile(self, tier: int, index: int) -> tuple[bytes, ...]:
        if (tier, index) not in self._tiles:
            width = min(WIDTH, (self.size >> HEIGHT * tier) - index * WIDTH)
            data = self.fetch(TilePath(level=tier, index=index, width=width).text)
            if len(data) != width * _HASH:
                raise LogContradictionError(f"tile {index} of level {tier} has not {width} hashes")
            cut = range(0, len(data), _HASH)
            self._tiles[tier, index] = tuple(data[at : at + _HASH] for at in cut)
        return self._tiles[tier, index]


def _bundle(data: bytes, width: int) -> list[bytes]:
    entries: list[bytes] = []
    at = 0
    while at + 2 <= len(data) and len(entries) < width:
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        entries.append(data[at + 2 : end])
        at = end
    if at != len(data) or len(entries) != width:
        raise LogContradictionError("a bundle of entries is not whole")
    return entries


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """Looks at one log again and again, and remembers the last checkpoint in ``state``."""

    fetch: Fetch
    state: Path
    keys: Sequence[VerifierKey] = ()
    terms: Sequence[KeyTerm] = ()
    witnesses: Sequence[VerifierKey] = ()
    quorum: int = 0
    max_age_seconds: float | None = None
    clock: Callable[[], float] = time.time

    def look(self) -> Sighting:
        """Read the log once; ``LogContradictionError`` when it does not continue what was seen."""
        note = self.fetch("checkpoint")
        report = checkpoints.verify(
            note,
            keys=self.keys,
            terms=self.terms,
            witnesses=self.witnesses,
            quorum=self.quorum,
            now=self.clock(),
            max_age_seconds=self.max_age_seconds,
        )
        now = report.checkpoint
        if now is None or not report.valid:
            raise LogContradictionError("; ".join(report.reasons))
        last = self._last(now.origin)
        try:
            added = _added(TileTree(self.fetch, now.size), last, now)
        except (RecordNotFound, InputError) as error:
            raise LogContradictionError(
                f"what the checkpoint covers cannot be read: {error}"
            ) from error
        except LogContradictionError as error:
            if last.size:
                self._keep_evidence(note)
                raise LogContradictionError(
                    f"{error}; both checkpoints are kept: {self._evidence}"
                ) from error
            raise
        write_durably(self.state, note)
        return Sighting(
            checkpoint=now,
            before=last.size,
            types=tuple(sorted(Counter(entry.body.type for entry in added).items())),
            key_events=tuple(
                (entry.seq, str(entry.body.action), entry.body.key)
                for entry in added
                if isinstance(entry.body, KeyEntry)
            ),
            witnessed=tuple(each.witness.name for each in report.cosigned),
        )

    @property
    def _evidence(self) -> Path:
        return self.state.with_name(self.state.name + ".contradiction")

    def _keep_evidence(self, note: bytes) -> None:
        write_durably(self._evidence, self.state.read_bytes() + b"\n" + note)

    def _last(self, origin: str) -> Checkpoint:
        try:
            kept, _ = checkpoints.parse(self.state.read_bytes())
        except FileNotFoundError:
            return Checkpoint(origin=origin, size=0, root=Frontier().root())
        except InputError as error:
            raise LedgerUnavailable(f"{self.state} cannot be read: {error}") from error
        except OSError as error:
            raise LedgerUnavailable(f"{self.state}: {error.strerror}") from error
        if kept.origin != origin:
            raise InputError(f"{self.state} is about the log {kept.origin}, this is {origin}")
        return kept


def _added(tree: TileTree, last: Checkpoint, now: Checkpoint) -> list[Entry]:
    """The entries that were added, once they and the tree are what the checkpoint signs."""
    if now.size < last.size:
        raise LogContradictionError(
            f"the log shows {now.size} entries and showed {last.size} before"
        )
    path = consistency_path(last.size, now.size, tree.node)
    if not verify_consistency(
        old=last.size, new=now.size, old_root=last.root, new_root=now.root, path=path
    ):
        raise LogContradictionError(
            f"the log of {now.size} entries does not continue the {last.size} it showed before"
        )
    frontier = frontier_of(last.size, tree.node)
    if frontier.root() != last.root:
        raise LogContradictionError(
            f"the tiles do not have the first {last.size} entries seen before"
        )
    bodies = tree.entries(last.size)
    for body in bodies:
        if tree.node(0, frontier.size) != leaf_hash(body):
            raise LogContradictionError(f"entry {frontier.size} has another hash in its tile")
        frontier, _ = frontier.append(leaf_hash(body))
    if frontier.root() != now.root:
        raise LogContradictionError("the entries that are shown are not those that were signed")
    return [parse_entry(body) for body in bodies]
