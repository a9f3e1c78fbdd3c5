"""Hook that compares files with their expected digests."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from dataclasses import dataclass, field

from firmground.adapters.hooks._common import VERSION, Stop, in_thread, listed
from firmground.adapters.safe_open import open_beneath, open_root, parts_below
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError

STRONG = ("sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b", "blake2s")
WEAK = ("md5", "sha1")
_CHUNK = 1 << 18
_GONE = "file not found"
_HEX = re.compile(r"[0-9a-f]+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChecksumHook:
    """Compares files below a root with the digests they should have.

    A digest is ``algorithm:hex`` or bare hexadecimal of ``algorithm``.
    """

    root: str
    expected: tuple[tuple[str, str], ...]
    """(path below the root, digest) pairs."""
    name: str = "file_checksum"
    algorithm: str = "sha256"
    allow_weak: bool = False
    """Accept md5 and sha1, which can be forged."""
    most_bytes: int = 1 << 30
    version: str = VERSION
    _wanted: tuple[tuple[str, str, str], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.expected:
            raise InputError(f"hook {self.name!r}: expected is empty, so nothing would be checked")
        wanted = tuple((p, *self._parsed(p, d)) for p, d in self.expected)
        object.__setattr__(self, "_wanted", wanted)

    def _parsed(self, path: str, digest: str) -> tuple[str, str]:
        where = f"hook {self.name!r}: expected: {path}"
        try:
            parts_below(path)
        except InputError as error:
            raise InputError(f"hook {self.name!r}: expected: {error}") from None
        algorithm, colon, value = digest.strip().lower().rpartition(":")
        algorithm = (algorithm if colon else self.algorithm).replace("-", "_")
        allowed = STRONG + (WEAK if self.allow_weak else ())
        if algorithm not in allowed:
            raise InputError(f"{where}: algorithm {algorithm!r} is not one of {', '.join(allowed)}")
        size = hashlib.new(algorithm, usedforsecurity=False).digest_size * 2
        if len(value) != size or not _HEX.match(value):
            raise InputError(f"{where}: a {algorithm} digest has {size} hexadecimal digits")
        return algorithm, value

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Hash every file through a descriptor that cannot lead outside the root."""
        return await in_thread(self._check)

    def _check(self, stop: Stop) -> HookReply | Fault:
        try:
            root = open_root(self.root)
        except OSError as error:
            return self._fault(FaultKind.MISCONFIGURED, f"root {self.root}: {error.strerror}")
        wrong: list[tuple[str, str]] = []
        faults: list[tuple[FaultKind, str]] = []
        try:
            for path, algorithm, digest in self._wanted:
                said = self._one(root, path, algorithm, digest, stop)
                if isinstance(said, Fault):
                    faults.append((said.kind, said.message))
                elif said:
                    wrong.append((path, said))
        finally:
            os.close(root)
        return self._concluded(wrong, faults)

    def _one(self, root: int, path: str, algorithm: str, digest: str, stop: Stop) -> str | Fault:
        """Empty when the file is as it should be, else what is wrong with it."""
        try:
            descriptor = open_beneath(root, path)
        except FileNotFoundError:
            return _GONE
        except OSError as error:
            return self._fault(FaultKind.REFUSED, f"{path}: {error.strerror}")
        try:
            found = self._hashed(descriptor, algorithm, stop)
        except OSError as error:
            return self._fault(FaultKind.UNREACHABLE, f"{path}: {error.strerror}")
        finally:
            os.close(descriptor)
        if found is None:
            return self._fault(FaultKind.LIMIT, f"{path}: more than {self.most_bytes} bytes")
        if hmac.compare_digest(found, digest):
            return ""
        return f"expected {algorithm}:{digest[:16]}…, found {found[:16]}…"

    def _hashed(self, descriptor: int, algorithm: str, stop: Stop) -> str | None:
        hasher = hashlib.new(algorithm, usedforsecurity=False)
        left = self.most_bytes
        if os.fstat(descriptor).st_size > left:
            return None
        while chunk := os.read(descriptor, _CHUNK):
            left -= len(chunk)
            if left < 0 or stop():
                return None
            hasher.update(chunk)
        return hasher.hexdigest()

    def _concluded(
        self, wrong: list[tuple[str, str]], faults: list[tuple[FaultKind, str]]
    ) -> HookReply | Fault:
        if wrong:
            unread = [("could not read", message) for _, message in faults]
            return HookReply(
                source=self.name,
                passed=False,
                message=self._message(wrong),
                details=(*wrong, *unread),
                guidance="Produce these files again, or correct the expected digests: "
                + listed([path for path, _ in wrong]),
                version=self.version,
            )
        if faults:
            kind, message = faults[0]
            return self._fault(kind, message)
        return HookReply(
            source=self.name,
            passed=True,
            message="the file is as it should be"
            if len(self._wanted) == 1
            else f"all {len(self._wanted)} files are as they should be",
            details=tuple((p, f"{a}:{d}") for p, a, d in self._wanted),
            version=self.version,
        )

    def _message(self, wrong: list[tuple[str, str]]) -> str:
        """How many are wrong, and which are gone and which differ."""
        are = "is not as it should be" if len(wrong) == 1 else "are not as they should be"
        told = [f"{path} {'is gone' if why == _GONE else 'differs'}" for path, why in wrong]
        return f"{len(wrong)} of {len(self._wanted)} {are}: {listed(told)}"

    def _fault(self, kind: FaultKind, message: str) -> Fault:
        return Fault(source=self.name, kind=kind, message=message, version=self.version)
