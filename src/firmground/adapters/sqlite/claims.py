"""Names that one process at a time holds: byte locks on an empty file beside the log.

The kernel keeps the locks and gives them back when a process dies, however it dies. A name is a
place in the file, so nothing about it is ever written down. Locks belong to an opened file, which
is what two threads need; a system that only knows locks by process keeps processes apart.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import struct
import weakref
from contextlib import suppress
from typing import Any

try:
    import fcntl
except ImportError:  # a system without them: one computation holds within a process only
    fcntl = None  # type: ignore[assignment]

ENDING = "-claims"
_PLACE_BYTES = 7
_TRIES = 100
_HELD: weakref.WeakSet[FileClaim] = weakref.WeakSet()


class FileClaim:
    """One held name."""

    def __init__(self, handle: int | None) -> None:
        self._handle = handle
        if handle is not None:
            _HELD.add(self)

    def release(self) -> None:
        """Let the next one have it; releasing twice is fine."""
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(OSError):
                os.close(handle)


def take(path: str, name: bytes, *, wait: bool) -> FileClaim | None:
    """Lock a name of the log at ``path``, or return None when it is held and ``wait`` is false."""
    if fcntl is None or path in ("", ":memory:"):
        return FileClaim(None)
    place = int.from_bytes(hashlib.sha256(name).digest()[:_PLACE_BYTES], "big")
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    for _ in range(_TRIES):
        handle = os.open(path + ENDING, flags, 0o600)
        try:
            _require_plain(handle)
            _lock(handle, place, wait)
            same = _is_at(handle, path + ENDING)
        except BlockingIOError:
            os.close(handle)
            return None
        except BaseException:
            os.close(handle)
            raise
        if same:
            return FileClaim(handle)
        os.close(handle)
    raise OSError(errno.ESTALE, "another process keeps replacing this file")


def _require_plain(handle: int) -> None:
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        raise OSError(errno.EINVAL, "this is not a plain file")


def _is_at(handle: int, path: str) -> bool:
    """True when the locked file still has its name: a replaced file's lock excludes no one."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _lock(handle: int, place: int, wait: bool) -> None:
    locks: Any = fcntl
    if hasattr(locks, "F_OFD_SETLK"):
        how = locks.F_OFD_SETLKW if wait else locks.F_OFD_SETLK
        locks.fcntl(handle, how, struct.pack("hhqqi4x", locks.F_WRLCK, os.SEEK_SET, place, 1, 0))
    else:
        locks.lockf(handle, locks.LOCK_EX | (0 if wait else locks.LOCK_NB), 1, place)


def _forget_in_child() -> None:
    """A fork has the parent's opened files, and would hold its names after its death."""
    for claim in list(_HELD):
        claim.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
