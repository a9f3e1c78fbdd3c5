"""Small files that must be whole or absent, and a lock that ends with its process."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firmground.errors import InputError, LedgerUnavailable

_PRIVATE = 0o600


def write_durably(place: Path, data: bytes, *, new: bool = False) -> None:
    """Put ``data`` there so that, after any crash, the old or the new content is found, whole."""
    try:
        if new:
            _write_new(place, data)
        else:
            _replace(place, data)
        _sync_folder(place.parent)
    except FileExistsError:
        raise InputError(f"{place} exists already and is not overwritten") from None
    except OSError as error:
        raise LedgerUnavailable(f"{place}: {error.strerror}") from error


def _replace(place: Path, data: bytes) -> None:
    fresh = place.with_name(place.name + ".new")
    with suppress(FileNotFoundError):
        fresh.unlink()
    _write_new(fresh, data)
    fresh.replace(place)


def _write_new(place: Path, data: bytes) -> None:
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Hold a lock between processes; it ends with the block or with the process."""
    try:
        handle = os.open(place, os.O_RDWR | os.O_CREAT, _PRIVATE)
    except OSError as error:
        raise LedgerUnavailable(f"{place}: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
