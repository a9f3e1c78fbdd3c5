"""Hook that runs a program on this machine: sandboxed, without a shell and without network."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from dataclasses import dataclass

from firmground.adapters.hooks._common import VERSION
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.core.redact import SHORTEST_VARIABLE, Redaction
from firmground.errors import InputError
from firmground.hooks import enclose
from firmground.hooks.byte_buffer import ByteBuffer
from firmground.hooks.processes import Child, started
from firmground.hooks.reply import beside, redacted

_YES, _NO = 0, 1
_MOST_ERRORS = 300
"""Bytes of standard error that are included in a fault."""
_LAST_WORDS_SECONDS = 0.5


class _TooLong(Exception):  # noqa: N818 - reads as what is the case
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandHook:
    """Runs one program; exit code 0 passes, 1 fails, anything else is inconclusive.

    The case is passed on standard input as JSON. The first line of output is the message, the rest
    the guidance. The end of its standard error is included in a fault.
    """

    argv: tuple[str, ...]
    """Program with its absolute path, then its arguments; no shell reads them."""
    name: str = "command"
    environment: tuple[tuple[str, str], ...] = ()
    folder: str = "/"
    network: bool = False
    cpu_seconds: int = 10
    memory_bytes: int = 1 << 30
    processes: int = 64
    """Processes and threads at once; one more, and all of them are ended."""
    most_output: int = 1 << 16
    version: str = VERSION

    def __post_init__(self) -> None:
        if not self.argv or not os.path.isabs(self.argv[0]):
            raise InputError(
                f"hook {self.name!r}: argv must begin with an absolute path, or in settings with "
                "./ for a program beside them"
            )
        if any("\0" in part for part in self.argv):
            raise InputError(f"hook {self.name!r}: argv holds a null character")
        for variable, value in self.environment:
            if not variable or "=" in variable or "\0" in variable + value:
                raise InputError(f"hook {self.name!r}: environment: {variable!r} cannot be set")
        for field in ("cpu_seconds", "memory_bytes", "processes", "most_output"):
            if not 1 <= getattr(self, field) < 1 << 63:
                raise InputError(f"hook {self.name!r}: {field} must be at least 1")

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Run the program to its end; when we are called off, so is everything it started."""
        program = self.argv[0]
        if not os.access(program, os.X_OK) or not os.path.isfile(program):
            return self._fault(FaultKind.MISCONFIGURED, f"{program} is not a program")
        try:
            document = await beside(_document, case)
            process = await self._started()
        except OSError as error:
            return self._fault(FaultKind.LIMIT, f"no process: {error}")
        try:
            output, errors = await _converse(process, document, self.most_output)
            code = await process.wait()
        except _TooLong:
            return self._fault(FaultKind.LIMIT, f"more than {self.most_output} bytes of output")
        finally:
            process.end()
            await asyncio.shield(process.reaped())
        return redacted(self._concluded(code, output, errors), self._secrets())

    async def _started(self) -> Child:
        settings = {
            "network": self.network,
            "cpu_seconds": self.cpu_seconds,
            "memory_bytes": self.memory_bytes,
            "processes": self.processes,
        }
        enclosed = (sys.executable, "-I", "-S", enclose.__file__, json.dumps(settings), *self.argv)
        environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **dict(self.environment)}
        return await started(enclosed, env=environment, folder=self.folder, errors_heard=True)

    def _secrets(self) -> Redaction:
        """The values of its environment: what a program says may repeat them."""
        return Redaction(value for _, value in self.environment if len(value) >= SHORTEST_VARIABLE)

    def _concluded(self, code: int, output: bytes, errors: bytes) -> HookReply | Fault:
        if code == enclose.CANNOT_ENCLOSE:
            return self._fault(
                FaultKind.MISCONFIGURED,
                "the program could not be shut in or started; network = true runs it without walls",
            )
        if code == enclose.CROWDED:
            why = f"more than {self.processes} processes and threads at once; ended"
            return self._fault(FaultKind.LIMIT, why)
        if code not in (_YES, _NO):
            said = " ".join(errors.decode("utf-8", "replace").split())
            told = f": {said}" if said else ""
            return self._fault(FaultKind.CRASHED, f"ended with code {code}{told}")
        text = output.decode("utf-8", "replace")
        message, _, rest = text.partition("\n")
        return HookReply(
            source=self.name,
            passed=code == _YES,
            message=message.strip(),
            guidance="" if code == _YES else rest.strip(),
            details=(("argv", " ".join(self.argv)[:500]),),
            version=self.version,
            replied=hashlib.sha256(bytes([code]) + output).hexdigest(),
        )

    def _fault(self, kind: FaultKind, message: str) -> Fault:
        return Fault(source=self.name, kind=kind, message=message, version=self.version)


def _document(case: HookCase) -> bytearray:
    """The case as JSON, written piece by piece so that other threads get their turn in between."""
    document = {
        "question": case.question.text if case.question else None,
        "answer": case.answer,
        "evidence": [{"id": e.id, "origin": e.origin, "text": e.text} for e in case.evidence],
        "metadata": dict(case.metadata),
        "job_id": case.job_id,
        "output_files": list(case.output_files),
        "validation_passed": case.validation_passed,
        "validation_details": [
            {"text": a.claim.text, "standing": str(a.standing), "reason": a.reason}
            for a in case.assessments
        ],
        "objections": [{"rule": o.rule, "reason": o.reason} for o in case.objections],
    }
    pieces = ByteBuffer()
    for piece in json.JSONEncoder().iterencode(document):
        pieces.write(piece.encode())
    return pieces.held


async def _converse(process: Child, document: bytearray, most: int) -> tuple[bytes, bytes]:
    """Feed and read at the same time, so that neither side can hold up the other."""
    held, errors = bytearray(), bytearray()
    feeding = asyncio.ensure_future(_feed(process, document))
    hearing = asyncio.ensure_future(_overheard(process, errors))
    try:
        while chunk := await process.read():
            held += chunk
            if len(held) > most:
                raise _TooLong
        # Its last output arrives with its exit; a process it left behind may keep the pipe open.
        await asyncio.wait({hearing}, timeout=_LAST_WORDS_SECONDS)
    finally:
        feeding.cancel()
        hearing.cancel()
        # Before its pipes are closed they must have let go of them.
        await asyncio.wait({feeding, hearing})
    return bytes(held), bytes(errors)


async def _overheard(process: Child, errors: bytearray) -> None:
    """Keep the end of what it complains about, however much it is."""
    while chunk := await process.read_errors():
        errors += chunk
        del errors[:-_MOST_ERRORS]


async def _feed(process: Child, document: bytearray) -> None:
    try:
        await process.write(document)
        process.close_input()
    except OSError:
        return
