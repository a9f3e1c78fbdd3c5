"""Opens files below a root and no others, also while links are being changed.

The kernel resolves the path where it has ``openat2``; elsewhere the code opens one name at a time
from the open directory, following no link. The descriptor that was opened is checked, never a path.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from pathlib import PurePosixPath

from firmground.errors import InputError

_OPENAT2 = 437
_NO_MAGIC_LINKS = 0x02
_NO_LINKS = 0x04
_BENEATH = 0x08
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
_TRIES = 16
_ABSENT = frozenset({errno.ENOSYS, errno.EPERM, errno.E2BIG, errno.EINVAL})


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


class OutsideRoot(OSError):  # noqa: N818 - reads as what is the case
    """The name leads outside the root, through a link, or is not a regular file."""


def parts_below(path: str) -> tuple[str, ...]:
    """The names on the way down; a path that could lead anywhere else is an error."""
    pure = PurePosixPath(path)
    if not path or "\0" in path or pure.is_absolute() or "\\" in path:
        raise InputError(f"path {path!r} must be relative to the root")
    if ".." in pure.parts or not pure.parts:
        raise InputError(f"path {path!r} must stay below the root")
    return pure.parts


def open_root(root: str) -> int:
    """Open the root directory; the caller closes the descriptor."""
    return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def open_beneath(root: int, path: str) -> int:
    """Open a plain file below the root for reading; the caller closes the descriptor."""
    parts = parts_below(path)
    descriptor = _by_kernel(root, "/".join(parts))
    if descriptor is None:
        descriptor = walk(root, parts)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OutsideRoot(errno.EINVAL, "not a plain file", path)
    return descriptor


def _by_kernel(root: int, path: str) -> int | None:
    """Let ``openat2`` resolve the path; None where the kernel has no such call."""
    if not sys.platform.startswith("linux"):
        return None
    how = _OpenHow(flags=_READ, mode=0, resolve=_BENEATH | _NO_LINKS | _NO_MAGIC_LINKS)
    libc = ctypes.CDLL(None, use_errno=True)
    for _ in range(_TRIES):
        result = libc.syscall(
            ctypes.c_long(_OPENAT2),
            ctypes.c_int(root),
            ctypes.c_char_p(os.fsencode(path)),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if result >= 0:
            return int(result)
        code = ctypes.get_errno()
        # Somebody renamed on the way: the kernel asks to try again.
        if code != errno.EAGAIN:
            break
    if code in _ABSENT:
        return None
    raise _refusal(code, path)


def walk(root: int, parts: tuple[str, ...]) -> int:
    """Go down one name at a time from the open root, following no link."""
    current = os.dup(root)
    try:
        for position, part in enumerate(parts):
            last = position == len(parts) - 1
            flags = _READ if last else _READ | os.O_DIRECTORY
            below = os.open(part, flags, dir_fd=current)
            os.close(current)
            current = below
    except OSError as error:
        os.close(current)
        raise _refusal(error.errno or errno.EIO, "/".join(parts)) from None
    return current


def _refusal(code: int, path: str) -> OSError:
    if code in (errno.ELOOP, errno.EXDEV, errno.ENXIO, errno.ENODEV):
        return OutsideRoot(code, "leads outside the root or through a link", path)
    return OSError(code, os.strerror(code), path)
