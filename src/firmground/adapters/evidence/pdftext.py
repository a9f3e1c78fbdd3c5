"""The text layer of a PDF, page by page, read in a worker process.

A PDF is a program of sorts: a few kilobytes can unfold to hours of work. So each page has a
deadline, the worker has a limit of memory, and what goes beyond is an error and never a silent cut.
"""

from __future__ import annotations

import importlib.util
import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from firmground.adapters.evidence.limits import ReadLimits, SourceLabel
from firmground.core.evidence import Evidence, EvidenceKind
from firmground.errors import InputError, MissingExtra

_WORKER = Path(__file__).with_name("pdf_worker.py")
_WAITING = 4


def read_pdf(data: bytes, origin: str, label: SourceLabel) -> tuple[Evidence, ...]:
    """Return one piece of evidence for each page that has text, with its page number."""
    if importlib.util.find_spec("pypdf") is None:
        raise MissingExtra(package="pypdf", extra="pdf", purpose=f"reading {origin}")
    title, texts = _texts(data, origin, label.limits)
    pieces = tuple(
        Evidence(
            text=text,
            kind=EvidenceKind.PDF,
            role=label.role_for(EvidenceKind.PDF),
            trust=label.trust_for(EvidenceKind.PDF),
            origin=origin,
            title=title,
            retrieved_at=label.retrieved_at,
            origin_start=None,
            page=number,
        )
        for number, text in enumerate(texts, 1)
        if text.strip()
    )
    if not pieces:
        raise InputError(f"{origin}: no page has a text layer; a scan needs text recognition first")
    return pieces


def _texts(data: bytes, origin: str, limits: ReadLimits) -> tuple[str, list[str]]:
    """The title of a PDF and the text of each page."""
    end = time.monotonic() + limits.pdf_seconds
    with _worker(data, limits) as lines:
        head = _next(lines, limits.page_seconds, origin)
        count = int(head["pages"])
        if count > limits.max_pages:
            raise InputError(f"{origin}: {count} pages, at most {limits.max_pages} are read")
        texts: list[str] = []
        total = 0
        for number in range(1, count + 1):
            where = f"{origin}: page {number}"
            if time.monotonic() > end:
                raise InputError(
                    f"{where}: the PDF takes longer than {limits.pdf_seconds} s to read"
                )
            texts.append(str(_next(lines, limits.page_seconds, where)["text"]))
            total += len(texts[-1])
            if total > limits.max_bytes:
                raise InputError(f"{origin}: more than {limits.max_bytes} characters of text")
    return str(head["title"]), texts


def _next(lines: queue.Queue[bytes], seconds: int, where: str) -> dict[str, Any]:
    """The worker's next message, or why there is none."""
    try:
        line = lines.get(timeout=seconds)
    except queue.Empty:
        raise InputError(f"{where}: takes longer than {seconds} s to read") from None
    if not line:
        raise InputError(f"{where}: not a readable PDF: the process that reads it ended early")
    message: dict[str, Any] = json.loads(line)
    if "error" in message:
        raise InputError(f"{where}: {message['error']}")
    return message


@contextmanager
def _worker(data: bytes, limits: ReadLimits) -> Iterator[queue.Queue[bytes]]:
    """Run a worker over a PDF; its lines come through a queue, and it ends with the block."""
    lines: queue.Queue[bytes] = queue.Queue(maxsize=_WAITING)
    ended = threading.Event()
    with tempfile.TemporaryFile() as handle:
        handle.write(data)
        handle.seek(0)
        command = [
            sys.executable,
            "-P",
            str(_WORKER),
            str(limits.max_memory),
            str(limits.max_page_size),
        ]
        with subprocess.Popen(  # noqa: S603 - our own file, no shell
            command, stdin=handle, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            reader = threading.Thread(target=_forward, args=(process, lines, ended), daemon=True)
            reader.start()
            try:
                yield lines
            finally:
                ended.set()
                process.kill()
                reader.join()


def _forward(
    process: subprocess.Popen[bytes], lines: queue.Queue[bytes], ended: threading.Event
) -> None:
    """Hand lines on until the worker ends; an empty one says that it has."""
    assert process.stdout is not None
    for line in chain(process.stdout, (b"",)):
        while not ended.is_set():
            try:
                lines.put(line, timeout=0.1)
                break
            except queue.Full:
                continue
        if ended.is_set():
            return
