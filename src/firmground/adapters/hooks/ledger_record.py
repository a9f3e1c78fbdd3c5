"""Hook that looks up the record of a run and verifies it."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass

from firmground.adapters.hooks._common import (
    VERSION,
    Stop,
    check_source,
    in_thread,
    pick,
    skipped,
)
from firmground.adapters.safe_open import open_beneath, open_root, parts_below
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError
from firmground.ledger.bundle import verify_bundle
from firmground.ledger.keys import VerifierKey, parse_verifier

_RUN = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_MOST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRecordHook:
    """Looks up the exported record of a run and verifies it offline against the caller's keys."""

    root: str
    """Folder of exported runs."""
    keys: tuple[str, ...]
    """Verifier keys of the logs that are trusted."""
    name: str = "ledger_record"
    run: str = "metadata:run"
    """Where the run id comes from."""
    file: str = "{run}.bundle.json"
    step: str = ""
    """The label the run must have been recorded under; empty: any."""
    version: str = VERSION

    def __post_init__(self) -> None:
        check_source(self.run, key=f"hook {self.name!r}: run")
        if not self.keys:
            raise InputError(f"hook {self.name!r}: keys is empty, so no record could be trusted")
        if "{run}" not in self.file:
            raise InputError(f"hook {self.name!r}: file must hold {{run}}")
        try:
            parts_below(self.file)
        except InputError as error:
            raise InputError(f"hook {self.name!r}: file: {error}") from None
        try:
            self._trusted()
        except ValueError as error:
            raise InputError(f"hook {self.name!r}: keys: {error}") from None

    def _trusted(self) -> tuple[VerifierKey, ...]:
        return tuple(parse_verifier(text) for text in self.keys)

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Read the record through the root and check every hash and signature in it."""
        run = pick(case, self.run)
        if run is None:
            return skipped(self.name, f"there is not a run id in {self.run}")
        if not _RUN.match(run):
            return self._said(False, f"{run[:80]!r} is not a run id")
        return await in_thread(lambda stop: self._check(run, stop))

    def _check(self, run: str, _: Stop) -> HookReply | Fault:
        try:
            data = self._read(run)
        except FileNotFoundError:
            return self._said(False, f"there is no record of run {run}")
        except OSError as error:
            return self._fault(FaultKind.REFUSED, f"{error.filename}: {error.strerror}")
        if data is None:
            return self._fault(FaultKind.LIMIT, f"the record is longer than {_MOST_BYTES} bytes")
        return self._judged(run, data)

    def _judged(self, run: str, data: bytes) -> HookReply:
        report = verify_bundle(data, keys=self._trusted())
        replied = hashlib.sha256(data).hexdigest()
        if report.verified is None:
            return self._said(False, f"the record does not hold: {report.reasons[0]}", replied)
        if report.verified.run != run:
            return self._said(False, f"the record is of run {report.verified.run}", replied)
        step = dict(report.verified.label).get("step", "")
        if self.step and step != self.step:
            return self._said(False, f"recorded as {step or 'nothing'}, not {self.step}", replied)
        return self._said(True, f"run {run} is entry {report.verified.index}", replied)

    def _read(self, run: str) -> bytes | None:
        root = open_root(self.root)
        try:
            descriptor = open_beneath(root, self.file.replace("{run}", run))
        finally:
            os.close(root)
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
        return data if len(data) <= _MOST_BYTES else None

    def _said(self, passed: bool, message: str, replied: str = "") -> HookReply:
        return HookReply(
            source=self.name,
            passed=passed,
            message=message,
            guidance="" if passed else "Refer only to runs whose records hold.",
            version=self.version,
            replied=replied,
        )

    def _fault(self, kind: FaultKind, message: str) -> Fault:
        return Fault(source=self.name, kind=kind, message=message, version=self.version)
