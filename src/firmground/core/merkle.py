"""The Merkle tree of RFC 9162 as pure functions.

A leaf is SHA-256(0x00 || bytes), a node SHA-256(0x01 || left || right), and a tree of n leaves
splits at the largest power of two below n. Nothing is ever duplicated to fill a level.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmground.errors import InputError

SIZE = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()

GetNode = Callable[[int, int], bytes]
"""(level, index) -> hash of the complete subtree that begins at leaf ``index << level``."""


def leaf_hash(data: bytes) -> bytes:
    """Hash the bytes of one leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash two neighbours into their parent."""
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """All that is needed to append: the roots of the complete subtrees, largest first."""

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def append(self, leaf: bytes) -> tuple[Frontier, tuple[tuple[int, int, bytes], ...]]:
        """Add one leaf hash; also return the nodes it completed as (level, index, hash)."""
        _sized(leaf, "leaf")
        peaks = list(self.peaks)
        made = [(0, self.size, leaf)]
        current, level, size = leaf, 0, self.size
        while size & 1:
            current = node_hash(peaks.pop(), current)
            level, size = level + 1, size >> 1
            made.append((level, self.size >> level, current))
        return Frontier(self.size + 1, (*peaks, current)), tuple(made)

    def root(self) -> bytes:
        """The root over everything appended so far."""
        if not self.peaks:
            return EMPTY_ROOT
        current = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            current = node_hash(peak, current)
        return current


def root(leaves: Sequence[bytes]) -> bytes:
    """The root over leaf hashes, in order."""
    frontier = Frontier()
    for leaf in leaves:
        frontier, _ = frontier.append(leaf)
    return frontier.root()


def frontier_of(size: int, get: GetNode) -> Frontier:
    """Take up a stored tree again with O(log n) reads."""
    peaks = []
    start = 0
    for level in range(size.bit_length() - 1, -1, -1):
        if size >> level & 1:
            peaks.append(get(level, start >> level))
            start += 1 << level
    return Frontier(size, tuple(peaks))


def range_root(start: int, end: int, get: GetNode) -> bytes:
    """Root over leaves [start, end); start is a multiple of a power of two >= the length."""
    size = end - start
    if size < 1:
        return EMPTY_ROOT
    hashes = []
    for level in range(size.bit_length() - 1, -1, -1):
        if size >> level & 1:
            hashes.append(get(level, start >> level))
            start += 1 << level
    current = hashes.pop()
    while hashes:
        current = node_hash(hashes.pop(), current)
    return current


def inclusion_path(index: int, size: int, get: GetNode) -> tuple[bytes, ...]:
    """The proof that leaf ``index`` is in the tree of ``size`` leaves."""
    if not 0 <= index < size:
        raise InputError(f"inclusion needs 0 <= index < size, got {index}, {size}")
    return tuple(reversed(_path(index, 0, size, get)))


def _path(index: int, start: int, end: int, get: GetNode) -> list[bytes]:
    """Siblings from the root down to leaf ``index`` inside [start, end)."""
    path = []
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(range_root(middle, end, get))
            end = middle
        else:
            path.append(range_root(start, middle, get))
            start = middle
    return path


def consistency_path(old: int, new: int, get: GetNode) -> tuple[bytes, ...]:
    """The proof that the tree of ``old`` leaves is a beginning of the tree of ``new`` leaves."""
    if not 0 <= old <= new:
        raise InputError(f"consistency needs 0 <= old <= new, got {old}, {new}")
    if old in (0, new):
        return ()
    path: list[bytes] = []
    start, end, whole = 0, new, True
    while end - start != old - start:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(range_root(middle, end, get))
            end = middle
        else:
            path.append(range_root(start, middle, get))
            start, whole = middle, False
    if not whole:
        path.append(range_root(start, end, get))
    return tuple(reversed(path))


def verify_inclusion(
    *, leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes
) -> bool:
    """True when ``path`` proves that the leaf stands at ``index`` in the tree with ``root``."""
    if not 0 <= index < size or not _all_sized(leaf, root, *path):
        return False
    fn, sn, current = index, size - 1, leaf
    for sibling in path:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            current = node_hash(sibling, current)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            current = node_hash(current, sibling)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and current == root


def verify_consistency(
    *, old: int, new: int, old_root: bytes, new_root: bytes, path: Sequence[bytes]
) -> bool:
    """True when ``path`` proves that the tree with ``old_root`` is a beginning of the new one."""
    if not 0 <= old <= new or not _all_sized(old_root, new_root, *path):
        return False
    if old == new:
        return not path and old_root == new_root
    if old == 0:
        return not path and old_root == EMPTY_ROOT
    if not path:
        return False
    rest = list(path) if old & (old - 1) else [old_root, *path]
    fn, sn = old - 1, new - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    return _fold_consistency(rest, fn, sn, old_root, new_root)


def _fold_consistency(
    path: list[bytes], fn: int, sn: int, old_root: bytes, new_root: bytes
) -> bool:
    before = after = path[0]
    for sibling in path[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            before = node_hash(sibling, before)
            after = node_hash(sibling, after)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            after = node_hash(after, sibling)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and before == old_root and after == new_root


def verify_subtree(
    *, start: int, end: int, size: int, subtree: bytes, root: bytes, path: Sequence[bytes]
) -> bool:
    """True when ``path`` proves that leaves [start, end) of the tree have the root ``subtree``.

    The range must be one that a tree holds under a single node. From leaf 0 on this is the
    consistency of two trees.
    """
    if not _all_sized(subtree, root, *path) or not 0 <= start <= end <= size:
        return False
    if start == end:
        return not path and subtree == EMPTY_ROOT
    if start % (1 << (end - start - 1).bit_length()):
        return False
    fn, sn, tn = start, end - 1, size - 1
    while fn != sn and (sn == tn or sn & 1):
        fn, sn, tn = fn >> 1, sn >> 1, tn >> 1
    rest = [subtree, *path] if fn == sn else list(path)
    return bool(rest) and _fold_subtree(rest, (fn, sn, tn), subtree, root)


def _fold_subtree(
    path: list[bytes], place: tuple[int, int, int], subtree: bytes, root: bytes
) -> bool:
    fn, sn, tn = place
    inner = outer = path[0]
    for sibling in path[1:]:
        if tn == 0:
            return False
        if sn & 1 or sn == tn:
            inner = node_hash(sibling, inner) if fn < sn else inner
            outer = node_hash(sibling, outer)
            while not sn & 1:
                fn, sn, tn = fn >> 1, sn >> 1, tn >> 1
        else:
            outer = node_hash(outer, sibling)
        fn, sn, tn = fn >> 1, sn >> 1, tn >> 1
    return tn == 0 and inner == subtree and outer == root


def _split(size: int) -> int:
    return 1 << ((size - 1).bit_length() - 1)


def _sized(value: bytes, what: str) -> None:
    if len(value) != SIZE:
        raise InputError(f"a {what} hash has {SIZE} bytes, got {len(value)}")


def _all_sized(*values: bytes) -> bool:
    return all(len(value) == SIZE for value in values)
